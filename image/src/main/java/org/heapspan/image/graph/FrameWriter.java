package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.FRAME_HEADER_BYTES;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameSink;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.memory.KeptBuffer;
import org.heapspan.image.type.ProxyClasses;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames of an image, with the types of the objects in them. {@link ImageWriter} is the subclass that writes objects.
 *
 * <p>The buffer has the body of the current frame. Before it there is room for what {@link FrameHead} writes: the image header, the frame
 * header and the descriptions of types. Not thread-safe.
 */
public abstract class FrameWriter extends ByteWriter {
    private static final int INITIAL_BUFFER_BYTES = 4 << 10;
    private static final int LEAST_HEAD_ROOM_BYTES = 1 << 10;
    private static final int MOST_HEAD_ROOM_BYTES = 1 << 16;
    private static final int COLLECT_FRAMES_FROM_BYTES = 64 << 20;

    /** By how much the buffer may exceed the limit of an image in it, so that it does not grow for each record there. */
    private static final int BEYOND_LIMIT_BYTES = 64 << 10;

    /** What the next image leaves before its bodies for headers and types; learned from the images before. */
    private int headRoomBytes = LEAST_HEAD_ROOM_BYTES;

    /** Where bodies begin in the buffer; before it is room for headers and types, so that a frame leaves in one piece. */
    private int bodyStart = LEAST_HEAD_ROOM_BYTES;

    private final OutputTypes types;
    private final BodyChecksum checksum = new BodyChecksum();
    private final EndedFrames ended = new EndedFrames();
    private final FrameHead head;

    /** Null as long as no buffer was large: most writers of streams never have one. */
    private @Nullable KeptBuffer kept;

    /** How long an image may become that is collected in memory. */
    private long mostBytes = Long.MAX_VALUE;

    private @Nullable HeapspanException overLimit;

    // The buffer and where its bodies begin, while the body of a frame that ends is elsewhere.
    private byte @Nullable [] ownBuffer;
    private int ownBodyStart;

    FrameWriter(@Nullable RegisteredTypes registeredTypes, @Nullable FindableClasses findable) {
        types = new OutputTypes(registeredTypes, findable);
        head = new FrameHead(types, checksum);
    }

    /** Whether the image refers to an object that it holds already, with anything but its first occurrence. */
    public abstract boolean hasBackReferences();

    /** Called before bytes leave that can then no longer be taken back. */
    abstract void beforeFrameLeaves();

    /** {@code ImageFormat.ENCODING_*} of the image. */
    abstract int encoding();

    /** Called when a frame ends: the body so far may {@linkplain #continueIn go on} in other bytes, with more around it. */
    abstract void completeBody();

    /** Whether frames of an image in memory stay where {@link #completeBody} has put them, one behind the other. */
    abstract boolean keepsFrames();

    /**
     * Called when a frame has been passed on.
     *
     * @param keptEnd where the next one begins if it stays, else 0
     */
    abstract void frameEnded(int keptEnd);

    final void beginFrames(int newFlags, @Nullable FrameSink newSink, @Nullable Handover handover) {
        boolean numbered = types.begin(handover);
        head.begin(newFlags | (numbered ? ImageFormat.FLAG_REGISTRY : 0));
        checksum.begin((newFlags & ImageFormat.FLAG_CHECKSUM) != 0);
        ended.begin(newSink);
        resumeOwn();
        bodyStart = headRoomBytes;
        position = bodyStart;
        if (buffer.length <= position) {
            buffer = NO_BYTES;
        }
    }

    /** Keeps types from one image to the next. */
    final void keepTypes() {
        types.keep();
    }

    final void releaseFrames() {
        types.release();
        ended.release();
        resumeOwn();
        if (kept != null || buffer.length > KeptBuffer.SMALL_BYTES) {
            buffer = kept().endImage(buffer);
        }
    }

    private KeptBuffer kept() {
        KeptBuffer present = kept;
        if (present == null) {
            present = new KeptBuffer();
            kept = present;
        }
        return present;
    }

    // ---------------------------------------------------------------- limit

    /** Limits the images from now on, all of which are collected in memory. */
    public final void limitTo(long newMostBytes) {
        mostBytes = newMostBytes;
        cutBuffer();
    }

    /** What is written without a look at the limit ends with the buffer at the latest. */
    private long mostBufferBytes() {
        return mostBytes == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : bodyStart + Math.max(mostBytes - ended.memoryBytes(), 0) + BEYOND_LIMIT_BYTES;
    }

    /** Gives back what of an empty buffer lies beyond the limit. */
    private void cutBuffer() {
        if (buffer.length > mostBufferBytes()) {
            buffer = Arrays.copyOf(buffer, (int) mostBufferBytes());
        }
    }

    /**
     * Refuses what makes an image too long, while a record is written that can be taken back.
     *
     * @param moreBytes how much comes to what has been written
     * @throws HeapspanException of category LIMIT
     */
    private void checkLimit(long moreBytes) {
        if (mostBytes != Long.MAX_VALUE && ended.memoryBytes() + bodyBytes() + moreBytes > mostBytes) {
            throw overLimit();
        }
    }

    /** Refuses an image that is too long; costs nothing where it cannot be. */
    public final void checkComplete() {
        if (ended.copies() || bodyBytes() > mostBytes) {
            checkLimit(0);
        }
    }

    public final HeapspanException overLimit() {
        HeapspanException refusal = new HeapspanException(
                Category.LIMIT,
                "a record would make its group longer than " + mostBytes
                        + " bytes; end the group before it, and write a record that is longer by itself with"
                        + " encodeTo(object, stream or channel)");
        overLimit = refusal;
        return refusal;
    }

    /** What {@link #overLimit} has returned since the last call, or null: methods of a record may catch it, or wrap it. */
    public final @Nullable HeapspanException takeOverLimit() {
        HeapspanException refusal = overLimit;
        if (refusal != null) {
            overLimit = null;
        }
        return refusal;
    }

    public final long mostBytes() {
        return mostBytes;
    }

    // ---------------------------------------------------------------- types

    public final int typeCount() {
        return types.count();
    }

    /** The types of the image so far, in the order of their numbers. */
    final Codec[] types() {
        return types.toArray();
    }

    /** The tag of a type in this image, which describes it from now on. */
    final int tagOf(Codec codec) {
        return types.tagOf(codec);
    }

    public void writeTag(Codec codec) {
        position = writeTagAt(position, codec);
    }

    /** As {@link #writeTag}, at the caller's position; returns the position behind it. */
    public final int writeTagAt(int p, Codec codec) {
        return writeNumberAt(p, types.tagOf(codec));
    }

    public final int writeTagAt(int p, KnownCodec codec) {
        return writeNumberAt(p, types.tagOf(codec));
    }

    /** Writes a class as a value. */
    public final void writeClass(Class<?> value) {
        Handover beside = types.handover();
        if (beside == null) {
            checkNamed(value);
            writeName(ProxyClasses.text(value));
        } else {
            writeNumber(beside.put(value));
        }
    }

    /** Refuses a class that would not be found by its name, where that matters; never in a copy. */
    public final void checkNamed(Class<?> type) {
        types.checkNamed(type);
    }

    // ---------------------------------------------------------------- marks

    // The place to which cutToMark returns. The last three are kept when a frame is filled, which is rare.
    private int markPosition;
    private int markTypes;
    private int framesSinceMark;
    private int markFrameFirstType;
    private int markCopies;
    private boolean markHeaderWritten;

    /** Remembers this place for the case that the record that follows cannot be written. */
    public final void mark() {
        checksum.recordWritten(buffer, bodyStart, position);
        markPosition = position;
        markTypes = types.count();
        framesSinceMark = 0;
    }

    /** Takes back everything behind a place in the current frame. */
    public final void cutTo(int start, int startTypes) {
        position = start;
        checksum.cutTo(bodyBytes());
        types.cutTo(startTypes);
    }

    /** Whether the image can {@linkplain #beginAnew begin anew} later: it has nothing yet, and nobody sees it before it ends. */
    final boolean canBeginAnew() {
        return !hasBody() && types.count() == 0 && !head.headerWritten() && ended.holdsImage();
    }

    /** Takes back the whole image, even if frames have been filled. */
    final void beginAnew() {
        ended.takeBack();
        head.setHeaderWritten(false);
        framesSinceMark = 0;
        cutTo(bodyStart, 0);
        types.setFrameFirst(0);
    }

    /**
     * Makes the image what it was at the mark, even if frames have been filled since.
     *
     * @param insertedBytes how much was put in front of the body that had the mark, if it has left
     */
    final void cutToMark(int insertedBytes) {
        if (ended.copies() && framesSinceMark > 0) {
            byte[] frame = ended.copy(markCopies);
            int bodyOffset = FrameHead.bodyOffset(frame, !markHeaderWritten);
            System.arraycopy(frame, bodyOffset + insertedBytes, buffer, bodyStart, markPosition - bodyStart);
            checksum.restart();
            ended.cutCopies(markCopies);
            head.setHeaderWritten(markHeaderWritten);
            types.setFrameFirst(markFrameFirstType);
        }
        cutTo(markPosition, markTypes);
    }

    // ---------------------------------------------------------------- room

    @Override
    final int pieceOf(int portion) {
        return checksum.pieceOf(portion);
    }

    @Override
    final void pieceWritten(int pieceBytes) {
        checksum.pieceWritten(pieceBytes, buffer, bodyStart, position);
    }

    @Override
    final int makeRoomForSome(long wanted) {
        if (ended.sink() == null && !ended.copies() && wanted < COLLECT_FRAMES_FROM_BYTES * 8L) {
            reserve((int) wanted);
        } else {
            checkLimit(wanted);
            reserve((int) Math.min(wanted, ImageFormat.FRAME_TARGET_BYTES));
        }
        return (int) Math.min(wanted, buffer.length - position);
    }

    @Override
    final int makeRoom(int sizeBytes) {
        if (sizeBytes > 0) {
            checkLimit(sizeBytes);
        }
        if (ended.sink() == null && position >= COLLECT_FRAMES_FROM_BYTES) {
            ended.copyFromNowOn();
        }
        if ((ended.sink() != null || ended.copies()) && position >= ImageFormat.FRAME_TARGET_BYTES) {
            beforeFrameLeaves();
            emitFrame(false);
            cutBuffer();
            if (sizeBytes <= buffer.length - position) {
                return position;
            }
        }
        long needed = (long) position + sizeBytes;
        if (needed > ImageFormat.FRAME_LIMIT_BYTES) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "an image frame would need " + needed + " bytes, the format's limit is "
                            + ImageFormat.FRAME_LIMIT_BYTES);
        }
        long first = (long) bodyStart - LEAST_HEAD_ROOM_BYTES + INITIAL_BUFFER_BYTES;
        long doubled = Math.min(Math.max(buffer.length * 2L, first), ImageFormat.FRAME_LIMIT_BYTES);
        long most = mostBufferBytes();
        int leastBytes = (int) Math.max(Math.min(doubled, most), needed + 64);
        buffer = leastBytes <= KeptBuffer.SMALL_BYTES
                ? Arrays.copyOf(buffer, leastBytes)
                : kept().larger(buffer, position, leastBytes, most);
        return position;
    }

    // ---------------------------------------------------------------- frames

    /** Passes on what has been written so far, so that the reader can use it; no effect without a sink. */
    public void flushFrame() {
        if (ended.sink() != null && hasBody()) {
            emitFrame(false);
        }
    }

    /** Whether the current frame has anything to tell. */
    boolean hasBody() {
        return position > bodyStart;
    }

    /** Ends the frame here, whatever its size. */
    public final void endFrame() {
        if (ended.sink() == null && !keepsFrames()) {
            ended.copyFromNowOn();
        }
        emitFrame(false);
    }

    /**
     * Lets the body of the frame that ends go on in other bytes, which hold all of it with enough room for the {@linkplain #headBytes head}
     * before it.
     */
    public final void continueIn(byte[] bytes, int start, int end) {
        ownBuffer = buffer;
        ownBodyStart = bodyStart;
        buffer = bytes;
        bodyStart = start;
        position = end;
        // What was summed has something in front of it now.
        checksum.restart();
    }

    private void resumeOwn() {
        byte[] own = ownBuffer;
        if (own != null) {
            buffer = own;
            bodyStart = ownBodyStart;
            ownBuffer = null;
        }
    }

    /** Bytes of what goes before the body of the current frame. */
    public final int headBytes() {
        return head.sizeBytes();
    }

    /** How many bytes the body of the current frame has so far. */
    public final int bodyBytes() {
        return position - bodyStart;
    }

    /** Where the body of the current frame begins in the buffer. */
    public final int bodyStart() {
        return bodyStart;
    }

    /**
     * Whether the image is one frame in memory, and its types have the same numbers in the registry. So whoever knows the registry needs
     * nothing but the body.
     */
    public final boolean isBody() {
        return !ended.copies() && !ended.keepsSome() && types.areFirstOfRegistry();
    }

    /** Begins the body of the current frame anew. */
    final void restartBody() {
        position = bodyStart;
    }

    /**
     * Ends a frame.
     *
     * @param last whether no other follows
     */
    private void emitFrame(boolean last) {
        int firstType = types.frameFirst();
        boolean headerBefore = head.headerWritten();
        int start = placeHead(last);
        FrameSink target = ended.sink();
        boolean kept = target == null && !ended.copies() && ownBuffer != null && keepsFrames();
        if (target == null && !kept) {
            ended.copyFromNowOn();
        }
        if (framesSinceMark++ == 0) {
            markFrameFirstType = firstType;
            markCopies = ended.copyCount();
            markHeaderWritten = headerBefore;
        }
        int keptEnd = 0;
        try {
            if (target != null) {
                ended.send(target, buffer, start, position - start);
            } else if (kept) {
                keptEnd = ended.keep(buffer, start, position);
            } else {
                ended.copyFromNowOn().add(Arrays.copyOfRange(buffer, start, position));
            }
        } catch (IOException e) {
            throw new HeapspanException(Category.IO, "writing a frame of the image failed: " + e.getMessage(), e);
        } finally {
            frameEnded(keptEnd);
            resumeOwn();
            position = bodyStart;
            checksum.restart();
            types.setFrameFirst(types.count());
        }
    }

    /**
     * Puts the image header, where it is still due, the frame header and the types right before the body.
     *
     * @param last whether no other frame follows
     * @return where they begin
     */
    private int placeHead(boolean last) {
        reserve(0); // an image without a body has no buffer yet
        completeBody();
        int headBytes = headBytes();
        int bodyBytes = bodyBytes();
        int start = bodyStart - headBytes;
        if (start < 0) {
            // More types than usual: move the body, and leave more room next time.
            headRoomBytes = Math.min(headBytes + headBytes / 4, MOST_HEAD_ROOM_BYTES);
            byte[] moved = headBytes + bodyBytes <= buffer.length ? buffer : KeptBuffer.newArray(headBytes + bodyBytes);
            System.arraycopy(buffer, bodyStart, moved, headBytes, bodyBytes);
            buffer = moved;
            position = headBytes + bodyBytes;
            start = 0;
        }
        putHead(buffer, start, bodyBytes, last);
        return start;
    }

    /** Puts the head of the current frame in front of its body, which lies there already. */
    private void putHead(byte[] target, int start, int bodyBytes, boolean last) {
        head.put(
                target,
                start,
                bodyBytes,
                encoding(),
                last && isWithoutBackReferences() ? ImageFormat.FLAG_NO_BACK_REFERENCES : 0);
    }

    /** Whether the image says that it has no back references, if it ends here. */
    private boolean isWithoutBackReferences() {
        return head.isOfRecords() && encoding() == ImageFormat.ENCODING_COMPACT && !hasBackReferences();
    }

    // ---------------------------------------------------------------- the end

    /** How many bytes the image has so far, types included. */
    long sizeBytes() {
        return ended.memoryBytes() + bodyBytes() + types.frameBytes();
    }

    /** How many bytes of the image the sink has taken. */
    public final long sinkBytes() {
        return ended.sinkBytes();
    }

    /** Ends the image where its length is known; it needs no end frame. */
    public void endToMemory() {
        boolean headerBefore = head.headerWritten();
        if (hasBody() || !headerBefore) {
            emitFrame(true);
        }
        if (headerBefore && isWithoutBackReferences()) {
            ended.replace(ImageFormat.FLAGS_OFFSET, head.lowFlags(ImageFormat.FLAG_NO_BACK_REFERENCES));
        }
    }

    /**
     * Throws again what the sink has thrown: a method of an object may have caught it, or wrapped it.
     *
     * @throws IOException if the sink has thrown one
     */
    public final void checkSink() throws IOException {
        ended.checkSink();
    }

    /** Ends the image with an end frame, for readers of streams that do not know its length. */
    public void endToSink() throws IOException {
        endToMemory();
        ended.sendEnd(new byte[FRAME_HEADER_BYTES]);
    }

    /**
     * Ends an image, without a copy where that can be.
     *
     * @return its bytes, valid until the next write
     */
    public ByteBuffer endInPlace() {
        if (!ended.copies() && !ended.keepsSome()) {
            int start = placeHead(true);
            return ByteBuffer.wrap(buffer, start, position - start);
        }
        if (ended.keepsSome() && hasBody()) {
            emitFrame(true);
        }
        return ended.copies()
                ? ByteBuffer.wrap(endToArray())
                : ByteBuffer.wrap(ended.keptIn(), ended.keptStart(), ended.keptEnd() - ended.keptStart());
    }

    /**
     * Ends the image and returns all of it. An image in memory needs no end frame: its length is known.
     *
     * @throws HeapspanException if it is longer than an array can be
     */
    public byte[] endToArray() {
        if (ended.copies()) {
            endToMemory();
            return ended.join();
        }
        if (ended.keepsSome()) {
            ByteBuffer image = endInPlace();
            return Arrays.copyOfRange(
                    image.array(), image.arrayOffset() + image.position(), image.arrayOffset() + image.limit());
        }
        reserve(0); // an image without a body has no buffer yet
        completeBody();
        int headBytes = headBytes();
        int bodyBytes = bodyBytes();
        byte[] image = KeptBuffer.newArray(headBytes + bodyBytes);
        System.arraycopy(buffer, bodyStart, image, headBytes, bodyBytes);
        putHead(image, 0, bodyBytes, true);
        return image;
    }
}
