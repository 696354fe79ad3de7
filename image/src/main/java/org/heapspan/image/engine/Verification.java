package org.heapspan.image.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.PrintableText;
import org.heapspan.image.format.RecordedInput;
import org.heapspan.image.format.StreamSource;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeResolver;
import org.heapspan.image.memory.Access;
import org.heapspan.image.raw.RawImageReader;
import org.heapspan.image.raw.RawImageWriter;
import org.heapspan.image.statistics.EngineCounters;
import org.heapspan.vm.Carver;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a share of the raw images by both engines and compares what comes out, each result encoded again in the compact encoding. If they
 * differ, the portable engine is believed and the direct one switched off for the rest of the process.
 *
 * <p>What the compact encoding leaves out may differ: identity of boxes, capacities, cached hash codes. Two results of the portable engine may
 * differ too: containers that hash by identity are written in another order each time, hooks may look at the clock. So the portable engine
 * decodes again before anything is called a difference, and where its own results are not alike nothing is concluded. Thread-safe.
 */
final class Verification {
    /** So often the portable engine has to agree with itself before it is believed against the direct one. */
    private static final int PORTABLE_ROUNDS = 3;

    /** Nobody's file or link that is there already is written to. */
    private static final Set<StandardOpenOption> NEW_FILE =
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final double share;
    private final TypeResolver resolver;
    private final CodecRegistry registry;

    /**
     * Creates a verification.
     *
     * @param share how many of the images, more than 0 to 1
     */
    Verification(double share, TypeResolver resolver, CodecRegistry registry) {
        this.share = share;
        this.resolver = resolver;
        this.registry = registry;
    }

    /** Whether the next image shall be decoded twice, if the direct engine has a part in it. */
    boolean choosesNext() {
        return (share >= 1 || ThreadLocalRandom.current().nextDouble() < share) && Access.MACHINE.carver() != null;
    }

    /** Whether this image shall be decoded twice. */
    boolean chooses(byte[] image, int offset, int length) {
        return length > ImageFormat.ENCODING_OFFSET
                && image[offset + ImageFormat.ENCODING_OFFSET] == ImageFormat.ENCODING_RAW
                && choosesNext();
    }

    /** What an engine made of an image: a graph or a failure. */
    record Result(@Nullable Object root, @Nullable Throwable failure) {
        static Result of(Supplier<@Nullable Object> decoder) {
            try {
                return new Result(decoder.get(), null);
            } catch (VirtualMachineError e) {
                throw e;
            } catch (Throwable e) { // hooks of user classes may fail with anything
                return new Result(null, e);
            }
        }

        @Nullable
        Object orFailure() {
            if (failure != null) {
                throw Access.<RuntimeException>sneaky(failure);
            }
            return root;
        }
    }

    /** Decodes a single graph by both engines. */
    @Nullable
    Object decode(byte[] image) {
        return decode(() -> new FrameSource.OfArray(image, 0, image.length), () -> image);
    }

    /** Decodes a single graph by both engines from a stream, reading no further than its end. */
    @Nullable
    Object decodeFrom(InputStream stream) {
        var recorded = new RecordedInput(stream);
        return decode(() -> new StreamSource(recorded.replay(), true), recorded::bytes);
    }

    /**
     * Decodes a single graph by both engines.
     *
     * @param source gives the image, from its beginning each time
     * @param image all of its bytes, for the user
     */
    @Nullable
    Object decode(Supplier<FrameSource> source, Supplier<byte[]> image) {
        ImageReader reader = new ImageReader(resolver, RawImageReader::new);
        Result direct = Result.of(() -> ImageEngine.readCounted(reader, source.get()));
        RawImageReader raw = RawImageReader.of(reader);
        boolean carved = raw != null && raw.carvedChunks() > 0;
        EngineCounters.handOver(reader);
        if (!carved) {
            // The portable engine did it all.
            return direct.orFailure();
        }
        Supplier<@Nullable Object> portable = () -> ImageEngine.read(RawImageReader.portable(resolver), source.get());
        return compared(direct, portable, portable, image).result().orFailure();
    }

    /** What a comparison has come to. */
    enum Verdict {
        EQUAL,
        INCONCLUSIVE,
        DIFFERENT
    }

    /**
     * What a comparison has come to.
     *
     * @param result what the program shall get
     */
    record Outcome(Verdict verdict, Result result) {}

    /**
     * Compares what both engines make of a graph.
     *
     * @param portable decodes it with the portable engine
     * @param again decodes it once more with the portable engine
     * @param image the image, for the user
     */
    Outcome compared(
            Result direct,
            Supplier<@Nullable Object> portable,
            Supplier<@Nullable Object> again,
            Supplier<byte[]> image) {
        if (isCircumstance(direct.failure)) {
            return inconclusive(direct);
        }
        Result expected = Result.of(portable);
        if (expected.failure != null) {
            // The image is damaged, and the direct engine checks less.
            return inconclusive(expected);
        }
        try {
            byte[] bytes = encoded(expected.root);
            String difference = difference(direct, bytes);
            if (difference == null) {
                EngineCounters.verifiedEqual();
                return new Outcome(Verdict.EQUAL, direct);
            }
            if (isRepeatable(expected.root, bytes, again)) {
                EngineCounters.verifiedDifferent();
                report(difference, expected.root, image.get());
                return new Outcome(Verdict.DIFFERENT, expected);
            }
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            // Nothing is wrong with what was decoded: only the comparison could not be made.
        }
        return inconclusive(expected);
    }

    private static Outcome inconclusive(Result result) {
        EngineCounters.verifiedInconclusive();
        return new Outcome(Verdict.INCONCLUSIVE, result);
    }

    /** Whether a failure has to do with the stack, the limits or the source, and not with what the image holds. */
    private static boolean isCircumstance(@Nullable Throwable failure) {
        return failure instanceof HeapspanException e
                && (e.category() == Category.LIMIT || e.category() == Category.IO);
    }

    private @Nullable String difference(Result direct, byte[] expected) {
        Throwable failure = direct.failure;
        if (failure != null) {
            return "it failed with " + failure;
        }
        byte[] found;
        try {
            found = encoded(direct.root);
        } catch (RuntimeException e) {
            return "what it made cannot be encoded again: " + e;
        }
        int place = Arrays.mismatch(found, expected);
        return place < 0
                ? null
                : "encoded again, the " + found.length + " bytes of its result and the " + expected.length
                        + " of the portable engine's differ from byte " + place + " on";
    }

    private byte[] encoded(@Nullable Object root) {
        ImageWriter writer = new ImageWriter(registry, null, null, RawImageWriter::of);
        writer.begin(ImageFormat.FLAG_RECORD_SCOPE, null);
        writer.writeRecord(root);
        return writer.endToArray();
    }

    /** Whether the portable engine and the encoder come to the same bytes again and again, and not by chance. */
    private boolean isRepeatable(@Nullable Object root, byte[] expected, Supplier<@Nullable Object> again) {
        try {
            long hash = KeyHashes.of(registry, root);
            for (int round = 0; round < PORTABLE_ROUNDS; round++) {
                Object other = again.get();
                if (!Arrays.equals(encoded(other), expected) || KeyHashes.of(registry, other) != hash) {
                    return false;
                }
            }
            return Arrays.equals(encoded(root), expected);
        } catch (RuntimeException e) {
            return false;
        }
    }

    private static void report(String difference, @Nullable Object root, byte[] image) {
        String saved = saved(image);
        String what = PrintableText.of("the direct engine decoded a raw image of " + image.length + " bytes ("
                + (root == null ? "null" : root.getClass().getName()) + ") wrongly: "
                + difference + "; " + saved);
        Carver carver = EngineCounters.carver;
        if (carver != null) {
            carver.switchOff(what);
        }
        System.getLogger("org.heapspan")
                .log(
                        System.Logger.Level.ERROR,
                        what
                                + "; the portable result is used, and the portable engine from now on; please report this");
    }

    /** Keeps an image for whoever looks for the defect, if the user said where; says what has become of it. */
    private static String saved(byte[] image) {
        Path folder = VerificationSetting.dumpFolder();
        if (folder == null) {
            return "it was not kept (-D" + VerificationSetting.DUMP_PROPERTY + "=DIRECTORY keeps the next one)";
        }
        try {
            Path file = folder.resolve("heapspan-difference-" + UUID.randomUUID() + ".image");
            try (SeekableByteChannel channel = Files.newByteChannel(file, NEW_FILE, ownerOnly(folder))) {
                ByteBuffer remaining = ByteBuffer.wrap(image);
                while (remaining.hasRemaining()) {
                    channel.write(remaining);
                }
            }
            return "it is kept in " + file;
        } catch (IOException | SecurityException e) {
            return "it could not be kept in " + folder + ": " + e;
        }
    }

    /** Readable by this user only, as images hold what the program has. */
    private static FileAttribute<?>[] ownerOnly(Path folder) {
        return folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
