package org.heapspan.tests.fuzz;

import org.heapspan.tests.conformance.Samples;

/** Target of the coverage-guided fuzzer Jazzer: what the decoder throws at arbitrary bytes must have a category. */
public final class DecodeFuzzer {

    /** Which codec is fuzzed; Heapspan without checksums unless told. */
    static final String CODEC_PROPERTY = "heapspan.tests.fuzzCodec";

    private static final Samples SAMPLES = samples();

    private DecodeFuzzer() {}

    private static Samples samples() {
        try {
            return Samples.none(System.getProperty(CODEC_PROPERTY, "heapspan:unchecked"));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no decoder to fuzz", e);
        }
    }

    /**
     * Called by Jazzer.
     *
     * @param input bytes chosen by the fuzzer
     * @throws Exception a violation
     */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        try {
            Object unused = SAMPLES.decode(input);
        } catch (Exception e) {
            if (SAMPLES.category(e).isEmpty()) {
                throw e;
            }
        }
    }
}
