package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system of a few megabytes, in memory. Only root can mount one. */
final class SmallDevice implements AutoCloseable {
    private final Path folder;

    private SmallDevice(Path folder) {
        this.folder = folder;
    }

    /** Mounts one at a folder, which is made; or says that the test does not apply. */
    static SmallDevice at(Path folder, int megabytes) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        int code = run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", folder.toString());
        assumeTrue(code == 0, "does not apply: only root can mount a file system, and mount ended with " + code);
        return new SmallDevice(folder);
    }

    Path folder() {
        return folder;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        assertThat(run("umount", folder.toString())).as("exit code of umount").isZero();
    }

    private static int run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
