package org.heapspan.tests.conformance;

import java.util.SplittableRandom;

/**
 * Makes the identity hashes of this process differ from those of an identically started one.
 *
 * <p>HotSpot draws identity hashes from a per-thread generator with a fixed seed ({@code synchronizer.cpp}, JDK 17 to
 * 25, {@code -XX:hashCode=5}), so two JVMs started alike give their objects the same hashes and a map that was copied
 * without rehashing appears to work. Hashing a random number of objects first takes that luck away.
 */
final class Perturbation {

    private Perturbation() {}

    /** Call before anything of the corpus is loaded, on the thread that will run it. */
    static int spread(long seed) {
        int count = 1 + new SplittableRandom(seed).nextInt(50_000);
        int blended = 0;
        for (int i = 0; i < count; i++) {
            blended ^= System.identityHashCode(new Object());
        }
        return blended;
    }
}
