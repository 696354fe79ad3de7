package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.FRAME_HEADER_BYTES;
import static org.heapspan.image.format.ImageFormat.IMAGE_HEADER_BYTES;
import static org.heapspan.image.format.ImageFormat.NUMBER_LIMIT_BYTES;
import static org.heapspan.image.format.ImageFormat.STRING_FIRST_HEADER;
import static org.heapspan.image.format.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;

import java.io.IOException;
import java.util.Arrays;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameChecksum;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageClaims;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of an image on their way in: frames from a source, the types they describe, and values out of their bodies. Every
 * byte is taken for hostile. {@link ImageReader} reads objects on top of it. Not thread-safe.
 */
public abstract class FrameReader {
    private static final byte[] NO_BYTES = new byte[0];
    private static final Codec[] NO_TYPES = {};
    private static final DescribedTypes[] NO_FRAMES = {};
    private static final FrameSource NO_SOURCE = new FrameSource.OfArray(NO_BYTES, 0, 0);

    private static final int PADDING_BYTES = 1 << 10;
    public final TypeResolver resolver;

    /** Of {@link #resolver}, at hand because they are asked for with each object. */
    public final boolean filtersBuiltInTypes;

    private final int maxArrayLength;
    public byte[] buffer = NO_BYTES;
    public int position;
    public int limit;
    private FrameSource source = NO_SOURCE;
    private boolean ended;
    private boolean checksum;
    private boolean raw;
    private int flags;
    private final byte[] head = new byte[FRAME_HEADER_BYTES];
    private final FrameChecksum crc = new FrameChecksum();
    private long bytesRead;
    private int framesRead;

    /** By number; null where there has been no object of the type in any image. */
    private @Nullable Codec[] types = NO_TYPES;

    private int typeCount;

    /** What frames have described, in their order. */
    private DescribedTypes[] describing = NO_FRAMES;

    private int describingCount;

    public int flags() {
        return flags;
    }

    FrameReader(TypeResolver resolver) {
        this.resolver = resolver;
        filtersBuiltInTypes = resolver.filtersBuiltInTypes();
        maxArrayLength = resolver.limits().maxArrayLength();
    }

    /** Begins a raw image; only where the resolver trusts the source. */
    abstract void beginRaw();

    /** Called with the position at the beginning of a frame's body in a raw image. */
    abstract void beginRawBody();

    /** Called where the image ends, to refuse one that ends too early. */
    abstract void checkEnd();

    /** Whether a record has come that needs no further bytes; only in a raw image. */
    abstract boolean hasRecord();

    /** How deep the object lies that is being read, for filters. */
    abstract int depth();

    /** How many objects have been read, for filters. */
    abstract int objectCount();

    /** Reads the header of an image. */
    final void beginFrames(FrameSource newSource) {
        source = newSource;
        ended = false;
        bytesRead = 0;
        framesRead = 0;
        buffer = NO_BYTES;
        position = 0;
        limit = 0;
        forgetTypes();
        handover = null;
        claims.begin();
        int at;
        try {
            at = readHead(newSource, IMAGE_HEADER_BYTES);
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
        byte[] header = headBytes;
        int magic = (int) ImageFormat.INT.get(header, at);
        if (magic != ImageFormat.MAGIC) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    String.format(
                            "these bytes are not an object image: they begin with 0x%08x, expected 0x%08x (\"HSPI\")",
                            Integer.reverseBytes(magic), Integer.reverseBytes(ImageFormat.MAGIC)));
        }
        int version = header[at + ImageFormat.VERSION_OFFSET];
        if (version != ImageFormat.VERSION) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has format version " + version + ", this release reads version " + ImageFormat.VERSION
                            + "; use the same release of Heapspan on both sides");
        }
        raw = isRaw(header[at + ImageFormat.ENCODING_OFFSET]);
        flags = (short) ImageFormat.SHORT.get(header, at + ImageFormat.FLAGS_OFFSET) & 0xFFFF;
        if ((flags & ~ImageFormat.KNOWN_FLAGS) != 0) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has flags 0x" + Integer.toHexString(flags) + ", of which this release knows 0x"
                            + Integer.toHexString(ImageFormat.KNOWN_FLAGS));
        }
        checksum = (flags & ImageFormat.FLAG_CHECKSUM) != 0;
        if (raw) {
            if ((flags & ImageFormat.RECORD_FLAGS) != ImageFormat.FLAG_RECORD_SCOPE) {
                throw malformed("its flags 0x" + Integer.toHexString(flags) + " do not suit the raw encoding");
            }
            beginRaw();
        }
    }

    private boolean isRaw(int encoding) {
        if (encoding == ImageFormat.ENCODING_COMPACT) {
            return false;
        }
        if (encoding != ImageFormat.ENCODING_RAW) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image has encoding " + encoding + ", this release reads compact ("
                            + ImageFormat.ENCODING_COMPACT + ") and raw (" + ImageFormat.ENCODING_RAW + ")");
        }
        if (!resolver.isTrusting()) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image has the raw encoding (" + encoding + "), only compact (" + ImageFormat.ENCODING_COMPACT
                            + ") is accepted from an untrusted source; if a process that you trust wrote it, use"
                            + " decodeTrusted");
        }
        if (Access.RAW == null) {
            throw new HeapspanException(
                    Category.ACCESS,
                    "the image has the raw encoding, and " + Access.MACHINE.means()
                            + " is the only means of access this JVM leaves, which cannot fill such objects; let the"
                            + " native library load (see heapspan doctor), or encode compact");
        }
        return true;
    }

    /** Refuses an image that is an object stream, whose bodies begin with other bytes than records. */
    public final void expectRecords() {
        int found = flags & ImageFormat.RECORD_FLAGS;
        if (found == 0) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image is an object stream, expected a graph or a group; read it with HeapspanObjectInputStream");
        }
        if (found == ImageFormat.RECORD_FLAGS) {
            throw malformed("its flags demand two identity scopes at once");
        }
    }

    /** Refuses an image that is no object stream. */
    public final void expectObjectStream() {
        if ((flags & (ImageFormat.RECORD_FLAGS | ImageFormat.FLAG_NO_BACK_REFERENCES)) != 0) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image is a graph or a group, expected an object stream; read it with decode or groupReader");
        }
    }

    /**
     * Reads a header, in place where the source is an array: what has just been copied would keep the processor waiting.
     *
     * @return where it begins in {@link #headBytes}
     */
    private int readHead(FrameSource from, int sizeBytes) throws IOException {
        if (from instanceof FrameSource.OfArray array && sizeBytes <= array.bytesAhead(sizeBytes)) {
            int at = array.position();
            headBytes = array.array();
            array.skip(sizeBytes);
            return at;
        }
        headBytes = head;
        from.readFully(head, 0, sizeBytes);
        return 0;
    }

    private byte[] headBytes = NO_BYTES;

    /** Takes what {@link ImageWriter#beginCopy} has not put into the image; called once it has begun. */
    public final void take(Handover newHandover) {
        handover = newHandover;
        types = newHandover.types();
        typeCount = types.length;
    }

    /** Set while a copy is read. */
    private @Nullable Handover handover;

    final void releaseFrames() {
        handover = null;
        forgetTypes();
        buffer = NO_BYTES;
        headBytes = NO_BYTES;
        position = 0;
        limit = 0;
        source = NO_SOURCE;
    }

    public int readTag() {
        int p = position;
        if (p < limit) {
            int first = RawBytes.getByte(buffer, p);
            if ((first & 1) != 0) {
                position = p + 1;
                return (first & 0xFF) >>> 1;
            }
        }
        return readCount();
    }

    /** Whether a tag stands for a codec; if so, a filter has been asked as by {@link #codecOfTag}. */
    final boolean isTagOf(int tag, Codec codec) {
        int number = tag - TAG_FIRST_DESCRIBED_TYPE;
        if (number >= 0) {
            return number < typeCount && types[number] == codec;
        }
        return tag == codec.builtInTag && tag >= ImageFormat.TAG_FIRST_TYPE && codecOfTag(tag) == codec;
    }

    /** The codec of a tag that only raw images have, or null. */
    abstract @Nullable Codec rawCodec(int tag);

    public Codec codecOfTag(int tag) {
        int number = tag - TAG_FIRST_DESCRIBED_TYPE;
        if (number >= 0) {
            if (number < typeCount) {
                Codec codec = types[number];
                return codec != null ? codec : codecOfFirst(number);
            }
            throw malformed("type " + number + " is used, " + typeCount + " are described so far");
        }
        Codec codec = resolver.registry().builtIn(tag);
        if (codec == null && raw) {
            codec = rawCodec(tag);
            if (codec != null) {
                return codec;
            }
        }
        if (codec == null) {
            throw malformed("tag " + tag + " names no built-in type");
        }
        if (filtersBuiltInTypes) {
            resolver.checkBuiltIn(codec, this);
        }
        return codec;
    }

    long bytesRead() {
        return bytesRead;
    }

    /** How many bytes the image has, as far as it has been read, with all headers. */
    public final long imageBytes() {
        return IMAGE_HEADER_BYTES + bytesRead + (long) framesRead * FRAME_HEADER_BYTES;
    }

    public String readName() {
        long header = readNumber();
        if (header < STRING_FIRST_HEADER) {
            throw malformed("a name is missing");
        }
        return StringForm.read(this, header - STRING_FIRST_HEADER);
    }

    /** Reads a class as a value. */
    public final Class<?> readClass() {
        Handover beside = handover;
        return beside == null ? resolver.classNamed(readName(), this) : beside.classAt(readCount());
    }

    public int readByte() {
        int p = block(1);
        int value = RawBytes.getByte(buffer, p);
        advance(p + 1);
        return value;
    }

    public int readInt() {
        int p = block(4);
        int value = RawBytes.getInt(buffer, p);
        advance(p + 4);
        return value;
    }

    public long readLong() {
        int p = block(8);
        long value = RawBytes.getLong(buffer, p);
        advance(p + 8);
        return value;
    }

    public long readNumber() {
        int p = block(NUMBER_LIMIT_BYTES);
        byte[] bytes = buffer;
        int first = RawBytes.getByte(bytes, p);
        if ((first & 1) != 0) {
            advance(p + 1);
            return (first & 0xFFL) >>> 1;
        }
        if (first == 0) {
            advance(p + NUMBER_LIMIT_BYTES);
            return RawBytes.getLong(bytes, p + 1);
        }
        int sizeBytes = Integer.numberOfTrailingZeros(first) + 1;
        advance(p + sizeBytes);
        return RawBytes.getLong(bytes, p) << 64 - 8 * sizeBytes >>> 64 - 7 * sizeBytes;
    }

    public long readSignedNumber() {
        return ImageFormat.unzigzag(readNumber());
    }

    /** Reads a number that must fit an {@code int} and not be negative. */
    public int readCount() {
        long value = readNumber();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw malformed("a count is " + value + ", expected 0 to " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    /**
     * Reads the length of an array or the size of a collection, which claims the bytes of the elements: whoever allocates by a number
     * out of the image reads it here.
     *
     * @param leastBytesEach how many bytes each element takes in the image at least
     */
    public int readLength(int leastBytesEach) {
        int length = readCount();
        checkLength(length);
        claim((long) length * leastBytesEach);
        return length;
    }

    /** Refuses an array or collection of more elements than the reader's owner wants. */
    public final void checkLength(long length) {
        if (length > maxArrayLength) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "an array or collection of " + length
                            + " elements exceeds the limit of this reader (maxArrayLength "
                            + maxArrayLength + ")");
        }
    }

    /** As {@link #readLength}, with the filter asked for the array. */
    public int readArrayLength(Class<?> arrayType, int leastBytesEach) {
        int length = readLength(leastBytesEach);
        resolver.checkArray(arrayType, length, this);
        return length;
    }

    private final ImageClaims claims = new ImageClaims();

    /** How far this has read: bytes of types and bodies, without headers. */
    private long imagePosition() {
        return bytesRead - (limit - position);
    }

    /** Refuses elements for which the image has not bytes enough that nothing else has claimed, before anything is allocated for them. */
    public final void claim(long sizeBytes) {
        claims.claimTo(requireAhead(sizeBytes));
    }

    /**
     * Refuses contents of more bytes than the source has that nothing has claimed.
     *
     * @return where they would end if they were claimed
     */
    public long requireAhead(long sizeBytes) {
        long end = claims.endOf(imagePosition(), sizeBytes);
        long missing = end > bytesRead ? missingBytes(end) : 0;
        if (missing > 0) {
            throw malformed("contents of at least " + sizeBytes
                    + " bytes are announced; with what was announced before, " + missing + " bytes are missing");
        }
        return end;
    }

    /** Refuses memory that a method of a class of the JDK takes on the word of the image if the whole image is too small for it. */
    public final void takeMemory(long memoryBytes) {
        long size = claims.sizeFor(memoryBytes);
        long missing = size > bytesRead ? missingBytes(size) : 0;
        if (missing > 0) {
            throw malformed("a table or copy of " + memoryBytes
                    + " bytes of memory is announced, for which the image would need " + missing + " bytes more");
        }
        claims.take(memoryBytes);
    }

    /** How many bytes an image lacks that has to go on up to a position behind the current frame. */
    private long missingBytes(long end) {
        if (end > resolver.limits().maxBytes()) {
            throw tooManyBytes();
        }
        long known = bytesRead;
        try {
            known += source.bytesAhead(end - known);
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
        return Math.max(end - known, 0);
    }

    public void readBytes(byte[] target, int offset, int length) {
        int done = 0;
        while (done < length) {
            int portion = portion(length - done);
            System.arraycopy(buffer, position, target, offset + done, portion);
            position += portion;
            done += portion;
        }
    }

    public void readElements(Object array, long sizeBytes) {
        if (array instanceof byte[] bytes) {
            readBytes(bytes, 0, bytes.length);
            return;
        }
        if (Access.RAW == null) {
            PortableElements.read(this, array);
            return;
        }
        long base = Access.RAW.arrayBaseOffset(array.getClass());
        long done = 0;
        while (done < sizeBytes) {
            int portion = portion(sizeBytes - done);
            Access.RAW.copyMemory(buffer, PortableElements.BYTES_BASE + position, array, base + done, portion);
            position += portion;
            done += portion;
        }
    }

    /** How many of the wanted bytes lie at {@link #position}, at least one. */
    public int portion(long wanted) {
        if (position == limit) {
            nextFrame();
        }
        return (int) Math.min(wanted, (long) limit - position);
    }

    /**
     * Makes a number of bytes addressable from the returned position. They may reach beyond the data; {@link #advance} finds
     * out whether more was used than there is.
     */
    public int block(int sizeBytes) {
        int p = position;
        if (p < limit && sizeBytes <= buffer.length - p) {
            return p;
        }
        return blockAtEdge(sizeBytes);
    }

    /** Takes the last bytes of a frame where code wants to read beyond them; kept, because small images are all edge. */
    private byte[] edge = NO_BYTES;

    private int blockAtEdge(int sizeBytes) {
        if (position == limit && sizeBytes > 0) {
            nextFrame();
        }
        if (sizeBytes > buffer.length - position) {
            int rest = limit - position;
            byte[] padded = edge;
            if (buffer == padded || padded.length < rest + sizeBytes) {
                padded = new byte[rest + sizeBytes + PADDING_BYTES];
                if (padded.length <= 4 * PADDING_BYTES) {
                    edge = padded;
                }
            }
            System.arraycopy(buffer, position, padded, 0, rest);
            buffer = padded;
            position = 0;
            limit = rest;
        }
        return position;
    }

    /** Moves behind what was read. */
    public void advance(int newPosition) {
        if (newPosition > limit) {
            throw truncated();
        }
        position = newPosition;
    }

    private HeapspanException truncated() {
        return malformed("a value reaches beyond the end of its frame");
    }

    /** Whether nothing follows in the image. */
    public boolean atEnd() {
        while (position == limit && !hasRecord()) {
            if (ended || endsHere()) {
                checkEnd();
                return true;
            }
            if (!loadFrame()) {
                checkEnd();
                return true;
            }
        }
        return false;
    }

    /** Whether a byte of a body, or the end of the image, can be read without waiting for the source. */
    public final boolean isReady() throws IOException {
        while (position == limit && !ended && !endsHere()) {
            if (!source.hasFrame()) {
                return false;
            }
            loadFrame();
        }
        return true;
    }

    private boolean endsHere() {
        try {
            return source.endsHere();
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
    }

    /** Makes the next frame current, whether its body has bytes to read or not. */
    public final void requireFrame() {
        if (ended || !loadFrame()) {
            throw malformed("the image ends where more of it is needed");
        }
    }

    private void nextFrame() {
        do {
            requireFrame();
        } while (position == limit);
    }

    /** Reads a frame's header and types and makes its body current; false for the end frame. */
    private boolean loadFrame() {
        long bytesBefore = bytesRead;
        try {
            int at = readHead(source, FRAME_HEADER_BYTES);
            framesRead++;
            byte[] header = headBytes;
            int bodyBytes = (int) ImageFormat.INT.get(header, at + ImageFormat.FRAME_BODY_BYTES_OFFSET);
            int typesBytes = (int) ImageFormat.INT.get(header, at + ImageFormat.FRAME_TYPES_BYTES_OFFSET);
            int expectedCrc = (int) ImageFormat.INT.get(header, at + ImageFormat.FRAME_CRC_OFFSET);
            if (bodyBytes == 0 && typesBytes == 0) {
                ended = true;
                return false;
            }
            checkFrame(bodyBytes, typesBytes);
            int total = typesBytes + bodyBytes;
            int start;
            if (source instanceof FrameSource.OfArray array) {
                buffer = array.array();
                start = array.position();
                array.skip(total);
            } else {
                byte[] frame = readFrame(total, at);
                buffer = frame;
                start = 0;
            }
            DescribedTypes known = typesBytes == 0 ? null : resolver.remembered(buffer, start, typesBytes);
            if (checksum) {
                int found = known != null && FrameChecksum.CONTINUES
                        ? crc.continued(known.checksum, buffer, start + typesBytes, bodyBytes)
                        : crc.of(buffer, start, total);
                if (found != expectedCrc) {
                    throw malformed(String.format(
                            "the checksum of a frame of %d bytes is 0x%08x, expected 0x%08x: the bytes were altered on the way",
                            total, found, expectedCrc));
                }
            } else if (expectedCrc != 0) {
                // Else one bit of the header, altered on the way, would leave the frames unchecked.
                throw malformed(String.format(
                        "a frame has the checksum 0x%08x, and the image's header says that there are none",
                        expectedCrc));
            }
            if (known != null) {
                addTypes(known);
            } else if (typesBytes > 0) {
                boolean numbered = (flags & ImageFormat.FLAG_REGISTRY) != 0;
                addTypes(resolver.describe(buffer, start, typesBytes, numbered));
            }
            position = start + typesBytes;
            limit = start + total;
            if (raw) {
                beginRawBody();
            }
            return true;
        } catch (IOException e) {
            bytesRead = bytesBefore;
            throw FrameSource.failure(e);
        }
    }

    private HeapspanException tooManyBytes() {
        return new HeapspanException(
                Category.LIMIT,
                "the image has more than " + resolver.limits().maxBytes()
                        + " bytes, the limit of this reader (maxBytes)");
    }

    private void checkFrame(int bodyBytes, int typesBytes) {
        if (bodyBytes < 0 || typesBytes < 0 || (long) bodyBytes + typesBytes > ImageFormat.FRAME_LIMIT_BYTES) {
            throw malformed("a frame claims " + Integer.toUnsignedString(bodyBytes) + " bytes of body and "
                    + Integer.toUnsignedString(typesBytes) + " of types, the limit is "
                    + ImageFormat.FRAME_LIMIT_BYTES);
        }
        bytesRead += (long) bodyBytes + typesBytes;
        if (bytesRead > resolver.limits().maxBytes()) {
            throw tooManyBytes();
        }
        if (source instanceof FrameSource.InMemory memory && bodyBytes + typesBytes > memory.bytesLeft()) {
            throw malformed("a frame of " + (bodyBytes + typesBytes) + " bytes is announced, " + memory.bytesLeft()
                    + " follow: the image is truncated");
        }
    }

    /** Reads a frame from a stream in growing steps, so that a false length costs no more memory than bytes that came. */
    private byte[] readFrame(int total, int headAt) throws IOException {
        byte[] frame = new byte[Math.min(total, 1 << 20) + PADDING_BYTES];
        int have = 0;
        while (true) {
            int step = Math.min(total, frame.length - PADDING_BYTES) - have;
            try {
                source.readFully(frame, have, step);
            } catch (IOException e) {
                // The whole frame is read again, should the source have more to give by then.
                source.takeBack(frame, 0, have);
                source.takeBack(headBytes, headAt, FRAME_HEADER_BYTES);
                framesRead--;
                throw e;
            }
            have += step;
            if (have == total) {
                return frame;
            }
            frame = Arrays.copyOf(frame, (int) Math.min((long) total, have * 2L) + PADDING_BYTES);
        }
    }

    private void addTypes(DescribedTypes described) {
        @Nullable Codec[] added = described.codecs;
        int first = typeCount;
        if (first == 0) {
            // Shared with others: it is full, so that what comes next goes into an array of our own.
            types = added;
        } else {
            if (added.length > types.length - first) {
                types = Arrays.copyOf(types, Math.max(first + added.length, types.length * 2));
            }
            System.arraycopy(added, 0, types, first, added.length);
        }
        typeCount = first + added.length;
        if (describingCount == describing.length) {
            describing = Arrays.copyOf(describing, Math.max(4, describingCount * 2));
        }
        describing[describingCount++] = described;
    }

    /** Finds the codec of a type that has had no object yet. */
    private Codec codecOfFirst(int number) {
        int frame = 0;
        int first = 0;
        while (number - first >= describing[frame].codecs.length) {
            first += describing[frame++].codecs.length;
        }
        Codec found = describing[frame].codec(number - first, resolver, this);
        if (types[number] == null) {
            if (types == describing[0].codecs) {
                // Others look for the class that is missing here anew.
                types = types.clone();
            }
            types[number] = found;
        }
        return found;
    }

    private void forgetTypes() {
        types = NO_TYPES;
        typeCount = 0;
        Arrays.fill(describing, 0, describingCount, null);
        describingCount = 0;
    }

    public HeapspanException malformed(String what) {
        return malformed(what, null);
    }

    public HeapspanException malformed(String what, @Nullable Throwable cause) {
        return new HeapspanException(
                Category.MALFORMED,
                "the image is malformed near byte " + position + " of the current frame: " + what,
                cause);
    }
}
