package org.heapspan.tests.conformance;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.tests.conformance.ConformanceCase.Expected;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;
import org.heapspan.tests.conformance.ConformanceCase.Weight;

/** Valid encodings of the corpus, as a start for the fuzzers, and the decoder they belong to. */
public final class Samples {

    private final Codec codec;
    private final List<byte[]> encodings;
    private final int skipped;
    private final ClassLoader loader = Samples.class.getClassLoader();

    private Samples(Codec codec, List<byte[]> encodings, int skipped) {
        this.codec = codec;
        this.skipped = skipped;
        this.encodings = encodings;
    }

    /**
     * Encodes every case that can be encoded and is not too large.
     *
     * @param codecName name of a codec with its route, such as {@code heapspan:unchecked}
     * @param maxBytes larger encodings are left out
     * @return the samples
     * @throws ReflectiveOperationException when there is no such codec
     */
    public static Samples encodedBy(String codecName, int maxBytes) throws ReflectiveOperationException {
        Codec codec = Codec.named(codecName);
        List<byte[]> encodings = new ArrayList<>();
        int skipped = 0;
        for (ConformanceCase each : Corpus.cases()) {
            if (each.weight() != Weight.NORMAL
                    || each.expected() == Expected.REFUSED_BY_SENDER
                    || each.name().startsWith("large-")
                    || each.name().startsWith("evolution-")
                    || !each.mayRunOn(Runtime.version().feature())) {
                continue;
            }
            try {
                byte[] bytes = codec.encode(each.build().build(), each.mode());
                if (bytes.length <= maxBytes) {
                    encodings.add(bytes);
                }
            } catch (Exception | StackOverflowError e) {
                // The conformance suite reports it; here it is only one sample less.
                skipped++;
            }
        }
        return new Samples(codec, List.copyOf(encodings), skipped);
    }

    /**
     * Returns the decoder alone.
     *
     * @param codecName name of a codec with its route
     * @return no samples
     * @throws ReflectiveOperationException when there is no such codec
     */
    public static Samples none(String codecName) throws ReflectiveOperationException {
        return new Samples(Codec.named(codecName), List.of(), 0);
    }

    /**
     * Returns the encodings.
     *
     * @return valid encodings, not to be changed
     */
    public List<byte[]> encodings() {
        return encodings;
    }

    /**
     * Returns how many cases could not be encoded.
     *
     * @return number of cases left out because the codec failed on them
     */
    public int skipped() {
        return skipped;
    }

    /**
     * Decodes as a receiver that trusts nothing would.
     *
     * @param input any bytes
     * @return what was decoded
     * @throws Exception what the codec throws
     */
    public Object decode(byte[] input) throws Exception {
        return codec.decode(input, TransientMode.SERIAL, Trust.DEFAULT, loader);
    }

    /**
     * Encodes and decodes.
     *
     * @param root any graph
     * @param classLoader where the classes of the graph are found
     * @return the copy
     * @throws Exception what the codec throws
     */
    public Object roundTrip(Object root, ClassLoader classLoader) throws Exception {
        return codec.decode(codec.encode(root, TransientMode.SERIAL), TransientMode.SERIAL, Trust.DEFAULT, classLoader);
    }

    /**
     * Returns the category of a refusal.
     *
     * @param refusal what {@link #decode(byte[])} threw
     * @return name of the category, or nothing when the refusal has none
     */
    public String category(Throwable refusal) {
        return codec.category(refusal);
    }

    /**
     * Tells whether a checksum covers the whole of each encoding but for its header.
     *
     * @return whether any other altered byte must lead to a refusal
     */
    public boolean isChecked() {
        return codec.name().equals("heapspan:bytes") || codec.name().equals("heapspan:raw");
    }

    /**
     * Tells whether the codec is a stream with the exceptions of {@code java.io}.
     *
     * @return whether IOException may come of hostile input
     */
    public boolean isStream() {
        return codec.name().endsWith(":objects") || codec.name().equals("java");
    }
}
