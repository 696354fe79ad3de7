package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.STRING_FIRST_HEADER;
import static org.heapspan.image.format.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;

import java.io.IOException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageClaims;
import org.heapspan.image.format.ImageFormat;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of an image and the types that they describe, and limits what may be allocated for an image. Every byte is checked,
 * because it may come from an attacker. {@link ImageReader} is the subclass that reads objects. Not thread-safe.
 */
public abstract class FrameReader extends ByteReader {
    public final TypeResolver resolver;

    /** Of {@link #resolver}, at hand because they are asked for with each object. */
    public final boolean filtersBuiltInTypes;

    private final int maxArrayLength;
    private final FrameInput frames;
    private final InputTypes types = new InputTypes();
    private final ImageClaims claims = new ImageClaims();
    private boolean checksum;
    private boolean raw;
    private int flags;

    /** Set while a copy is read. */
    private @Nullable Handover handover;

    public int flags() {
        return flags;
    }

    FrameReader(TypeResolver resolver) {
        this.resolver = resolver;
        filtersBuiltInTypes = resolver.filtersBuiltInTypes();
        maxArrayLength = resolver.limits().maxArrayLength();
        frames = new FrameInput(this, resolver.limits().maxBytes());
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

    /** Begins an image: reads its header. */
    final void beginFrames(FrameSource source) {
        buffer = NO_BYTES;
        position = 0;
        limit = 0;
        types.clear();
        handover = null;
        claims.begin();
        int at = frames.begin(source);
        byte[] header = frames.head();
        ImageHeader.check(header, at);
        raw = ImageHeader.isRaw(header, at, resolver.isTrusting());
        frames.reuseArrays(!raw);
        flags = ImageHeader.flags(header, at);
        checksum = (flags & ImageFormat.FLAG_CHECKSUM) != 0;
        if (raw) {
            if ((flags & (ImageFormat.RECORD_FLAGS | ImageFormat.FLAG_SHARED_OBJECTS))
                    != ImageFormat.FLAG_RECORD_SCOPE) {
                throw malformed("its flags 0x" + Integer.toHexString(flags) + " do not suit the raw encoding");
            }
            beginRaw();
        }
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
        if (found == ImageFormat.FLAG_GROUP_SCOPE && (flags & ImageFormat.FLAG_SHARED_OBJECTS) != 0) {
            throw malformed("its flags demand shared objects in a scope of several records");
        }
    }

    /** Refuses an image that is no object stream. */
    public final void expectObjectStream() {
        if ((flags & (ImageFormat.RECORD_FLAGS | ImageFormat.FLAG_NO_BACK_REFERENCES | ImageFormat.FLAG_SHARED_OBJECTS))
                != 0) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image is a graph or a group, expected an object stream; read it with decode or groupReader");
        }
    }

    /** Takes what {@link ImageWriter#beginCopy} has not put into the image; called once it has begun. */
    public final void take(Handover newHandover) {
        handover = newHandover;
        types.set(newHandover.types());
    }

    final void releaseFrames() {
        handover = null;
        types.clear();
        frames.release();
        buffer = NO_BYTES;
        position = 0;
        limit = 0;
    }

    // ---------------------------------------------------------------- types

    /** Whether a tag stands for a codec; if so, a filter has been asked as by {@link #codecOfTag}. */
    final boolean isTagOf(int tag, Codec codec) {
        int number = tag - TAG_FIRST_DESCRIBED_TYPE;
        if (number >= 0) {
            return types.isOf(number, codec);
        }
        return tag == codec.builtInTag && tag >= ImageFormat.TAG_FIRST_TYPE && codecOfTag(tag) == codec;
    }

    /** The codec of a tag that only raw images have, or null. */
    abstract @Nullable Codec rawCodec(int tag);

    public Codec codecOfTag(int tag) {
        int number = tag - TAG_FIRST_DESCRIBED_TYPE;
        if (number >= 0) {
            return types.codec(number, this);
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
        return frames.bytesRead();
    }

    /** How many bytes the image has, as far as it has been read, with all headers. */
    public final long imageBytes() {
        return frames.imageBytes();
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

    // ---------------------------------------------------------------- lengths and claims

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

    /** Whether numbers are as a writer wrote them that is trusted: their frame has been compared with its checksum. */
    private boolean believesClaims() {
        return checksum && resolver.isTrusting();
    }

    /** How far this has read: bytes of types and bodies, without headers. */
    private long imagePosition() {
        return frames.bytesRead() - (limit - position);
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
        long missing = end > frames.bytesRead() ? frames.missingBytes(end, believesClaims()) : 0;
        if (missing > 0) {
            throw malformed("contents of at least " + sizeBytes
                    + " bytes are announced; with what was announced before, " + missing + " bytes are missing");
        }
        return end;
    }

    /** Refuses memory that a method of a class of the JDK takes on the word of the image if the whole image is too small for it. */
    public final void takeMemory(long memoryBytes) {
        long size = claims.sizeFor(memoryBytes);
        long missing = size > frames.bytesRead() ? frames.missingBytes(size, believesClaims()) : 0;
        if (missing > 0) {
            throw malformed("a table or copy of " + memoryBytes
                    + " bytes of memory is announced, for which the image would need " + missing + " bytes more");
        }
        claims.take(memoryBytes);
    }

    /** Refuses to let an iterator pass so many elements if too little of an untrusted image has come: that takes time, and few bytes. */
    public final void takeSteps(long steps) {
        if (!resolver.isTrusting() && claims.takeSteps(steps) > frames.bytesRead()) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "iterators of the image have passed more elements than an untrusted image of " + frames.bytesRead()
                            + " bytes may have; leave them out of the graph");
        }
    }

    // ---------------------------------------------------------------- frames

    /** Whether nothing follows in the image. */
    public boolean atEnd() {
        while (position == limit && !hasRecord()) {
            if (frames.isAtEnd() || !loadFrame()) {
                checkEnd();
                return true;
            }
        }
        return false;
    }

    /** Whether a byte of a body, or the end of the image, can be read without waiting for the source. */
    public final boolean isReady() throws IOException {
        while (position == limit && !frames.isAtEnd()) {
            if (!frames.hasFrame()) {
                return false;
            }
            loadFrame();
        }
        return true;
    }

    /** Makes the next frame current, whether its body has bytes to read or not. */
    public final void requireFrame() {
        if (frames.ended() || !loadFrame()) {
            throw malformed("the image ends where more of it is needed");
        }
    }

    /** Goes on with another body of the same types, which lies in an array of the caller. */
    final void beginBody(byte[] bytes, int start, int sizeBytes) {
        claims.begin();
        frames.beginBody(sizeBytes);
        if (buffer != bytes) {
            // To store a reference costs more, because of the collector's barriers.
            buffer = bytes;
        }
        position = start;
        limit = start + sizeBytes;
    }

    @Override
    final void nextFrame() {
        do {
            requireFrame();
        } while (position == limit);
    }

    @Override
    final int copyFrame(Object array, long offset, long mostBytes) {
        return raw || frames.ended() ? 0 : frames.copyBody(array, offset, mostBytes, checksum);
    }

    /** Reads a frame's header and types and makes its body current; false for the end frame. */
    private boolean loadFrame() {
        if (!frames.next()) {
            return false;
        }
        buffer = frames.bytes();
        int start = frames.start();
        int typesBytes = frames.typesBytes();
        DescribedTypes known = typesBytes == 0 ? null : resolver.remembered(buffer, start, typesBytes);
        frames.checkChecksum(checksum, known);
        if (known != null) {
            types.add(known);
        } else if (typesBytes > 0) {
            boolean numbered = (flags & ImageFormat.FLAG_REGISTRY) != 0;
            types.add(resolver.describe(buffer, start, typesBytes, numbered));
        }
        position = start + typesBytes;
        limit = position + frames.bodyBytes();
        if (raw) {
            beginRawBody();
        }
        return true;
    }
}
