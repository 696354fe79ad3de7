package org.heapspan.benchmarks.giraph;

import java.io.IOException;

/** Finds the least memory with which a job succeeds. */
final class LeastMemory {
    private LeastMemory() {}

    /** Runs the job with so much memory. */
    interface Trial {
        boolean succeeds(int megabytes) throws IOException, InterruptedException;
    }

    /**
     * Tries the most memory first. If that suffices, it halves what is between too little and enough, until they are a step apart.
     *
     * @param tooLittleMegabytes with which no job succeeds; this is not tried
     * @param stepMegabytes between sizes that are tried
     * @throws IllegalArgumentException if the most memory is not a step more than too little
     */
    static void search(int tooLittleMegabytes, int mostMegabytes, int stepMegabytes, Trial trial)
            throws IOException, InterruptedException {
        int fails = 0;
        int suffices = (mostMegabytes - tooLittleMegabytes) / stepMegabytes;
        if (suffices < 1) {
            throw new IllegalArgumentException("--memory=" + mostMegabytes + " is too little for --least="
                    + stepMegabytes + "; expected at least " + (tooLittleMegabytes + stepMegabytes));
        }
        if (!trial.succeeds(tooLittleMegabytes + suffices * stepMegabytes)) {
            return;
        }
        while (suffices - fails > 1) {
            int middle = (fails + suffices) / 2;
            if (trial.succeeds(tooLittleMegabytes + middle * stepMegabytes)) {
                suffices = middle;
            } else {
                fails = middle;
            }
        }
    }
}
