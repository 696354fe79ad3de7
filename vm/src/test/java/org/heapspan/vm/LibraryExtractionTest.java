package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.JavaProcess.Jdk;
import org.heapspan.testing.JavaProcess.Result;
import org.heapspan.testing.SmallDisk;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Unpacking the library into folders that do not take it: real file systems, mounted for one process only. Skipped where the system
 * lets nobody mount (needs {@code unshare} and user namespaces).
 */
@Tag("once")
final class LibraryExtractionTest {
    private static final String[] NOWHERE_ELSE = {
        "-Djava.io.tmpdir=/nowhere", "-Duser.home=/nowhere", "-Duser.dir=/nowhere"
    };

    private static void assumeMounting(Path folder) throws InterruptedException {
        assumeThat(SmallDisk.isPossible(folder))
                .as("a file system can be mounted")
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "JDK_17, size=8k, No space left on device",
        "JDK_25, size=8k, No space left on device",
        "JDK_17, 'size=1m,noexec', failed to map segment from shared object",
        "JDK_25, 'size=1m,noexec', failed to map segment from shared object",
        "JDK_17, 'size=1m,ro', Read-only file system",
        "JDK_25, 'size=1m,ro', Read-only file system"
    })
    void worksWithoutTheLibraryAndSaysWhy(Jdk jdk, String mountOptions, String reason, @TempDir Path folder)
            throws Exception {
        assumeMounting(folder);
        Result result = JavaProcess.of(jdk, VirtualMachineReport.class)
                .within(SmallDisk.mounting(mountOptions, folder))
                .options(NOWHERE_ELSE)
                .options("-Dheapspan.native.dir=" + folder)
                .run()
                .succeeded();
        assertThat(result.value("means")).isEqualTo("SUN_UNSAFE");
        assertThat(result.value("roundTrip")).isEqualTo("ok");
        assertThat(result.values("finding"))
                .anyMatch(f -> f.startsWith("native library|not in use|" + folder + ": ") && f.contains(reason));
        assertThat(result.value("left")).as("half a file").isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void saysOnceThatThereIsNoDirectEngineWhereTheFolderIsMountedNoexec(Jdk jdk, @TempDir Path folder)
            throws Exception {
        assumeMounting(folder);
        Result result = JavaProcess.of(jdk, NativePlatformTest.AskTwice.class)
                .within(SmallDisk.mounting("size=1m,noexec", folder))
                .options(NOWHERE_ELSE)
                .options("-Dheapspan.native.dir=" + folder)
                .run()
                .succeeded();
        assertThat(result.values("carver")).containsExactly("false", "false");
        assertThat(result.errors().lines().filter(line -> line.contains("direct engine off")))
                .hasSize(1)
                .allMatch(line -> line.contains("failed to map segment from shared object"));
    }

    @ParameterizedTest
    @EnumSource
    void goesOnToTheNextFolderWhereOneIsFull(Jdk jdk, @TempDir Path folder, @TempDir Path next) throws Exception {
        assumeMounting(folder);
        Result result = JavaProcess.of(jdk, VirtualMachineReport.class)
                .within(SmallDisk.mounting("size=8k", folder))
                .options("-Djava.io.tmpdir=" + next, "-Dheapspan.native.dir=" + folder)
                .run()
                .succeeded();
        assertThat(result.value("means")).isEqualTo("NATIVE_LIBRARY");
        assertThat(result.value("left")).isEmpty();
        assertThat(next).isEmptyDirectory();
    }

    @ParameterizedTest
    @EnumSource
    void nobodyElseCanReplaceItBeforeItIsLoaded(Jdk jdk, @TempDir Path folder) throws Exception {
        Files.setAttribute(folder, "unix:mode", 0777);
        Result result = JavaProcess.of(jdk, VirtualMachineReport.class)
                .options(NOWHERE_ELSE)
                .options("-Dheapspan.native.dir=" + folder)
                .run()
                .succeeded();
        assertThat(result.value("means")).isEqualTo("SUN_UNSAFE");
        assertThat(result.values("finding"))
                .anyMatch(f -> f.startsWith("native library|not in use|" + folder + ": ") && f.contains("mode 777"));
        assertThat(folder).isEmptyDirectory();

        Files.setAttribute(folder, "unix:mode", 01777);
        assertThat(JavaProcess.of(jdk, VirtualMachineReport.class)
                        .options(NOWHERE_ELSE)
                        .options("-Dheapspan.native.dir=" + folder)
                        .run()
                        .succeeded()
                        .value("means"))
                .isEqualTo("NATIVE_LIBRARY");
    }
}
