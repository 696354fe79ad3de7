package org.heapspan.image.engine;

import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.statistics.EngineCounters;
import org.jspecify.annotations.Nullable;

/** What stands behind {@link org.heapspan.BodyReader}. Internal; not thread-safe. */
public final class RecordBodyReader {
    private final ImageEngine engine;

    /** An image with the types of all bodies, and without a record. */
    private final byte[] types;

    private ImageReader reader;

    /** Whether the reader has read the types, and every body since then to its end. */
    private boolean open;

    /**
     * Creates a reader.
     *
     * @param engine the options
     * @param typeCount how many types of the registry bodies can have
     */
    public RecordBodyReader(ImageEngine engine, int typeCount) {
        this.engine = engine;
        types = imageOfTypes(engine.flags(), engine.registryId(), typeCount);
        reader = newReader();
    }

    private static byte[] imageOfTypes(int flags, UUID registry, int typeCount) {
        int frame = ImageFormat.IMAGE_HEADER_BYTES;
        int id = frame + ImageFormat.FRAME_HEADER_BYTES;
        int numbers = id + ImageFormat.REGISTRY_ID_BYTES;
        byte[] image = new byte[numbers + (typeCount + 1) * ImageFormat.NUMBER_LIMIT_BYTES];
        int recordFlags = ImageFormat.FLAG_RECORD_SCOPE | ImageFormat.FLAG_REGISTRY;
        ImageFormat.putImageHeader(
                image, 0, ImageFormat.ENCODING_COMPACT, flags & ~ImageFormat.FLAG_CHECKSUM | recordFlags);
        ImageFormat.LONG.set(image, id, registry.getMostSignificantBits());
        ImageFormat.LONG.set(image, id + Long.BYTES, registry.getLeastSignificantBits());
        int end = numbers;
        for (int number = 0; number < typeCount; number++) {
            end = ImageFormat.putNumber(image, end, number);
        }
        ImageFormat.INT.set(image, frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET, end - id);
        return Arrays.copyOf(image, end);
    }

    private ImageReader newReader() {
        ImageReader made = engine.newTrustingReader();
        EngineCounters.register(made);
        return made;
    }

    /** Reads a record; see {@link org.heapspan.BodyReader#read}. */
    public @Nullable Object read(byte[] array, int offset, int length, boolean backReferences) {
        Objects.checkFromIndexSize(offset, length, array.length);
        if (!open) {
            open();
        }
        // A reader that has failed does not know what it has left undone.
        open = false;
        // The JIT can inline this, and not what names the class of an event that is not loaded.
        DecodeEvent event = FlightRecording.isPossible() ? FlightRecording.decode() : null;
        Object record;
        try {
            record = reader.readBody(array, offset, length, backReferences);
        } catch (StackOverflowError e) {
            throw ImageEngine.tooDeep(e);
        }
        open = true;
        reader.tally.addImage(ImageFormat.ENCODING_COMPACT, length);
        if (event != null) {
            event.end(reader, 1, record);
        }
        return record;
    }

    private void open() {
        if (reader.isAbandoned()) {
            // Another thread may still use it.
            reader = newReader();
        }
        reader.begin(new FrameSource.OfArray(types, 0, types.length));
        reader.expectRecords();
        reader.requireFrame();
    }

    /** Lets go of memory; see {@link org.heapspan.BodyReader#release}. */
    public void release() {
        open = false;
        reader.release();
    }
}
