package org.heapspan.tests.spark;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.testing.Hosts;
import org.heapspan.testing.SmallDevice;

/** File systems of a few megabytes. Only root can mount them. */
final class SmallDevices {
    private SmallDevices() {}

    /** Mounts one at a folder, which is made; or says that the test does not apply. */
    static SmallDevice at(Path folder, int megabytes) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        try {
            return new SmallDevice(folder, megabytes << 20);
        } catch (Hosts.UnavailableException e) {
            return abort("does not apply: " + e.getMessage());
        }
    }
}
