package org.heapspan.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The processor time of processes that have ended. */
final class EndedProcessesTest {
    private static final String BUSY = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done";

    @Test
    void whatAProcessTookIsCountedWhenItHasEnded() throws IOException, InterruptedException {
        double before = EndedProcesses.cpuSeconds();
        // A shell that starts another and waits for it.
        Process process = new ProcessBuilder("sh", "-c", "sh -c '" + BUSY + "'; true").start();
        assertThat(process.waitFor()).isZero();
        assertThat(EndedProcesses.cpuSeconds() - before).isBetween(0.02, 20.0);
    }
}
