package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a compiler and a Spark that only say what words they got. */
@Tag("once")
final class NativeCommandTest {
    @TempDir
    Path folder;

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream notes = new ByteArrayOutputStream();
    private Path source;

    @BeforeEach
    void pretend() throws IOException {
        Path spark = folder.resolve("spark");
        Files.createDirectories(spark.resolve("jars"));
        Files.createFile(spark.resolve("jars/spark-core_2.13-4.3.0.jar"));
        program(spark.resolve("bin/spark-submit"), "exit 0");
        Files.createFile(folder.resolve("heapspan-spark.jar"));
        Files.createDirectories(folder.resolve("include/heapspan/rdd"));
        Files.writeString(folder.resolve("include/heapspan/rdd.hpp"), "// all");
        source = Files.writeString(folder.resolve("count.cpp"), "// a program");
        pretendCompiler("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "");
        environment.put("SPARK_HOME", spark.toString());
        environment.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
    }

    private static void program(Path file, String commands) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + commands + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** Writes its words to a file, and makes the file behind -o. */
    private void pretendCompiler(String version, String further) throws IOException {
        Path compiler = folder.resolve("bin/g++");
        program(
                compiler,
                "if [ \"$1\" = --version ]; then echo '" + version + "'; exit 0; fi\n"
                        + "echo \"$@\" >> " + folder.resolve("words") + "\n" + further
                        + "\nwhile [ \"$1\" != -o ]; do shift; done; echo made > \"$2\"");
        environment.put("CXX", compiler.toString());
    }

    private String line(String... words) throws Failure {
        notes.reset();
        Surroundings around = new Surroundings(
                environment, folder.resolve("heapspan.jar"), new PrintStream(notes, true, StandardCharsets.UTF_8));
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        Command.named(words, around).run(writer);
        writer.flush();
        return out.toString();
    }

    private void build() throws Failure {
        line(
                "native",
                "build",
                source.toString(),
                "-o",
                folder.resolve("count.so").toString());
    }

    private List<String> compiled() throws IOException {
        return Files.readAllLines(folder.resolve("words"));
    }

    @Test
    void aProgramIsBuiltWithHeadersThatAreCompiledOnce() throws Exception {
        Path target = folder.resolve("made/count.so");
        Files.createDirectories(target.getParent());
        assertThat(line("native", "build", source.toString(), "-o", target.toString()))
                .startsWith("built " + target);
        assertThat(target).hasContent("made");
        assertThat(notes.toString(StandardCharsets.UTF_8)).contains("compiles the headers once");
        assertThat(compiled()).hasSize(3);
        assertThat(compiled().get(0)).contains("-x c++-header", "-std=c++20", "-march=x86-64-v3", "-fno-gnu-unique");
        assertThat(compiled().get(1)).contains("-DHEAPSPAN_COMPILES_ONCE", "-std=c++20", "program.o");
        assertThat(compiled().get(2))
                .contains("-fPIC", "-include " + folder.resolve("cache/heapspan/native"), source.toString())
                .contains("-DHEAPSPAN_COMPILED_ONCE", "/program.o ")
                .contains("-static-libstdc++", "-Wl,--build-id=sha1");

        line("native", "build", source.toString(), "-o", target.toString());
        assertThat(compiled()).hasSize(4);

        // Other headers, other options: another compiled header.
        Files.writeString(folder.resolve("include/heapspan/rdd.hpp"), "// other");
        line("native", "build", source.toString(), "-o", target.toString());
        assertThat(compiled()).hasSize(7);
        line("native", "build", "--debug", source.toString(), "-o", target.toString(), "--", "-DX=1");
        assertThat(compiled()).hasSize(10);
        assertThat(compiled().get(9)).contains("-O0 -g", "-DX=1");
    }

    @Test
    void anOptimizationOfTheUserReplacesOurs() throws Exception {
        build();
        assertThat(compiled().get(2)).contains(" -O2 ", " -fno-tree-pre ");
        line(
                "native",
                "build",
                source.toString(),
                "-o",
                folder.resolve("count.so").toString(),
                "--",
                "-O3");
        assertThat(compiled().get(5)).contains(" -O3 ").doesNotContain("-O2", "-fno-tree-pre");
    }

    /** Whoever can write them decides what runs in the executors. */
    @Test
    void headersThatOthersMayHaveCompiledAreNotUsed() throws Exception {
        build();
        Path cache = folder.resolve("cache/heapspan/native");
        Path compiled;
        try (Stream<Path> files = Files.list(cache)) {
            compiled = files.findFirst().orElseThrow();
        }
        assertThat(compiled()).hasSize(3);
        for (Path each : List.of(compiled, cache, cache.getParent(), folder.resolve("cache"))) {
            assertThat(Files.getPosixFilePermissions(each)).isEqualTo(OwnFolder.MODE);
        }
        for (Path each : List.of(compiled, cache, cache.getParent())) {
            for (String mode : List.of("rwxrwx---", "rwx----w-")) {
                assertNotUsed(each, mode, each + " has the mode " + mode);
            }
        }
        assertNotUsed(folder.resolve("cache"), "rwxrwxrwx", "every user can replace files of others there");
        build();
        assertThat(compiled().get(compiled().size() - 1)).contains("-include");
        assertThatThrownBy(() -> OwnFolder.check(cache, OwnFolder.user() + 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("belongs to the user " + OwnFolder.user());
    }

    private void assertNotUsed(Path place, String mode, String note) throws Exception {
        int before = compiled().size();
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString(mode));
        build();
        Files.setPosixFilePermissions(place, OwnFolder.MODE);
        assertThat(notes.toString(StandardCharsets.UTF_8)).contains("compiles without a precompiled header", note);
        assertThat(compiled()).hasSize(before + 1);
        assertThat(compiled().get(before)).doesNotContain("-include", "program.o");
    }

    @Test
    void errorsOfTheCompilerAreShownAndLeaveTheOldProgram() throws Exception {
        Path target = Files.writeString(folder.resolve("count.so"), "old");
        line("native", "build", source.toString(), "-o", target.toString());
        Files.writeString(target, "old");
        pretendCompiler(
                "g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "echo 'count.cpp:7: error: no such thing' >&2; exit 1");
        assertThatThrownBy(() -> line("native", "build", source.toString(), "-o", target.toString()))
                .isInstanceOf(Failure.class)
                .hasMessageContaining("was not built");
        assertThat(notes.toString(StandardCharsets.UTF_8)).contains("count.cpp:7: error: no such thing");
        assertThat(target).hasContent("old");
        assertThat(folder.resolve("count.so.part")).doesNotExist();
    }

    /** They would take a hundred megabytes each time. */
    @Test
    void headersThatDoNotCompileLeaveNothing() throws Exception {
        pretendCompiler(
                "g++ (Debian 12.2.0-14+deb12u1) 12.2.0",
                "for last; do :; done; echo part > \"$last\"; echo 'rdd.hpp:7: error: no such thing' >&2; exit 1");
        assertThatThrownBy(this::build).hasMessageContaining("the compiler cannot compile the headers");
        try (Stream<Path> files = Files.list(folder.resolve("cache/heapspan/native"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        environment.put("CXX", folder.resolve("no-compiler").toString());
        assertThatThrownBy(() -> line("native", "build", source.toString()))
                .hasMessageContaining("there is no C++ compiler")
                .hasMessageContaining("apt-get install g++");
        environment.remove("CXX");
        environment.put("PATH", folder.resolve("nothing").toString());
        assertThatThrownBy(() -> line("native", "build", source.toString()))
                .hasMessageContaining("there is no C++ compiler 'g++' on the PATH");
        pretendCompiler("g++ (Ubuntu 9.4.0-1ubuntu1) 9.4.0", "");
        assertThatThrownBy(() -> line("native", "build", source.toString()))
                .hasMessageContaining("9.4.0")
                .hasMessageContaining("12 or newer");
        pretendCompiler("x86_64-linux-gnu-g++-11 (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", "");
        assertThatThrownBy(() -> line("native", "build", source.toString())).hasMessageContaining("11.4.0");
        for (String other :
                new String[] {"Debian clang version 14.0.6", "Apple clang version 15.0.0 (clang-1500.1.0)"}) {
            pretendCompiler(other, "");
            assertThatThrownBy(() -> line("native", "build", source.toString()))
                    .hasMessageContaining(other)
                    .hasMessageContaining("clang++ cannot compile them");
        }
        assertThatThrownBy(() -> line("native", "build", "missing.cpp"))
                .hasMessageContaining("there is no source file missing.cpp");
        pretendCompiler("g++ (Debian 14.2.0-19) 14.2.0", "");
        Files.move(folder.resolve("include"), folder.resolve("elsewhere"));
        assertThatThrownBy(() -> line("native", "build", source.toString()))
                .hasMessageContaining("there are no headers in " + folder.resolve("include"));
        assertThatThrownBy(() -> line("native", "run", "missing.so"))
                .hasMessageContaining("there is no native program missing.so");
    }

    @Test
    void wrongCommandLinesAreRefused() {
        for (String[] words : new String[][] {
            {"native"},
            {"native", "walk"},
            {"native", "build"},
            {"native", "build", "-o"},
            {"native", "build", "-O3", "a.cpp"},
            {"native", "run"},
            {"native", "run", "a.so", "--master"}
        }) {
            assertThatThrownBy(() -> line(words))
                    .isInstanceOf(Failure.class)
                    .extracting(failure -> ((Failure) failure).exitCode)
                    .isEqualTo(Command.WRONG_USAGE);
        }
    }

    @Test
    void optionsOfSparkMayStandAnywhere() throws Exception {
        Path program = Files.createFile(folder.resolve("count.so"));
        String line = line(
                "native",
                "run",
                "--verbose",
                program.toString(),
                "in",
                "--master",
                "local[2]",
                "out",
                "--conf=a=b",
                "--",
                "--master");
        Path adapter = folder.resolve("heapspan-spark.jar");
        assertThat(line)
                .contains("bin/spark-submit")
                .contains("spark.driver.extraClassPath=" + adapter)
                .contains("spark.executor.extraClassPath=" + adapter)
                .doesNotContain("spark.plugins")
                .endsWith("'--verbose' '--master' 'local[2]' '--conf=a=b' '--name' 'count.so'"
                        + " '--class' 'org.heapspan.spark.nativerdd.NativeMain' 'spark-internal'"
                        + " '" + program + "' 'in' 'out' '--master'\n");
    }

    @Test
    void aNameOfTheUserIsKept() throws Exception {
        Path program = Files.createFile(folder.resolve("count.so"));
        assertThat(line("native", "run", program.toString(), "--name", "mine"))
                .contains("'--name' 'mine'")
                .doesNotContain("'--name' 'count.so'");
        assertThat(line("native", "run", program.toString(), "--conf", "spark.app.name=mine"))
                .doesNotContain("--name");
    }

    /** The JVMs do little but to call native code. */
    @Test
    void theJvmsCompileWithC1UnlessTheUserSaysOtherwise() throws Exception {
        Path program = Files.createFile(folder.resolve("count.so"));
        assertThat(line("native", "run", program.toString()))
                .contains("spark.driver.defaultJavaOptions=-XX:TieredStopAtLevel=1")
                .contains("spark.executor.defaultJavaOptions=-XX:TieredStopAtLevel=1")
                // No collector is named, because a JVM does not start with two.
                .doesNotContainPattern("-XX:[+-]Use\\w+GC");
        assertThat(line("native", "run", program.toString(), "--conf", "spark.executor.defaultJavaOptions=-Da=b"))
                .contains("spark.driver.defaultJavaOptions=-XX:TieredStopAtLevel=1")
                .contains("spark.executor.defaultJavaOptions=-Da=b")
                .doesNotContain("spark.executor.defaultJavaOptions=-XX");
    }

    /** There must be a jar, and the driver must find the program. */
    @Test
    void theDriverMayRunInTheCluster() throws Exception {
        Path program = Files.createFile(folder.resolve("count.so"));
        assertThat(line(
                        "native",
                        "run",
                        program.toString(),
                        "in",
                        "--deploy-mode",
                        "cluster",
                        "--files",
                        "a.txt,b.txt"))
                .contains("'spark.files=" + program + ",a.txt,b.txt'")
                .doesNotContain("--files")
                .endsWith("'--class' 'org.heapspan.spark.nativerdd.NativeMain' '" + folder.resolve("heapspan-spark.jar")
                        + "' '" + program + "' 'in'\n");
    }
}
