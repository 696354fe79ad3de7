package org.heapspan.tests.fuzz;

import java.util.List;
import org.heapspan.tests.conformance.Samples;

/** Target of the coverage-guided fuzzer Jazzer: what comes of arbitrary bytes must pass {@link InputCheck}. */
public final class DecodeFuzzer {

    /** Which codec is fuzzed; Heapspan without checksums unless told. */
    public static final String CODEC_PROPERTY = "heapspan.tests.fuzzCodec";

    /** The ways of bytes into a process. The portable engine reads them: the direct one trusts bytes without checksums. */
    public static final List<String> ROUTES = List.of(
            "heapspan:unchecked",
            "heapspan:unchecked-stream",
            "heapspan:unchecked-objects",
            "heapspan:unchecked-group",
            "heapspan:inspect",
            "heapspan:raw-unchecked-group",
            "heapspan:second-heap-unchecked");

    private static final InputCheck CHECK = check();

    private DecodeFuzzer() {}

    private static InputCheck check() {
        try {
            RecordingLoader loader = new RecordingLoader();
            String codec = System.getProperty(CODEC_PROPERTY, "heapspan:unchecked");
            return new InputCheck(Samples.none(codec, loader), loader, codec);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no decoder to fuzz", e);
        }
    }

    /**
     * Called by Jazzer.
     *
     * @param input bytes chosen by the fuzzer
     */
    public static void fuzzerTestOneInput(byte[] input) {
        String violation = CHECK.decode(input);
        if (!violation.isEmpty()) {
            throw new AssertionError(violation);
        }
    }
}
