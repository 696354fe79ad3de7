package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.jspecify.annotations.Nullable;

/**
 * Reads object graphs from an image in the compact encoding. This is the portable engine. It checks every byte against the format, the
 * limits and the classes, because an image may come from an attacker. A length in an image never decides alone how much is allocated.
 *
 * <p>After the objects of a section, it fills hash containers whose keys may have other hash codes here. Then it calls hooks of user
 * classes. {@code docs/formats/image.md} specifies the order.
 *
 * <p>Not thread-safe; pools of the engine provide readers.
 */
public final class ImageReader extends ReferenceReader {
    // Records of a kind come in rows: the byte with which the latest began, and the codec it stands for, if it was the
    // tag of a type that the image describes.
    public int rowByte;
    private @Nullable Codec rowCodec;

    /** How many records the latest {@link #readRow} has put into its array, even if it failed. */
    private int rowEnd;

    private final List<Update> updates = new ArrayList<>(0);
    private @Nullable HookInput hookInput;
    private final RawInput.Maker rawMaker;
    private @Nullable RawInput rawReader;

    /** What this has read and {@code EngineCounters} may not know yet. */
    public final Tally tally = new Tally();

    /**
     * Creates a reader.
     *
     * @param rawMaker what makes the part that reads raw images
     */
    public ImageReader(TypeResolver resolver, RawInput.Maker rawMaker) {
        super(resolver);
        this.rawMaker = rawMaker;
    }

    /** {@code ImageFormat.ENCODING_*} of the image. */
    public int encoding() {
        return raw == null ? ImageFormat.ENCODING_COMPACT : ImageFormat.ENCODING_RAW;
    }

    /** Begins an image: reads its header. */
    public void begin(FrameSource newSource) {
        clearScope();
        raw = null;
        rowCodec = null;
        setFirstIndex(0);
        beginFrames(newSource);
        beginIdentity(
                (flags() & ImageFormat.FLAG_NO_BACK_REFERENCES) == 0, (flags() & ImageFormat.FLAG_SHARED_OBJECTS) != 0);
    }

    /** Forgets the objects read so far; the next one has index 0. */
    public void clearScope() {
        forgetObjects();
        dropNested();
        updates.clear();
        if (hookInput != null) {
            hookInput.clear();
        }
    }

    @Override
    ImageReader self() {
        return this;
    }

    // ---------------------------------------------------------------- raw images

    @Override
    void beginRaw() {
        RawInput made = rawReader;
        if (made == null) {
            made = rawMaker.of(this);
            rawReader = made;
        }
        raw = made;
        made.begin();
    }

    @Override
    void beginRawBody() {
        if (raw != null) {
            raw.readChunk();
        }
    }

    @Override
    @Nullable
    Codec rawCodec(int tag) {
        return raw == null ? null : raw.codec(tag);
    }

    @Override
    void checkEnd() {
        if (raw != null) {
            raw.checkEnd();
        }
    }

    /** Whether a record of which parts have come goes on in the next frame. */
    public boolean isWithinRecord() {
        return raw != null && raw.isWithinRecord();
    }

    @Override
    public boolean hasRecord() {
        return raw != null && raw.hasRecord();
    }

    @Nullable
    public RawInput raw() {
        return raw;
    }

    // ---------------------------------------------------------------- records

    /** Reads a record, the counterpart of {@link ImageWriter#writeRecord}. */
    @Nullable
    public Object readRecord() {
        beginRecordObjects();
        Codec codec = rowCodec;
        int p = position;
        if (codec == null || p >= limit || RawBytes.getByte(buffer, p) != rowByte) {
            return readFirstOfRow();
        }
        position = p + 1;
        beginRecordBody();
        Object root = codec.read(this, null);
        StringForm.publish();
        if (isUnfinished()) {
            finish();
        }
        return root;
    }

    /**
     * Reads the record of an image of one frame, of which only the body is there. Its types are those of the frame that has been read last.
     *
     * @param backReferences whether the body may refer to an object more than once
     */
    @Nullable
    public Object readBody(byte[] bytes, int start, int sizeBytes, boolean backReferences) {
        beginBody(bytes, start, sizeBytes);
        beginIdentity(backReferences, false);
        beginRoot();
        Object root = readRecord();
        if (position != limit) {
            throw malformed("bytes follow the end of the record");
        }
        return root;
    }

    /**
     * Reads records like the latest one, as long as they come in a row and there is room.
     *
     * @param count how many records the array has
     * @return how many it has now
     */
    public int readRow(@Nullable Object[] target, int count) {
        rowEnd = count;
        Codec codec = rowCodec;
        if (codec == null) {
            return count;
        }
        int first = rowByte;
        int end = count;
        try {
            if (codec.has(Codec.LEAF | Codec.SELF_CONTAINED) && !filtersBuiltInTypes) {
                end = codec.readRow(this, target, end);
            }
            while (end < target.length) {
                int p = position;
                if (p >= limit || RawBytes.getByte(buffer, p) != first) {
                    break;
                }
                position = p + 1;
                beginRecordObjects();
                beginRecordBody();
                Object root = codec.read(this, null);
                if (isUnfinished()) {
                    StringForm.publish();
                    finish();
                }
                target[end] = root;
                end++;
            }
        } finally {
            rowEnd = end;
        }
        StringForm.publish();
        return end;
    }

    public int rowEnd() {
        return rowEnd;
    }

    private @Nullable Object readFirstOfRow() {
        rowCodec = null;
        int first = raw == null && position < limit ? RawBytes.getByte(buffer, position) : 0;
        Object root = readRoot();
        int tag = (first & 0xFF) >>> 1;
        if ((first & 1) != 0 && tag >= TAG_FIRST_DESCRIBED_TYPE) {
            rowByte = first;
            rowCodec = codecOfTag(tag);
        }
        return root;
    }

    /** Reads a root together with everything that must be complete before it can be used. */
    @Nullable
    public Object readRoot() {
        beginRoot();
        Object root = raw == null ? readReference(null) : raw.readRecord();
        StringForm.publish();
        if (isUnfinished()) {
            finish();
        }
        return root;
    }

    // ---------------------------------------------------------------- completion

    private void finish() {
        finishObjects();
        if (!updates.isEmpty()) {
            runUpdates();
        }
        if (hookInput != null) {
            hookInput.validate();
        }
    }

    public void updateLater(ObjectUpdate update, Object object) {
        updates.add(new Update(update, object));
        hasUnfinished();
    }

    private record Update(ObjectUpdate update, Object object) {}

    private void runUpdates() {
        for (int i = 0; i < updates.size(); i++) {
            updates.get(i).update().update(updates.get(i).object());
        }
        updates.clear();
    }

    /** The stream that hooks read from, for a hook that is about to run; null if there is none yet. */
    @Nullable
    public HookInput hookInput() {
        hasUnfinished();
        StringForm.publish();
        return hookInput;
    }

    public void setHookInput(HookInput input) {
        hookInput = input;
    }

    /** Lets go of everything that belongs to the image. */
    public void release() {
        if (isAbandoned()) {
            return;
        }
        clearScope();
        raw = null;
        rowCodec = null;
        if (rawReader != null) {
            rawReader.begin();
        }
        releaseIdentity();
        releaseFrames();
    }
}
