package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.JavaProcess.Jdk;
import org.heapspan.testing.JavaProcess.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which library a platform gets, if any, and what becomes of a JVM that gets none. */
class NativePlatformTest {
    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, false, linux-x86_64",
        "Linux, x86_64, false, linux-x86_64",
        "Linux, amd64, true,",
        "Linux, aarch64, false,",
        "Linux, aarch64, true,",
        "Linux, i386, false,",
        "Mac OS X, x86_64, false,",
        "Windows 11, amd64, false,"
    })
    void hasALibraryForLinuxOnX86WithGlibc(String system, String processor, boolean musl, String folder) {
        NativePlatform platform = new NativePlatform(system, processor, musl);
        assertThat(platform.folder()).isEqualTo(folder);
        assertThat(platform.describe()).contains(system, processor);
        assertThat(platform.describe().contains("musl")).isEqualTo(musl);
    }

    /** As the systems' own programs print it. */
    @Test
    void tellsTheCLibraryByWhatAProcessHasMapped() {
        assertThat(NativePlatform.haveGlibc(Stream.of(
                        "7f3a8c000000-7f3a8c026000 r--p 00000000 fe:01 4 /usr/lib/x86_64-linux-gnu/libc.so.6",
                        "7f3a8c400000-7f3a8c401000 rw-p 00000000 00:00 0 ")))
                .as("Debian 12")
                .isTrue();
        assertThat(NativePlatform.haveGlibc(
                        Stream.of("7f1c2a000000-7f1c2a1b9000 r-xp 00000000 fd:00 9 /usr/lib64/libc-2.28.so")))
                .as("RHEL 8")
                .isTrue();
        assertThat(
                        NativePlatform.haveGlibc(
                                Stream.of(
                                        "7f3a8c000000-7f3a8c026000 r--p 00000000 fe:01 4 /usr/lib/x86_64-linux-gnu/libc.so.6 (deleted)")))
                .as("glibc was replaced while the process runs")
                .isTrue();
        assertThat(NativePlatform.haveGlibc(Stream.of(
                        "7f5d50f13000-7f5d50f28000 r--p 00000000 08:01 7 /lib/ld-musl-x86_64.so.1",
                        "7f5d50f9c000-7f5d50f9f000 rw-p 00000000 00:00 0 ")))
                .as("Alpine")
                .isFalse();
        assertThat(NativePlatform.haveGlibc(Stream.of(
                        "7f5d50f13000-7f5d50f28000 r--p 00000000 08:01 7 /usr/lib/x86_64-linux-musl/libc.so")))
                .as("Debian's musl")
                .isFalse();
    }

    @Test
    void tellsTheCLibraryOfThisProcess() throws Exception {
        assertThat(NativePlatform.current().musl()).isFalse();
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            assertThat(NativePlatform.haveGlibc(mappings)).isTrue();
        }
    }

    static List<String> otherPlatforms() {
        List<String> options = new ArrayList<>(List.of("-Dos.arch=aarch64", "-Dos.name=FreeBSD"));
        if (Jdk.ofThisJvm() == Jdk.JDK_25) {
            options.add("--illegal-native-access=deny");
        }
        return options;
    }

    /** One line, however often it is asked for. */
    @ParameterizedTest
    @MethodSource("otherPlatforms")
    void getsAnotherMeansOfAccessNoDirectEngineAndOneLineOfLog(String option) throws Exception {
        Result result = JavaProcess.of(Jdk.ofThisJvm(), AskTwice.class)
                .options(option)
                .run()
                .succeeded();
        assertThat(result.value("means")).isEqualTo("SUN_UNSAFE");
        assertThat(result.values("carver")).containsExactly("false", "false");
        List<String> lines = result.errors()
                .lines()
                .filter(line -> line.contains("direct engine off"))
                .toList();
        assertThat(lines).as(result.toString()).hasSize(1);
        assertThat(lines.get(0)).contains(option.startsWith("-D") ? "for this platform" : "IllegalCallerException");
    }

    /** Where only what is worth a warning is logged. */
    @Test
    void aCollectorThatKeepsTheDirectEngineOffIsWorthAWarning() throws Exception {
        Result result = JavaProcess.of(Jdk.ofThisJvm(), AskTwice.class)
                .options("-XX:+UseZGC")
                .run()
                .succeeded();
        assertThat(result.values("carver")).containsExactly("false", "false");
        assertThat(result.errors().lines().filter(line -> line.contains("direct engine off")))
                .singleElement()
                .asString()
                .startsWith("WARNING: ")
                .contains("moves objects while the program runs", "use -XX:+UseG1GC");
    }

    /** Nobody who wants it so has to be told. */
    @ParameterizedTest
    @CsvSource({"-Dheapspan.native.library=none", "-Dheapspan.access=unsafe"})
    void saysNothingWhereTheLibraryIsNotWanted(String option) throws Exception {
        Result result = JavaProcess.of(Jdk.ofThisJvm(), AskTwice.class)
                .options(option)
                .run()
                .succeeded();
        assertThat(result.values("carver")).containsExactly("false", "false");
        assertThat(result.errors()).doesNotContain("direct engine");
    }

    /** Main class of a child JVM. */
    static final class AskTwice {
        private AskTwice() {}

        public static void main(String[] arguments) {
            VirtualMachine machine = VirtualMachine.current();
            System.out.println("means=" + machine.means());
            for (int i = 0; i < 2; i++) {
                System.out.println("carver=" + (machine.carver() != null));
            }
        }
    }
}
