package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.FRAME_HEADER_BYTES;
import static org.heapspan.image.format.ImageFormat.IMAGE_HEADER_BYTES;
import static org.heapspan.image.format.ImageFormat.NUMBER_LIMIT_BYTES;
import static org.heapspan.image.format.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;

import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameChecksum;
import org.heapspan.image.format.FrameSink;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.LargerStack;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an image on their way out: a buffer that grows, the types that what is written refers to, and the frames that carry
 * both. {@link ImageWriter} writes objects on top of it.
 *
 * <p>Bytes are asked for in {@link #reserve units}; a unit is never torn apart by a frame boundary, and readers ask for the same
 * units or parts of them. Not thread-safe.
 */
public abstract class FrameWriter {
    private static final int INITIAL_BUFFER_BYTES = 4 << 10;

    private static final byte[] NO_BYTES = new byte[0];

    private static final int LEAST_HEAD_ROOM_BYTES = 1 << 10;
    private static final int MOST_HEAD_ROOM_BYTES = 1 << 16;

    /** What the next image leaves before its bodies for headers and types; learned from the images before. */
    private int headRoomBytes = LEAST_HEAD_ROOM_BYTES;

    /** Where bodies begin in the buffer; before it is room for headers and types, so that a frame leaves in one piece. */
    private int bodyStart = LEAST_HEAD_ROOM_BYTES;

    private static final int COLLECT_FRAMES_FROM_BYTES = 64 << 20;

    /** By how much the buffer may exceed the limit of an image in it, so that it does not grow for each record there. */
    private static final int BEYOND_LIMIT_BYTES = 64 << 10;

    private static final int KEPT_BUFFER_BYTES = 1 << 20;
    /** Made by the first write: a stream or group that is only open needs none. */
    public byte[] buffer = NO_BYTES;

    public int position;

    // Types of the image.
    private int[] typeNumbers = new int[64];
    private int typeBase = 1;
    private Codec[] types = new Codec[16];
    private int typeCount;
    private int frameFirstType;

    /** Asked once for each class of an image; null if it does not matter who finds them. */
    private final @Nullable FindableClasses findable;

    // Frames.
    private final FrameTypes frameTypes;
    private final FrameChecksum crc = new FrameChecksum();
    private boolean checksum;

    /** So many bytes of the body have been summed while they were at hand, which large arrays and many records are piece by piece. */
    private int summedBytes;

    private int summed;
    private static final int SUMMED_FROM_BYTES = 1 << 20;
    private static final int SUMMED_PIECE_BYTES = 128 << 10;

    private int flags;

    /** Set while a copy is made: takes the types, of which the frames carry none then. */
    private @Nullable Handover handover;

    private @Nullable FrameSink sink;
    private boolean headerWritten;
    private long sinkBytes;
    private @Nullable List<byte[]> collected;

    /** How long an image may become that is collected in memory. */
    private long mostBytes = Long.MAX_VALUE;

    // Frames that stay where they are, before others are collected.
    private int keptStart;
    private int keptEnd;

    // The buffer and where its bodies begin, while the body of a frame that ends is elsewhere.
    private byte @Nullable [] ownBuffer;
    private int ownBodyStart;

    FrameWriter(@Nullable RegisteredTypes registeredTypes, @Nullable FindableClasses findable) {
        frameTypes = new FrameTypes(registeredTypes);
        this.findable = findable;
    }

    /** Whether the image refers to an object that it holds already, with anything but its first occurrence. */
    abstract boolean hasBackReferences();

    /** Limits the images from now on, all of which are collected in memory. */
    public final void limitTo(long newMostBytes) {
        mostBytes = newMostBytes;
        cutBuffer();
    }

    /** What is written without a look at the limit ends with the buffer at the latest. */
    private long mostBufferBytes() {
        return mostBytes == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : bodyStart + Math.max(mostBytes - earlierBytes(), 0) + BEYOND_LIMIT_BYTES;
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
    final void checkLimit(long moreBytes) {
        if (mostBytes != Long.MAX_VALUE && earlierBytes() + bodyBytes() + moreBytes > mostBytes) {
            throw overLimit();
        }
    }

    /** As {@link #checkLimit}, with nothing more to come; costs nothing where the image cannot be too long. */
    public final void checkComplete() {
        if (collected != null || bodyBytes() > mostBytes) {
            checkLimit(0);
        }
    }

    public final HeapspanException overLimit() {
        return new HeapspanException(
                Category.LIMIT,
                "a record would make its group longer than " + mostBytes
                        + " bytes; end the group before it, and write a record that is longer by itself with"
                        + " encodeTo(object, stream or channel)");
    }

    public final long mostBytes() {
        return mostBytes;
    }

    /** Called before bytes leave that can then no longer be taken back. */
    abstract void beforeFrameLeaves();

    /** {@code ImageFormat.ENCODING_*} of the image. */
    abstract int encoding();

    /** Called when a frame ends: the body so far may {@linkplain #continueIn go on} in other bytes, with more around it. */
    abstract void completeBody();

    /** Whether frames of an image in memory stay where {@link #completeBody} has put them, one behind the other. */
    abstract boolean keepsFrames();

    /** Where frames that stay are. */
    abstract byte[] keptBytes();

    /**
     * Called when a frame has been passed on.
     *
     * @param keptEnd where the next one begins if it stays, else 0
     */
    abstract void frameEnded(int keptEnd);

    final void beginFrames(int newFlags, @Nullable FrameSink newSink, @Nullable Handover newHandover) {
        boolean numbered = newHandover == null && frameTypes.registered();
        flags = newFlags | (numbered ? ImageFormat.FLAG_REGISTRY : 0);
        frameTypes.begin();
        handover = newHandover;
        checksum = (newFlags & ImageFormat.FLAG_CHECKSUM) != 0;
        sink = newSink;
        headerWritten = false;
        sinkBytes = 0;
        collected = null;
        keptEnd = 0;
        resumeOwn();
        bodyStart = headRoomBytes;
        position = bodyStart;
        summedBytes = 0;
        if (buffer.length <= position) {
            buffer = NO_BYTES;
        }
        resetTypes();
    }

    final void releaseFrames() {
        handover = null;
        sink = null;
        collected = null;
        keptEnd = 0;
        resumeOwn();
        resetTypes();
        frameTypes.release();
        if (buffer.length > KEPT_BUFFER_BYTES) {
            buffer = NO_BYTES;
        }
    }

    public final int typeCount() {
        return typeCount;
    }

    /** Takes back everything behind a place in the current frame. */
    public final void cutTo(int start, int startTypes) {
        position = start;
        if (bodyBytes() < summedBytes) {
            summedBytes = 0;
        }
        while (typeCount > startTypes) {
            Codec codec = types[--typeCount];
            types[typeCount] = null;
            typeNumbers[codec.serial] = 0;
        }
    }

    /**
     * Makes the image what it was at the mark, even if frames have been filled since.
     *
     * @param insertedBytes how much was put in front of the body that had the mark, if it has left
     */
    final void cutToMark(int insertedBytes) {
        List<byte[]> frames = collected;
        if (frames != null && framesSinceMark > 0) {
            byte[] frame = frames.get(markCollected);
            int typesAt = (markHeaderWritten ? 0 : IMAGE_HEADER_BYTES) + FRAME_HEADER_BYTES;
            int typesBytes = (int)
                    ImageFormat.INT.get(frame, typesAt - FRAME_HEADER_BYTES + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
            System.arraycopy(frame, typesAt + typesBytes + insertedBytes, buffer, bodyStart, markPosition - bodyStart);
            summedBytes = 0;
            frames.subList(markCollected, frames.size()).clear();
            headerWritten = markHeaderWritten;
            frameFirstType = markFrameFirstType;
        }
        cutTo(markPosition, markTypes);
    }

    private void resetTypes() {
        typeBase += typeCount;
        Arrays.fill(types, 0, typeCount, null);
        typeCount = 0;
        frameFirstType = 0;
        if (typeBase > Integer.MAX_VALUE / 2) {
            Arrays.fill(typeNumbers, 0);
            typeBase = 1;
        }
    }

    // The place to which rollBackToMark returns. The last three are kept when a frame is filled, which is rare.
    private int markPosition;
    private int markTypes;
    private int framesSinceMark;
    private int markFrameFirstType;
    private int markCollected;
    private boolean markHeaderWritten;

    /** Remembers this place for the case that the record that follows cannot be written. */
    public final void mark() {
        if (bodyBytes() - summedBytes >= SUMMED_PIECE_BYTES) {
            sumSoFar();
        }
        markPosition = position;
        markTypes = typeCount;
        framesSinceMark = 0;
    }

    public void writeTag(Codec codec) {
        position = writeTagAt(position, codec);
    }

    /** The tag of a type in this image, which describes it from now on. */
    final int tagOf(Codec codec) {
        int tag = codec.builtInTag;
        return tag == 0 ? TAG_FIRST_DESCRIBED_TYPE + typeNumber(codec, codec.serial) : tag;
    }

    public final void writeTagByte(int tag) {
        int p = reserve(1);
        RawBytes.putByte(buffer, p, tag << 1 | 1);
        position = p + 1;
    }

    private int typeNumber(Codec codec, int serial) {
        if (serial < typeNumbers.length) {
            int number = typeNumbers[serial] - typeBase;
            if (number >= 0) {
                return number;
            }
        }
        return newTypeNumber(codec, serial);
    }

    private int newTypeNumber(Codec codec, int serial) {
        if (serial >= typeNumbers.length) {
            typeNumbers = Arrays.copyOf(typeNumbers, Math.max(serial + 1, typeNumbers.length * 2));
        }
        Codec described = codec.described();
        if (handover == null) {
            // Fails here, before anything refers to the type, if the class cannot be described.
            described.descriptionBytes();
            if (findable != null) {
                findable.check(described);
            }
        }
        int number = typeCount++;
        if (number == types.length) {
            types = Arrays.copyOf(types, number * 2);
        }
        types[number] = described;
        typeNumbers[serial] = typeBase + number;
        return number;
    }

    /** Writes a text of the format itself (a name), which has no identity. */
    public void writeName(String name) {
        StringForm.write(this, name);
    }

    /** Writes a class as a value. */
    public final void writeClass(Class<?> value) {
        Handover beside = handover;
        if (beside == null) {
            checkNamed(value);
            writeName(value.getName());
        } else {
            writeNumber(beside.put(value));
        }
    }

    /** Refuses a class that would not be found by its name, where that matters; never in a copy. */
    public final void checkNamed(Class<?> type) {
        if (findable != null) {
            findable.check(type);
        }
    }

    /** The types of the image so far, in the order of their numbers. */
    final Codec[] types() {
        return Arrays.copyOf(types, typeCount);
    }

    public void writeByte(int value) {
        int p = reserve(1);
        RawBytes.putByte(buffer, p, value);
        position = p + 1;
    }

    public void writeInt(int value) {
        int p = reserve(4);
        RawBytes.putInt(buffer, p, value);
        position = p + 4;
    }

    public void writeLong(long value) {
        int p = reserve(8);
        RawBytes.putLong(buffer, p, value);
        position = p + 8;
    }

    public void writeNumber(long value) {
        int p = reserve(NUMBER_LIMIT_BYTES);
        position = ImageFormat.putNumber(buffer, p, value);
    }

    public void writeSignedNumber(long value) {
        writeNumber(ImageFormat.zigzag(value));
    }

    /** Writes bytes that the reader may take in other portions. */
    public void writeBytes(byte[] bytes, int offset, int length) {
        int done = 0;
        while (done < length) {
            int portion = pieceOf(portion(length - done));
            System.arraycopy(bytes, offset + done, buffer, position, portion);
            position += portion;
            done += portion;
            sumPiece(portion);
        }
    }

    /** Writes the elements of a primitive array, little endian. */
    public void writeElements(Object array, int elementSizeBytes) {
        RawMemory raw = Access.RAW;
        int length = Array.getLength(array);
        if (array instanceof byte[] bytes) {
            writeBytes(bytes, 0, length);
            return;
        }
        long sizeBytes = (long) length * elementSizeBytes;
        if (raw == null) {
            PortableElements.write(this, array);
            return;
        }
        long base = raw.arrayBaseOffset(array.getClass());
        long done = 0;
        while (done < sizeBytes) {
            int portion = pieceOf(portion(sizeBytes - done));
            raw.copyMemory(array, base + done, buffer, PortableElements.BYTES_BASE + position, portion);
            position += portion;
            done += portion;
            sumPiece(portion);
        }
    }

    /** Cuts what would have left the cache before the checksum came to it. */
    private int pieceOf(int portion) {
        return checksum && FrameChecksum.CONTINUES && portion >= SUMMED_FROM_BYTES ? SUMMED_PIECE_BYTES : portion;
    }

    private void sumPiece(int portion) {
        if (portion >= SUMMED_PIECE_BYTES) {
            sumSoFar();
        }
    }

    /** Sums what has been written since the last time; nothing of it may change any more. */
    private void sumSoFar() {
        if (checksum && FrameChecksum.CONTINUES) {
            int from = bodyStart + summedBytes;
            summed = crc.continued(summedBytes == 0 ? 0 : summed, buffer, from, position - from);
            summedBytes = position - bodyStart;
        }
    }

    /** Makes room for as many of the bytes as fit well, at least one. */
    int portion(long wanted) {
        if (wanted <= buffer.length - position) {
            return (int) wanted;
        }
        if (sink == null && collected == null && wanted < COLLECT_FRAMES_FROM_BYTES * 8L) {
            reserve((int) wanted);
            return (int) Math.min(wanted, buffer.length - position);
        }
        checkLimit(wanted);
        reserve((int) Math.min(wanted, ImageFormat.FRAME_TARGET_BYTES));
        return (int) Math.min(wanted, buffer.length - position);
    }

    /**
     * Makes room for a unit.
     *
     * @return the position to write at; the caller sets {@link #position} behind what it wrote
     */
    public int reserve(int sizeBytes) {
        int p = position;
        return sizeBytes <= buffer.length - p ? p : makeRoom(sizeBytes);
    }

    /**
     * As {@link #reserve}, for callers that keep the position to themselves meanwhile: in a register, where the JIT would have to
     * load {@link #position} again after each raw read of a slot.
     *
     * @param p where the caller is
     * @return the position to write at
     */
    public final int reserveAt(int p, int sizeBytes) {
        if (sizeBytes <= buffer.length - p) {
            return p;
        }
        position = p;
        return makeRoom(sizeBytes);
    }

    /** As {@link #writeTag}, at the caller's position; returns the position behind it. */
    public final int writeTagAt(int p, Codec codec) {
        return writeNumberAt(p, tagOf(codec));
    }

    public final int writeTagAt(int p, KnownCodec codec) {
        int tag = codec.builtInTag();
        return writeNumberAt(p, tag == 0 ? TAG_FIRST_DESCRIBED_TYPE + typeNumber(codec.codec(), codec.serial()) : tag);
    }

    /** As {@link #writeNumber}, at the caller's position; returns the position behind it. */
    public final int writeNumberAt(int p, long value) {
        int start = reserveAt(p, NUMBER_LIMIT_BYTES);
        return ImageFormat.putNumber(buffer, start, value);
    }

    private int makeRoom(int sizeBytes) {
        if (sizeBytes > 0) {
            checkLimit(sizeBytes);
        }
        if (sink == null && position >= COLLECT_FRAMES_FROM_BYTES) {
            collect();
        }
        if ((sink != null || collected != null) && position >= ImageFormat.FRAME_TARGET_BYTES) {
            beforeFrameLeaves();
            emitFrame();
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
        buffer = Arrays.copyOf(buffer, (int) Math.max(Math.min(doubled, mostBufferBytes()), needed + 64));
        return position;
    }

    /** Passes on what has been written so far, so that the reader can use it; no effect without a sink. */
    public void flushFrame() {
        if (sink != null && hasBody()) {
            emitFrame();
        }
    }

    /** Whether the current frame has anything to tell. */
    boolean hasBody() {
        return position > bodyStart;
    }

    /** Ends the frame here, whatever its size. */
    public final void endFrame() {
        if (sink == null && !keepsFrames()) {
            collect();
        }
        emitFrame();
    }

    /** From here on frames are copied away when they end. */
    private List<byte[]> collect() {
        List<byte[]> frames = collected;
        if (frames == null) {
            frames = new ArrayList<>();
            collected = frames;
            if (keptEnd > 0) {
                frames.add(Arrays.copyOfRange(keptBytes(), keptStart, keptEnd));
                keptEnd = 0;
            }
        }
        return frames;
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
        summedBytes = 0;
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
        return (headerWritten ? 0 : IMAGE_HEADER_BYTES) + FRAME_HEADER_BYTES + typesSizeBytes();
    }

    /** How many bytes the body of the current frame has so far. */
    public final int bodyBytes() {
        return position - bodyStart;
    }

    /** Where the body of the current frame begins in the buffer. */
    public final int bodyStart() {
        return bodyStart;
    }

    private void emitFrame() {
        int firstType = frameFirstType;
        boolean headerBefore = headerWritten;
        int start = placeHead(false);
        FrameSink target = sink;
        boolean kept = target == null && collected == null && ownBuffer != null && keepsFrames();
        List<byte[]> frames = target == null && !kept ? collect() : List.of();
        if (framesSinceMark++ == 0) {
            markFrameFirstType = firstType;
            markCollected = frames.size();
            markHeaderWritten = headerBefore;
        }
        try {
            if (target != null) {
                sinkBytes += LargerStack.transfer(new Leaving(target, buffer, start, position - start));
            } else if (kept) {
                keptStart = keptEnd == 0 ? start : keptStart;
                keptEnd = position;
            } else {
                frames.add(Arrays.copyOfRange(buffer, start, position));
            }
        } catch (IOException e) {
            throw new HeapspanException(Category.IO, "writing a frame of the image failed: " + e.getMessage(), e);
        } finally {
            frameEnded(kept ? keptEnd : 0);
            resumeOwn();
            position = bodyStart;
            summedBytes = 0;
            frameFirstType = typeCount;
        }
    }

    /** A frame on its way to the sink. */
    private record Leaving(FrameSink target, byte[] bytes, int start, int length) implements LargerStack.Transfer {
        @Override
        public long run() throws IOException {
            target.write(bytes, start, length);
            return length;
        }
    }

    private int typesSizeBytes() {
        if (handover != null) {
            return 0;
        }
        frameTypes.set(types, frameFirstType, typeCount);
        return frameTypes.sizeBytes();
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
            byte[] moved = headBytes + bodyBytes <= buffer.length ? buffer : new byte[headBytes + bodyBytes];
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
        int p = start;
        if (!headerWritten) {
            boolean plain = last
                    && (flags & ImageFormat.RECORD_FLAGS) != 0
                    && encoding() == ImageFormat.ENCODING_COMPACT
                    && !hasBackReferences();
            putImageHeader(target, p, encoding(), plain ? flags | ImageFormat.FLAG_NO_BACK_REFERENCES : flags);
            headerWritten = true;
            p += IMAGE_HEADER_BYTES;
        }
        int frame = p;
        p += FRAME_HEADER_BYTES;
        int typesBytes = handover == null ? frameTypes.sizeBytes() : 0;
        frameTypes.copyTo(target, p, typesBytes);
        int check = 0;
        if (checksum && FrameChecksum.CONTINUES) {
            int body = p + typesBytes;
            int rest = bodyBytes - summedBytes;
            check = summedBytes == 0
                    ? frameTypes.checksum(crc, target, body, bodyBytes)
                    : FrameChecksum.combined(
                            frameTypes.checksum(crc, target, body, 0),
                            crc.continued(summed, target, body + summedBytes, rest),
                            bodyBytes);
        } else if (checksum) {
            check = crc.of(target, p, typesBytes + bodyBytes);
        }
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_BODY_BYTES_OFFSET, bodyBytes);
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_TYPES_BYTES_OFFSET, typesBytes);
        ImageFormat.INT.set(target, frame + ImageFormat.FRAME_CRC_OFFSET, check);
    }

    public static void putImageHeader(byte[] target, int offset, int encoding, int flags) {
        ImageFormat.INT.set(target, offset, ImageFormat.MAGIC);
        target[offset + ImageFormat.VERSION_OFFSET] = ImageFormat.VERSION;
        target[offset + ImageFormat.ENCODING_OFFSET] = (byte) encoding;
        ImageFormat.SHORT.set(target, offset + ImageFormat.FLAGS_OFFSET, (short) flags);
    }

    /** How many bytes the image has so far, types included. */
    long sizeBytes() {
        return earlierBytes() + position - bodyStart + typesSizeBytes();
    }

    private long earlierBytes() {
        long earlier = keptEnd > 0 ? keptEnd - keptStart : 0;
        if (collected != null) {
            for (byte[] frame : collected) {
                earlier += frame.length;
            }
        }
        return earlier;
    }

    /** Ends the image where its length is known; it needs no end frame. */
    public void endToMemory() {
        if (hasBody() || !headerWritten) {
            emitFrame();
        }
    }

    /** Ends the image with an end frame, for readers of streams that do not know its length. */
    public void endToSink() throws IOException {
        endToMemory();
        FrameSink target = sink;
        if (target != null) {
            target.write(new byte[FRAME_HEADER_BYTES], 0, FRAME_HEADER_BYTES);
            sinkBytes += FRAME_HEADER_BYTES;
        }
    }

    /** How many bytes of the image the sink has taken. */
    public final long sinkBytes() {
        return sinkBytes;
    }

    /**
     * Ends an image, without a copy where that can be.
     *
     * @return its bytes, valid until the next write
     */
    public ByteBuffer endInPlace() {
        if (collected == null && keptEnd == 0) {
            int start = placeHead(true);
            return ByteBuffer.wrap(buffer, start, position - start);
        }
        if (keptEnd > 0 && hasBody()) {
            emitFrame();
        }
        return collected == null
                ? ByteBuffer.wrap(keptBytes(), keptStart, keptEnd - keptStart)
                : ByteBuffer.wrap(endToArray());
    }

    /** An array all of which is written at once. */
    private static byte[] newImage(int sizeBytes) {
        RawMemory raw = Access.RAW;
        return raw == null ? new byte[sizeBytes] : (byte[]) raw.allocateUninitializedArray(byte.class, sizeBytes);
    }

    /**
     * Ends the image and returns all of it. An image in memory needs no end frame: its length is known.
     *
     * @throws HeapspanException if it is longer than an array can be
     */
    public byte[] endToArray() {
        List<byte[]> frames = collected;
        if (frames == null) {
            if (keptEnd > 0) {
                ByteBuffer image = endInPlace();
                return Arrays.copyOfRange(
                        image.array(), image.arrayOffset() + image.position(), image.arrayOffset() + image.limit());
            }
            reserve(0); // an image without a body has no buffer yet
            completeBody();
            int headBytes = headBytes();
            int bodyBytes = bodyBytes();
            byte[] image = newImage(headBytes + bodyBytes);
            System.arraycopy(buffer, bodyStart, image, headBytes, bodyBytes);
            putHead(image, 0, bodyBytes, true);
            return image;
        }
        if (hasBody()) {
            emitFrame();
        }
        long total = 0;
        for (byte[] part : frames) {
            total += part.length;
        }
        if (total > Integer.MAX_VALUE - 16) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image has " + total + " bytes, an array holds at most " + (Integer.MAX_VALUE - 16)
                            + "; use encodeTo(object, stream or channel)");
        }
        byte[] image = new byte[(int) total];
        int p = 0;
        for (byte[] part : frames) {
            System.arraycopy(part, 0, image, p, part.length);
            p += part.length;
        }
        return image;
    }
}
