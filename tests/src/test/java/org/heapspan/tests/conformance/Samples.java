package org.heapspan.tests.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.heapspan.tests.conformance.ConformanceCase.Expected;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;
import org.heapspan.tests.conformance.ConformanceCase.Weight;

/** Valid encodings of the corpus, as a start for the fuzzers, and the decoder they belong to. */
public final class Samples {
    private static final int FLAGS_OFFSET = 6;
    private static final int FLAG_CLONE = 4;

    private final Codec codec;
    private final List<byte[]> encodings;
    private final List<byte[]> deep;
    private final int skipped;
    private final ClassLoader loader;

    private Samples(Codec codec, List<byte[]> encodings, List<byte[]> deep, int skipped, ClassLoader loader) {
        this.deep = deep;
        this.codec = codec;
        this.skipped = skipped;
        this.loader = loader;
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
        for (ConformanceCase each : chosen()) {
            skipped += add(codec, each.build(), each.mode(), maxBytes, encodings);
        }
        return new Samples(codec, List.copyOf(encodings), List.of(), skipped, Samples.class.getClassLoader());
    }

    /**
     * Encodes what {@link #encodedBy} does, in both modes, and structures within structures.
     *
     * @param codecName name of a codec with its route
     * @param maxBytes larger encodings are left out
     * @param loader where the decoder finds classes
     * @return the samples
     * @throws ReflectiveOperationException when there is no such codec
     */
    public static Samples seeds(String codecName, int maxBytes, ClassLoader loader)
            throws ReflectiveOperationException {
        Codec codec = Codec.named(codecName);
        List<byte[]> encodings = new ArrayList<>();
        int skipped = 0;
        for (TransientMode mode : TransientMode.values()) {
            for (ConformanceCase each : chosen()) {
                skipped += add(codec, each.build(), mode, maxBytes, encodings);
            }
        }
        for (Supplier<Object> each : Nestings.all()) {
            skipped += add(codec, each::get, TransientMode.SERIAL, maxBytes, encodings);
        }
        int shallow = encodings.size();
        for (Supplier<Object> each : Nestings.deep()) {
            skipped += add(codec, each::get, TransientMode.SERIAL, maxBytes, encodings);
        }
        List<byte[]> deep = List.copyOf(encodings.subList(shallow, encodings.size()));
        return new Samples(codec, List.copyOf(encodings), deep, skipped, loader);
    }

    private static List<ConformanceCase> chosen() {
        return Corpus.cases().stream()
                .filter(each -> each.weight() == Weight.NORMAL
                        && each.expected() != Expected.REFUSED_BY_SENDER
                        && !each.name().startsWith("large-")
                        && !each.name().startsWith("evolution-")
                        && each.mayRunOn(Runtime.version().feature()))
                .toList();
    }

    /** Adds an encoding, if there is one; returns how many there are not. */
    private static int add(
            Codec codec, ConformanceCase.Build<?> build, TransientMode mode, int maxBytes, List<byte[]> target) {
        try {
            byte[] bytes = codec.encode(build.build(), mode);
            if (bytes.length <= maxBytes) {
                target.add(bytes);
            }
            return 0;
        } catch (Exception | StackOverflowError e) {
            // The conformance suite reports it; here it is only one sample less.
            return 1;
        }
    }

    /**
     * Returns the decoder alone.
     *
     * @param codecName name of a codec with its route
     * @return no samples
     * @throws ReflectiveOperationException when there is no such codec
     */
    public static Samples none(String codecName) throws ReflectiveOperationException {
        return none(codecName, Samples.class.getClassLoader());
    }

    /**
     * Returns the decoder alone.
     *
     * @param codecName name of a codec with its route
     * @param loader where it finds classes
     * @return no samples
     * @throws ReflectiveOperationException when there is no such codec
     */
    public static Samples none(String codecName, ClassLoader loader) throws ReflectiveOperationException {
        return new Samples(Codec.named(codecName), List.of(), List.of(), 0, loader);
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
     * Returns encodings of what nests deeply.
     *
     * @return some of the encodings
     */
    public List<byte[]> deep() {
        return deep;
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
        // Of an image's header: what the writer's mode was. A reader of another mode drops or lacks fields.
        boolean isClone = input.length > FLAGS_OFFSET && (input[FLAGS_OFFSET] & FLAG_CLONE) != 0;
        TransientMode mode = isClone ? TransientMode.CLONE : TransientMode.SERIAL;
        return codec.decode(input, mode, Trust.DEFAULT, loader);
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
        return codec.name().endsWith("objects") || codec.name().equals("java");
    }

    /**
     * Tells whether the decoder trusts its input.
     *
     * @return whether classes may be loaded for their descriptions
     */
    public boolean isTrusting() {
        return codec.name().startsWith("heapspan:raw") || codec.name().startsWith("heapspan:second-heap");
    }

    /**
     * Tells whether nothing is decoded but looked at.
     *
     * @return whether decoding gives a report
     */
    public boolean isInspector() {
        return codec.name().equals("heapspan:inspect");
    }
}
