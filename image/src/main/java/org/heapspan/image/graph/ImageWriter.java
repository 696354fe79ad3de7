package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.NUMBER_LIMIT_BYTES;
import static org.heapspan.image.format.ImageFormat.TAG_NULL;

import java.io.ObjectOutputStream;
import org.heapspan.image.format.FrameSink;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.Restart;
import org.jspecify.annotations.Nullable;

/**
 * Writes object graphs as an image in the compact encoding ({@link ImageFormat}). It writes records that share no objects, or roots within
 * one scope. {@link ReferenceWriter} writes the objects below a root. {@link RawOutput} uses this class to write raw images.
 *
 * <p>If other threads change a graph while it is written, the image has a mix of old and new values, and is still valid. Not thread-safe;
 * pools of the engine provide writers.
 */
public final class ImageWriter extends ReferenceWriter {
    /** Codec of the latest record: records of a kind come in rows. */
    private @Nullable Codec rootCodec;

    /** Tag of {@link #rootCodec} in this image, or -1 until it is known. */
    private int rootTag;

    /** Class of {@link #rootCodec} once its tag is known and {@link #writeBare} suits it. */
    private @Nullable Class<?> bareClass;

    private int bareBytes;

    /** Whether {@link #rootCodec} stays from one image to the next. */
    private boolean keepsCodecs;

    private int markObjects;

    /** Whether a record is being written that must be taken back if its objects move, and that could not be if a frame of it left. */
    private boolean mustHoldFrames;

    private final RawOutput.Maker rawMaker;
    private @Nullable RawOutput rawWriter;
    private @Nullable ObjectOutputStream hookOutput;

    /** What this has written and {@code EngineCounters} may not know yet. */
    public final Tally tally = new Tally();

    /**
     * Creates a writer.
     *
     * @param rawMaker what makes the part that writes raw images
     */
    public ImageWriter(
            CodecRegistry registry,
            @Nullable RegisteredTypes registeredTypes,
            @Nullable FindableClasses findable,
            RawOutput.Maker rawMaker) {
        super(registry, registeredTypes, findable);
        this.rawMaker = rawMaker;
    }

    /**
     * Begins an image.
     *
     * @param newFlags {@code ImageFormat.FLAG_*}
     * @param newSink where frames go as they fill up; {@code null} to collect them
     */
    public void begin(int newFlags, @Nullable FrameSink newSink) {
        begin(newFlags, newSink, null);
    }

    /** For images with one record that are mostly alike: codecs are kept from one image to the next, until {@link #release}. */
    public void keepCodecs() {
        keepsCodecs = true;
        keepTypes();
    }

    /** Begins an image in memory that can only be read together with its handover ({@link FrameReader#take}). */
    public void beginCopy(int newFlags, Handover handover) {
        begin(newFlags, null, handover);
    }

    /** Ends an image that {@link #beginCopy} began, and completes its handover. */
    public byte[] endCopy(Handover handover) {
        Codec[] codecs = types();
        for (int number = 0; number < codecs.length; number++) {
            codecs[number] = registry.readerOf(codecs[number]);
        }
        handover.setTypes(codecs);
        return endToArray();
    }

    private void begin(int newFlags, @Nullable FrameSink newSink, @Nullable Handover handover) {
        raw = null;
        beginFrames(newFlags, newSink, handover);
        beginIdentity();
        if (!keepsCodecs) {
            rootCodec = null;
        }
        dropUnfinished();
    }

    /** Begins an image in the raw encoding, of which {@link RawOutput} writes the most; as {@link #begin} where it cannot be. */
    public void beginRaw(int newFlags, @Nullable FrameSink newSink) {
        begin(newFlags, newSink);
        RawOutput writer = rawWriter;
        if (writer == null) {
            writer = rawMaker.of(this);
            if (writer == null) {
                return;
            }
            rawWriter = writer;
        }
        raw = writer;
        writer.begin();
    }

    @Override
    ImageWriter self() {
        return this;
    }

    // ---------------------------------------------------------------- raw images

    @Override
    public int encoding() {
        return raw == null ? ImageFormat.ENCODING_COMPACT : ImageFormat.ENCODING_RAW;
    }

    @Override
    void completeBody() {
        if (raw != null) {
            raw.placeChunk();
        }
    }

    @Override
    boolean hasBody() {
        return super.hasBody() || raw != null && raw.hasRoots();
    }

    @Override
    boolean keepsFrames() {
        return raw != null && raw.keepsFrames();
    }

    @Override
    void frameEnded(int keptEnd) {
        if (raw != null) {
            raw.frameEnded(keptEnd);
        }
    }

    @Override
    public long sizeBytes() {
        return super.sizeBytes() + (raw == null ? 0 : raw.sizeBytes());
    }

    // ---------------------------------------------------------------- records

    /** Forgets the types and objects of the stream so far: what follows is understood without it. */
    public void clearScope() {
        forgetObjects();
        dropUnfinished();
    }

    private void dropUnfinished() {
        rootTag = -1;
        bareClass = null;
        dropNested();
    }

    /** Writes a record that shares nothing with the records before and after it. */
    public void writeRecord(@Nullable Object root) {
        if (raw != null) {
            raw.writeRecord(root);
            return;
        }
        if (root == null) {
            writeTagByte(TAG_NULL);
            return;
        }
        Codec codec = rootCodec;
        if (codec == null || codec.type != root.getClass()) {
            codec = registry.codecOf(root.getClass());
            rootCodec = codec;
            rootTag = -1;
            bareClass = null;
        }
        if (codec.has(Codec.LEAF | Codec.SELF_CONTAINED)) {
            // Nothing can refer to it, so that there is nothing to keep track of.
            position = codec.writeAt(this, root, null, writeRootTag(codec));
            return;
        }
        if (Access.ADDRESS_BITS && !sharesObjects() && !repeatsObjects() && codec.rootTriesBits() && triesBits()) {
            boolean done = writeByBits(codec, root);
            learnBits(done);
            if (done) {
                return;
            }
        }
        clearScope();
        if (codec.has(Codec.TRACKED)) {
            table().skip(root);
        }
        writeNew(codec, root, null);
        writeDeferred(0);
    }

    private boolean writeByBits(Codec codec, Object root) {
        if (expectsTree()) {
            if (writeByBits(codec, root, true)) {
                learn(true);
                return true;
            }
            if (restartReason() != Reason.SHARED) {
                return false;
            }
            learn(false);
        }
        return writeByBits(codec, root, false);
    }

    private boolean writeByBits(Codec codec, Object root, boolean tree) {
        int start = position;
        int startTypes = typeCount();
        boolean canBeginAnew = canBeginAnew();
        int pauses = Access.ADDRESSES.pauses();
        try {
            beginBits(tree, pauses);
            mustHoldFrames = !canBeginAnew;
            if (codec.has(Codec.TRACKED)) {
                track(root, bitsOf(root));
            }
            writeNew(codec, root, null);
            writeAllDeferred();
            if (Access.ADDRESSES.pauses() == pauses) {
                codec.learnRoot(false);
                return true;
            }
            restart(Reason.CHANGED);
        } catch (Restart unsuitable) {
            if (restartReason() == Reason.HOOKS) {
                codec.learnRoot(true);
            }
        } finally {
            mustHoldFrames = false;
        }
        if (canBeginAnew) {
            beginAnew();
        } else {
            cutTo(start, startTypes);
        }
        dropUnfinished();
        return false;
    }

    /**
     * Writes a record like the one before it if that holds nothing but numbers, and there is room for it: nothing can fail on the
     * way, so that no mark is needed. Only in images of records.
     *
     * @return whether it has been written
     */
    public boolean writeBare(Object root) {
        Codec codec = rootCodec;
        int p = position;
        if (root.getClass() != bareClass || codec == null || bareBytes > buffer.length - p) {
            return false;
        }
        position = codec.writeAt(this, root, null, ImageFormat.putNumber(buffer, p, rootTag));
        return true;
    }

    /** Whether the latest record holds nothing but numbers, so that {@link #writeBareAlone} suits the next one. */
    public boolean isBare() {
        return bareClass != null;
    }

    /** As {@link #writeBare}, in place of the record before it, which must be the only one. */
    public boolean writeBareAlone(Object root) {
        restartBody();
        return writeBare(root);
    }

    /**
     * As {@link #writeBare}, for as many records as it suits; in either encoding.
     *
     * @return the first record that has not been written, or {@code end}
     */
    public int writeBareRow(@Nullable Object[] records, int start, int end) {
        if (raw != null) {
            return raw.writeRow(records, start, end);
        }
        Codec codec = rootCodec;
        return codec == null || bareClass == null ? start : codec.writeRow(this, records, start, end, rootTag);
    }

    private int writeRootTag(Codec codec) {
        int tag = rootTag;
        if (tag < 0) {
            tag = tagOf(codec);
            rootTag = tag;
            if (codec.mostBytes > 0) {
                bareClass = codec.type;
                bareBytes = codec.mostBytes + NUMBER_LIMIT_BYTES;
            }
        }
        return writeNumberAt(position, tag);
    }

    // ---------------------------------------------------------------- roots within one scope

    /** Writes a root whose objects may be shared with roots before and after it. */
    public void writeSharedRoot(@Nullable Object root) {
        clearRoom();
        endBits();
        writeSection(root);
    }

    /** Writes a root that is a new object for the reader, whether it was written before or not, and that nothing refers to. */
    public void writeUnsharedRoot(@Nullable Object root) {
        endBits();
        int section = beginSection();
        Codec codec = root == null ? null : registry.codecOf(root.getClass());
        if (root == null || codec == null || !codec.has(Codec.TRACKED)) {
            writeReference(root);
        } else {
            // It takes its number, under which nobody finds it.
            table().skip(new Object());
            writeNew(codec, root, null);
        }
        endSection(section);
    }

    // ---------------------------------------------------------------- marks

    /** Makes the image what it was at the mark, for a record that cannot be written. */
    public void rollBackToMark() {
        cutToMark(raw == null ? 0 : raw.insertedBytes());
        if (raw != null) {
            raw.takeBackRecord();
        }
        clearScope();
    }

    /** As {@link #mark}, for a record that may share objects with those before it. */
    public void markInScope() {
        mark();
        markObjects = table().count();
    }

    /** As {@link #rollBackToMark}, back to {@link #markInScope}: what the scope knew there it still knows. */
    public void rollBackInScope() {
        cutToMark(0);
        table().cutTo(markObjects);
        dropUnfinished();
    }

    @Override
    void beforeFrameLeaves() {
        if (mustHoldFrames) {
            // What has left cannot be written again.
            throw restart(Reason.CHANGED);
        }
    }

    // ---------------------------------------------------------------- hooks, the end

    /** The object stream on which hooks of user classes write into this image; null if there is none yet. */
    @Nullable
    public ObjectOutputStream hookOutput() {
        return hookOutput;
    }

    public void setHookOutput(ObjectOutputStream output) {
        hookOutput = output;
    }

    /** Lets go of everything that belongs to the image, so that a pooled writer keeps no object or class alive. */
    public void release() {
        if (isAbandoned()) {
            return;
        }
        releaseFrames();
        releaseIdentity();
        dropUnfinished();
        rootCodec = null;
        if (rawWriter != null) {
            rawWriter.release();
        }
    }
}
