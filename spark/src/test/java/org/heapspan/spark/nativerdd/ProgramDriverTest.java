package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.heapspan.EstimatorFirst;
import org.apache.spark.heapspan.LocalConf;
import org.heapspan.nativerdd.NativeProgramException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** How applications run programs, with a program in C that does nothing but fail with a word. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class ProgramDriverTest {
    private static final Path ROOT = Path.of(System.getProperty("heapspan.root", ".."));

    private static final String PROGRAM = """
            #include <string.h>
            #include "heapspan/rdd/boundary.h"

            static heapspan_status fail(const heapspan_driver* driver, int32_t count, const char* const* arguments,
                                        heapspan_error* error) {
              (void)count;
              (void)arguments;
              int64_t node;
              driver->parallelize(driver->self, 0, 0, &node);
              strcpy(error->message, WORD);
              return HEAPSPAN_PROGRAM_FAILED;
            }

            __attribute__((visibility("default"))) const heapspan_program* heapspan_program_table(void) {
              static const heapspan_program program = {
                  .boundary_version = HEAPSPAN_BOUNDARY_VERSION,
                  .struct_bytes = sizeof(heapspan_program),
                  .cpu_level = "x86-64-v3",
                  .compiler = "gcc",
                  .main = fail};
              return &program;
            }
            """;

    @TempDir
    static Path folder;

    private static SparkContext spark;

    @BeforeAll
    static void start() {
        spark = new SparkContext(LocalConf.of(folder, "programs"));
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static void build(Path program, String word) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("program.c"), PROGRAM);
        Process compiler = new ProcessBuilder(List.of(
                        "gcc",
                        "-std=c11",
                        "-shared",
                        "-fPIC",
                        "-Wl,--build-id=sha1",
                        "-DWORD=\"" + word + "\"",
                        "-I" + ROOT.resolve("native/include"),
                        source.toString(),
                        "-o",
                        program.toString()))
                .redirectErrorStream(true)
                .start();
        String messages = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(messages).isZero();
    }

    private static void assertFailsWith(Path program, String word) {
        assertThatThrownBy(() -> NativePrograms.run(spark, program))
                .isInstanceOf(NativeProgramException.class)
                .hasMessage("native program " + program.getFileName() + ": " + word);
    }

    /** The loader of the system knows files by their paths. */
    @Test
    void aProgramThatIsBuiltAgainIsTheNewOne() throws Exception {
        Path program = folder.resolve("program.so");
        build(program, "first");
        assertFailsWith(program, "first");
        build(program, "second");
        assertFailsWith(program, "second");
        // Its pages would go with the end of the file.
        Files.write(program, new byte[0]);
        build(folder.resolve("third.so"), "third");
        Files.write(program, Files.readAllBytes(folder.resolve("third.so")));
        assertFailsWith(program, "third");
        build(program, "first");
        assertFailsWith(program, "first");
    }

    @Test
    void whatTheApplicationSaysOfItsJobsStays() throws Exception {
        Path program = folder.resolve("named.so");
        build(program, "named");
        spark.setCallSite("a call of the application");
        try {
            assertFailsWith(program, "named");
            assertThat(spark.getLocalProperty("callSite.short")).isEqualTo("a call of the application");
        } finally {
            spark.clearCallSite();
        }
        assertFailsWith(program, "named");
        assertThat(spark.getLocalProperty("callSite.short")).isNull();
    }
}
