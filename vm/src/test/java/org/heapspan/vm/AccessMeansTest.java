package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.JavaProcess.Jdk;
import org.heapspan.testing.JavaProcess.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each means of access by itself, in JVMs that close the others. */
@Tag("once")
class AccessMeansTest {
    private static final String NO_LIBRARY = "-Dheapspan.native.library=none";
    private static final String DENY_NATIVE = "--illegal-native-access=deny";
    private static final String DENY_UNSAFE = "--sun-misc-unsafe-memory-access=deny";
    private static final String ENABLE_NATIVE = "--enable-native-access=ALL-UNNAMED";

    @ParameterizedTest
    @EnumSource
    void usesNativeLibraryWithoutFlags(Jdk jdk) throws Exception {
        Result result = report(jdk);
        assertRawMemory(result, AccessMeans.NATIVE_LIBRARY);
        assertThat(result.value("counter")).isEqualTo("true");
        assertThat(result.value("facts")).startsWith("HotSpotFacts[");
        assertOnlyWarningsOfTheJvm(jdk, result, "System::load");
    }

    @ParameterizedTest
    @EnumSource
    void usesSunUnsafeWithoutNativeLibrary(Jdk jdk) throws Exception {
        Result result = report(jdk, NO_LIBRARY);
        assertRawMemory(result, AccessMeans.SUN_UNSAFE);
        assertThat(result.value("counter")).isEqualTo("false");
        assertThat(result.values("finding"))
                .anyMatch(f -> f.startsWith("native library|not in use|kept out by -Dheapspan.native.library=none|"));
        assertOnlyWarningsOfTheJvm(jdk, result, "sun.misc.Unsafe");
    }

    @ParameterizedTest
    @EnumSource
    void usesEachMeansThatIsForced(Jdk jdk) throws Exception {
        assertRawMemory(report(jdk, "-Dheapspan.access=native"), AccessMeans.NATIVE_LIBRARY);
        assertRawMemory(report(jdk, "-Dheapspan.access=unsafe"), AccessMeans.SUN_UNSAFE);
        Result reflection = report(jdk, "-Dheapspan.access=reflection");
        assertReflection(reflection);
        assertThat(reflection.errors()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void fallsToReflectionWhereTheForcedMeansFails(Jdk jdk) throws Exception {
        Result result = report(jdk, "-Dheapspan.access=native", NO_LIBRARY);
        assertReflection(result);
        assertThat(result.values("finding")).anyMatch(f -> f.startsWith("native library|not in use|kept out"));
    }

    @ParameterizedTest
    @EnumSource
    void rejectsAnUnknownMeansEveryTimeItIsAsked(Jdk jdk) throws Exception {
        Result result = JavaProcess.of(jdk, AskTwice.class)
                .options("-Dheapspan.access=magic")
                .run()
                .succeeded();
        assertThat(result.values("thrown"))
                .hasSize(2)
                .allMatch(t -> t.equals("java.lang.IllegalArgumentException: property heapspan.access is 'magic',"
                        + " expected native, unsafe or reflection; correct or remove it"));
    }

    @Test
    void usesSunUnsafeWhereNativeAccessIsDenied() throws Exception {
        Result result = report(Jdk.JDK_25, DENY_NATIVE);
        assertRawMemory(result, AccessMeans.SUN_UNSAFE);
        assertThat(result.values("finding"))
                .anyMatch(f -> f.startsWith("native library|not in use|java.lang.IllegalCallerException")
                        && f.contains("java"));
        assertOnlyWarningsOfTheJvm(Jdk.JDK_25, result, "sun.misc.Unsafe");
    }

    @Test
    void usesNativeLibraryWhereSunUnsafeIsDenied() throws Exception {
        Result result = report(Jdk.JDK_25, DENY_UNSAFE, ENABLE_NATIVE);
        assertRawMemory(result, AccessMeans.NATIVE_LIBRARY);
        assertThat(result.errors()).isEmpty();
    }

    @Test
    void usesReflectionWhereSunUnsafeIsDeniedAndTheLibraryAbsent() throws Exception {
        Result result = report(Jdk.JDK_25, DENY_UNSAFE, NO_LIBRARY);
        assertReflection(result);
        assertThat(result.values("finding"))
                .anyMatch(f -> f.startsWith("sun.misc.Unsafe|not in use|java.lang.UnsupportedOperationException"));
        assertThat(result.errors()).isEmpty();
    }

    @Test
    void usesReflectionAndPrintsNothingWhereBothAreDenied() throws Exception {
        Result result = report(Jdk.JDK_25, DENY_NATIVE, DENY_UNSAFE);
        assertReflection(result);
        assertThat(result.values("finding"))
                .anyMatch(f -> f.startsWith("means of access|REFLECTION|better means failed|"))
                .anyMatch(f -> f.startsWith("native library|not in use|"))
                .anyMatch(f -> f.startsWith("sun.misc.Unsafe|not in use|"));
        assertThat(result.errors()).isEmpty();
    }

    @Test
    void printsNothingWhereNativeAccessIsEnabled() throws Exception {
        Result result = report(Jdk.JDK_25, ENABLE_NATIVE);
        assertRawMemory(result, AccessMeans.NATIVE_LIBRARY);
        assertThat(result.errors()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void loadsTheLibraryFromAJarAndLeavesNothingBehind(Jdk jdk, @TempDir Path directory) throws Exception {
        Path jar = jarOfClasses(directory.resolve("with space.jar"));
        Path plainJar = jarOfClasses(directory.resolve("plain.jar"));
        Path extraction = Files.createDirectory(directory.resolve("extraction"));
        for (Path each : List.of(jar, plainJar)) {
            Result result = JavaProcess.of(jdk, VirtualMachineReport.class)
                    .options("-Dheapspan.native.dir=" + extraction)
                    .classPath(each + ":" + testClasses())
                    .run()
                    .succeeded();
            assertRawMemory(result, AccessMeans.NATIVE_LIBRARY);
            assertThat(extraction).isEmptyDirectory();
        }
    }

    @ParameterizedTest
    @EnumSource
    void triesOneDirectoryAfterTheOther(Jdk jdk, @TempDir Path directory) throws Exception {
        Result inWorkingDirectory = JavaProcess.of(jdk, VirtualMachineReport.class)
                .options("-Djava.io.tmpdir=/nowhere", "-Duser.home=/nowhere")
                .directory(directory)
                .run()
                .succeeded();
        assertRawMemory(inWorkingDirectory, AccessMeans.NATIVE_LIBRARY);
        assertThat(directory).isEmptyDirectory();

        Result nowhere = JavaProcess.of(jdk, VirtualMachineReport.class)
                .options("-Djava.io.tmpdir=/nowhere", "-Duser.home=/nowhere", "-Duser.dir=/nowhere")
                .options("-Dheapspan.native.dir=/nowhere/at/all")
                .run()
                .succeeded();
        assertThat(nowhere.value("means")).isEqualTo("SUN_UNSAFE");
        assertThat(nowhere.values("finding"))
                .anyMatch(f -> f.startsWith("native library|not in use|/nowhere/at/all: java.nio.file.NoSuchFile"));
    }

    @ParameterizedTest
    @EnumSource
    void loadsTheLibraryThatIsNamed(Jdk jdk, @TempDir Path directory) throws Exception {
        Path library = mainClasses().resolve("META-INF/native/linux-x86_64/libheapspan.so");
        Path copy = Files.copy(library, directory.resolve("mine.so"));
        assertRawMemory(report(jdk, "-Dheapspan.native.library=" + copy), AccessMeans.NATIVE_LIBRARY);
        assertThat(copy).exists();

        Path noLibrary = Files.writeString(directory.resolve("text.so"), "not a library");
        Result result = report(jdk, "-Dheapspan.native.library=" + noLibrary);
        assertRawMemory(result, AccessMeans.SUN_UNSAFE);
        assertThat(result.values("finding"))
                .anyMatch(f -> f.startsWith("native library|not in use|java.lang.UnsatisfiedLinkError"));
    }

    @ParameterizedTest
    @EnumSource
    void worksInSeveralClassLoadersOfOneJvm(Jdk jdk) throws Exception {
        Result result = JavaProcess.of(jdk, TwoLoaders.class).run().succeeded();
        assertThat(result.values("means")).containsExactly("NATIVE_LIBRARY", "NATIVE_LIBRARY");
    }

    /** Asks twice, as two callers of a program would. */
    static final class AskTwice {
        public static void main(String[] args) {
            for (int i = 0; i < 2; i++) {
                try {
                    VirtualMachine.current();
                } catch (IllegalArgumentException e) {
                    System.out.println("thrown=" + e);
                }
            }
        }
    }

    /** Loads the classes of this module twice, as application servers do. */
    static final class TwoLoaders {
        public static void main(String[] args) throws Exception {
            URL[] urls = Stream.of(System.getProperty("java.class.path").split(":"))
                    .map(entry -> Path.of(entry).toUri())
                    .map(uri -> {
                        try {
                            return uri.toURL();
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .toArray(URL[]::new);
            for (int i = 0; i < 2; i++) {
                try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
                    Class<?> type = loader.loadClass("org.heapspan.vm.VirtualMachine");
                    Object machine = type.getMethod("current").invoke(null);
                    System.out.println("means=" + type.getMethod("means").invoke(machine));
                }
            }
        }
    }

    private static Result report(Jdk jdk, String... options) throws Exception {
        return JavaProcess.of(jdk, VirtualMachineReport.class)
                .options(options)
                .run()
                .succeeded();
    }

    private static void assertRawMemory(Result result, AccessMeans means) {
        assertThat(result.value("means")).isEqualTo(means.name());
        assertThat(result.value("memory")).isEqualTo("true");
        assertThat(result.value("trustedLookup")).isEqualTo("/trusted");
        assertThat(result.value("roundTrip")).isEqualTo("ok");
        assertThat(result.value("layout")).contains("objectAlignmentBytes=8,");
    }

    private static void assertReflection(Result result) {
        assertThat(result.value("means")).isEqualTo("REFLECTION");
        assertThat(result.value("memory")).isEqualTo("false");
        assertThat(result.value("trustedLookup")).isEqualTo("null");
        assertThat(result.value("fingerprint")).isEqualTo("0");
        assertThat(result.value("counter")).isEqualTo("false");
        assertThat(result.values("roundTrip")).isEmpty();
    }

    /** JDK 17 prints nothing; JDK 25 its one block of warnings, each line marked as its own. */
    private static void assertOnlyWarningsOfTheJvm(Jdk jdk, Result result, String about) {
        if (jdk == Jdk.JDK_17) {
            assertThat(result.errors()).isEmpty();
        } else {
            assertThat(result.errors()).contains(about);
            assertThat(result.errors().lines().filter(line -> !line.isEmpty()))
                    .hasSize(4)
                    .allMatch(line -> line.startsWith("WARNING: "));
        }
    }

    private static Path mainClasses() throws Exception {
        return Path.of(VirtualMachine.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static Path testClasses() throws Exception {
        return Path.of(AccessMeansTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static Path jarOfClasses(Path jar) throws Exception {
        Path classes = mainClasses();
        assumeTrue(Files.isDirectory(classes), "runs before the jar is made");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
        return jar;
    }
}
