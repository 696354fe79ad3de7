package org.heapspan.tests.conformance;

import java.util.List;

/**
 * One promise of the fidelity page: a graph built in the sending process and what must hold in the receiving one.
 *
 * @param name unique, stable, usable as a file name
 * @param row the line of the fidelity page this case stands for
 * @param build makes the graph; runs in the sender only
 * @param verify checks meaning, not only equality; runs in the receiver only
 * @param expected what must come of it with Heapspan
 * @param expectedOfPeers what must come of it with other serializers
 * @param mentions texts a refusal must contain, such as the path from the root and the class
 * @param category category a refusal must carry
 * @param mode whether transient fields are cleared or kept
 * @param trust whether the receiver names the corpus's own classes as allowed
 * @param weight when the case is run
 * @param needsRawMemory whether a JVM with nothing but reflection may refuse it, by name and with category ACCESS
 * @param minimumJava oldest JVM, on either side, that has the classes used
 * @param note what the peers do, where that is worth knowing
 */
record ConformanceCase(
        String name,
        String row,
        Build<?> build,
        Verify<Object> verify,
        Expected expected,
        Expected expectedOfPeers,
        List<String> mentions,
        String category,
        TransientMode mode,
        Trust trust,
        Weight weight,
        boolean needsRawMemory,
        int minimumJava,
        String note) {

    /** What must come of a case. */
    enum Expected {
        /** Decodes, and the verifier holds. */
        ARRIVES,
        /** Encoding refuses with the named texts. */
        REFUSED_BY_SENDER,
        /** Decoding refuses with the named texts. */
        REFUSED_BY_RECEIVER,
        /** Either a proper refusal or an arrival that holds; for peers only, as Heapspan's policy decides between the two. */
        ARRIVES_OR_REFUSED
    }

    /** What happens to transient fields. */
    enum TransientMode {
        SERIAL,
        CLONE
    }

    /** What the receiver lets in. */
    enum Trust {
        /** The default: Serializable classes only. */
        DEFAULT,
        /** The corpus's classes are allowed by pattern, Serializable or not. */
        CORPUS_ALLOWED,
        /** Every class is allowed by its name. */
        ALL_ALLOWED
    }

    /** When a case is run. */
    enum Weight {
        NORMAL,
        /** Once or twice per run, not on every combination. */
        HEAVY,
        /** In the soak run only. */
        SOAK,
        /** In the soak run only, where the image need not fit into an array. */
        OVER_2_GB
    }

    @FunctionalInterface
    interface Build<T> {
        T build() throws Exception;
    }

    @FunctionalInterface
    interface Verify<T> {
        void verify(T received) throws Exception;
    }

    boolean mayRunOn(int javaFeature) {
        return javaFeature >= minimumJava;
    }
}
