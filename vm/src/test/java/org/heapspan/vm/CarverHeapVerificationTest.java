package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.JavaProcess.Jdk;
import org.heapspan.testing.JavaProcess.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Carved objects under HotSpot's own verification of the heap before and after each collection, in every way objects may lie. Children
 * run on the JDK that runs the tests, which are run on each.
 */
class CarverHeapVerificationTest {
    private static final Jdk JDK = Jdk.ofThisJvm();
    private static final boolean CRITICAL_CALL = JDK == Jdk.JDK_25;

    private static final String SECONDS = "0.3";

    private static JavaProcess verifying(Class<?> main, String... options) {
        return JavaProcess.of(JDK, main)
                .options(JavaProcess.BOTH_COMPILERS)
                .options(
                        "-Xmx64m",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:+VerifyBeforeGC",
                        "-XX:+VerifyAfterGC",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=/dev/null")
                .options(options);
    }

    static Stream<String> waysObjectsLie() {
        // Below 4 GB references are not shifted, beyond 32 GB they have a base; a heap this small lies where it is told
        // to.
        List<String> common = List.of(
                "-XX:+UseG1GC",
                "-XX:+UseG1GC -XX:HeapBaseMinAddress=8g -XX:InitiatingHeapOccupancyPercent=5",
                "-XX:+UseG1GC -XX:HeapBaseMinAddress=40g",
                "-XX:+UseG1GC -XX:-UseCompressedOops",
                "-XX:+UseG1GC -XX:HeapBaseMinAddress=8g -XX:ObjectAlignmentInBytes=16",
                "-XX:+UseG1GC -Dheapspan.cpu=scalar",
                "-XX:+UseG1GC -Xint",
                "-XX:+UseParallelGC",
                "-XX:+UseParallelGC -XX:-UseCompressedOops -Dheapspan.cpu=avx2",
                "-XX:+UseParallelGC -XX:HeapBaseMinAddress=40g -XX:ObjectAlignmentInBytes=32 -XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:+UseSerialGC -XX:HeapBaseMinAddress=8g -Dheapspan.cpu=avx2",
                "-XX:+UseSerialGC -XX:-UseCompressedOops -XX:ObjectAlignmentInBytes=16");
        List<String> since22 = List.of(
                "-XX:+UseG1GC -XX:+UseCompactObjectHeaders",
                "-XX:+UseParallelGC -XX:+UseCompactObjectHeaders -XX:-UseCompressedOops",
                "-XX:+UseSerialGC -XX:+UseCompactObjectHeaders -XX:ObjectAlignmentInBytes=16",
                "-XX:+UseG1GC -XX:-UseCompressedClassPointers",
                "-XX:+UseSerialGC -XX:-UseCompressedClassPointers -XX:-UseCompressedOops");
        return Stream.concat(common.stream(), CRITICAL_CALL ? since22.stream() : Stream.empty());
    }

    @ParameterizedTest
    @MethodSource("waysObjectsLie")
    void holdsWhileThreadsUseWhatWasCarved(String options) throws Exception {
        Result result = verifying(CarvingStress.class, options.split(" "))
                .arguments(SECONDS, "3")
                .run()
                .succeeded();
        assertThat(result.value("ok")).as(result.toString()).isEqualTo("true");
        assertThat(Long.parseLong(result.value("carved"))).as(result.toString()).isGreaterThanOrEqualTo(100);
        assertThat(Long.parseLong(result.value("collections")))
                .as(result.toString())
                .isGreaterThanOrEqualTo(6);
    }

    /** Shows that the verification can fail. */
    @ParameterizedTest
    @ValueSource(strings = {"G1", "Parallel", "Serial"})
    void failsForAReferenceIntoAnObject(String collector) throws Exception {
        Result result = verifying(CarvingStress.WrongReference.class, "-XX:+Use" + collector + "GC")
                .run();
        assertThat(result.exitCode()).isNotZero();
        assertThat(result.values("survived")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"G1", "Parallel", "Serial"})
    void holdsInAHotLoop(String collector) throws Exception {
        Result result = JavaProcess.of(JDK, CarvingStress.HotLoop.class)
                .options(JavaProcess.BOTH_COMPILERS)
                .options("-XX:+Use" + collector + "GC", "-Xmx128m")
                .run()
                .succeeded();
        assertThat(result.value("ok")).isEqualTo("true");
        assertThat(Long.parseLong(result.value("carved"))).isGreaterThan(100_000);
    }

    @Test
    void holdsOnEpsilon() throws Exception {
        Result result = JavaProcess.of(JDK, CarvingStress.class)
                .options(JavaProcess.BOTH_COMPILERS)
                .options("-Xmx1g", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC")
                .arguments("0.1", "1")
                .run();
        // Ends with its memory, or before.
        if (result.exitCode() == 0 && !result.output().contains("OutOfMemoryError")) {
            assertThat(result.value("ok")).as(result.toString()).isEqualTo("true");
        }
        assertThat(result.value("carver")).isEqualTo("true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:-UseCompressedClassPointers", "-Xcheck:jni"})
    void hasNoCarverWhereTheOlderDoorDoesNotHold(String option) throws Exception {
        Result result = JavaProcess.of(JDK, CarvingStress.class)
                .options("-Xmx64m", option)
                .arguments("0.1", "1")
                .run()
                .succeeded();
        assertThat(result.value("carver")).isEqualTo(String.valueOf(CRITICAL_CALL));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseZGC", "-Dheapspan.direct=false", "-Dheapspan.direct=maybe", "-Dheapspan.cpu=mmx"})
    void hasNoCarverAndSaysWhy(String option) throws Exception {
        Result result = JavaProcess.of(JDK, CarvingStress.class)
                .options("-Xmx64m", option)
                .run()
                .succeeded();
        assertThat(result.value("carver")).isEqualTo("false");
        String reason = option.equals("-XX:+UseZGC") ? "ZGC" : option;
        assertThat(result.value("engine")).contains(reason);
        // One line where a user did nothing to bring it about.
        assertThat(result.errors().lines().filter(line -> line.contains("direct engine off")))
                .hasSize(option.equals("-Dheapspan.direct=false") ? 0 : 1);
    }

    @Tag("once")
    @Test
    void worksOnJava21() throws Exception {
        Path java = java21();
        assumeTrue(java != null, "no Java 21 found");
        for (String collector : List.of("G1", "Parallel", "Serial")) {
            Result result = verifying(CarvingStress.class, "-XX:+Use" + collector + "GC")
                    .java(java)
                    .arguments(SECONDS, "3")
                    .run()
                    .succeeded();
            assertThat(result.value("ok")).as(result.toString()).isEqualTo("true");
            assertThat(Long.parseLong(result.value("carved"))).isGreaterThanOrEqualTo(100);
        }
    }

    private static Path java21() {
        for (String home : new String[] {System.getProperty("heapspan.jdk21.home"), System.getenv("JAVA21_HOME")}) {
            Path java = home == null || home.isEmpty()
                    ? null
                    : new File(home).toPath().resolve("bin/java");
            if (java != null && Files.isExecutable(java)) {
                return java;
            }
        }
        return null;
    }
}
