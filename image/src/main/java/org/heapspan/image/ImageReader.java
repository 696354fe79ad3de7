package org.heapspan.image;

import static org.heapspan.image.ImageFormat.DEPTH_LIMIT;
import static org.heapspan.image.ImageFormat.FRAME_HEADER_BYTES;
import static org.heapspan.image.ImageFormat.IMAGE_HEADER_BYTES;
import static org.heapspan.image.ImageFormat.NUMBER_LIMIT_BYTES;
import static org.heapspan.image.ImageFormat.STRING_BACK_REFERENCE;
import static org.heapspan.image.ImageFormat.STRING_FIRST_HEADER;
import static org.heapspan.image.ImageFormat.STRING_NULL;
import static org.heapspan.image.ImageFormat.TAG_BACK_REFERENCE;
import static org.heapspan.image.ImageFormat.TAG_DEFERRED;
import static org.heapspan.image.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;
import static org.heapspan.image.ImageFormat.TAG_FIRST_TYPE;
import static org.heapspan.image.ImageFormat.TAG_NULL;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Reads object graphs from an image in the compact encoding. The portable engine: every byte is taken for hostile until it has
 * been compared with what the format, the limits and the classes allow, and nothing is allocated on the word of the image alone.
 *
 * <p>After the objects of a section have been read, hash containers whose keys may hash differently here are filled, and then
 * hooks of user classes run; {@code docs/formats/image.md} specifies the order.
 *
 * <p>Not thread-safe; {@link ReaderPool} hands readers out.
 */
final class ImageReader {
    private static final byte[] NO_BYTES = new byte[0];
    private static final int PADDING_BYTES = 1 << 10;

    final TypeResolver resolver;

    byte[] buffer = NO_BYTES;
    int position;
    int limit;

    private FrameSource source = new FrameSource.OfArray(NO_BYTES, 0, 0);
    private boolean ended;
    private boolean checksum;
    private int flags;
    private final byte[] head = new byte[FRAME_HEADER_BYTES];
    private final CRC32C crc = new CRC32C();
    private long bytesRead;

    private Codec[] types = new Codec[16];
    private int typeCount;

    private Object[] objects = new Object[0];
    private int objectCount;

    private int depth;
    private Codec[] pendingCodecs = new Codec[16];
    private Object[] pendingObjects = new Object[16];
    private int pendingCount;
    private boolean deferred;

    private final PostponedContainers postponed = new PostponedContainers();
    private @Nullable GraphInput hookInput;

    ImageReader(TypeResolver resolver) {
        this.resolver = resolver;
    }

    // ---------------------------------------------------------------- images and records

    /** Begins an image: reads its header. */
    void begin(FrameSource newSource) {
        source = newSource;
        ended = false;
        bytesRead = 0;
        buffer = NO_BYTES;
        position = 0;
        limit = 0;
        typeCount = 0;
        clearScope();
        try {
            newSource.readFully(head, 0, IMAGE_HEADER_BYTES);
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
        int magic = (int) ImageFormat.INT.get(head, 0);
        if (magic != ImageFormat.MAGIC) {
            throw new HeapspanException(
                    Category.MALFORMED,
                    String.format(
                            "these bytes are not an object image: they begin with 0x%08x, expected 0x%08x (\"HSPI\")",
                            Integer.reverseBytes(magic), Integer.reverseBytes(ImageFormat.MAGIC)));
        }
        int version = head[ImageFormat.VERSION_OFFSET];
        if (version != ImageFormat.VERSION) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has format version " + version + ", this release reads version " + ImageFormat.VERSION
                            + "; use the same release of Heapspan on both sides");
        }
        int encoding = head[ImageFormat.ENCODING_OFFSET];
        if (encoding != ImageFormat.ENCODING_COMPACT) {
            throw new HeapspanException(
                    Category.LAYOUT,
                    "the image has encoding " + encoding + ", only compact (" + ImageFormat.ENCODING_COMPACT
                            + ") is accepted from an untrusted source");
        }
        flags = (short) ImageFormat.SHORT.get(head, ImageFormat.FLAGS_OFFSET) & 0xFFFF;
        if ((flags & ~ImageFormat.KNOWN_FLAGS) != 0) {
            throw new HeapspanException(
                    Category.VERSION,
                    "the image has flags 0x" + Integer.toHexString(flags) + ", of which this release knows 0x"
                            + Integer.toHexString(ImageFormat.KNOWN_FLAGS));
        }
        checksum = (flags & ImageFormat.FLAG_CHECKSUM) != 0;
    }

    int flags() {
        return flags;
    }

    /** Forgets the objects read so far; the next one has index 0. */
    void clearScope() {
        if (objectCount > 0) {
            Arrays.fill(objects, 0, objectCount, null);
            objectCount = 0;
        }
        Arrays.fill(pendingObjects, 0, pendingCount, null);
        if (deferred) {
            Arrays.fill(pendingCodecs, null);
            deferred = false;
        }
        pendingCount = 0;
        postponed.clear();
        updates.clear();
        depth = 0;
        dropping = 0;
        sectionCount = 0;
        owedElements = 0;
        if (hookInput != null) {
            hookInput.clear();
        }
        unfinished = false;
    }

    /** Reads a record, the counterpart of {@link ImageWriter#writeRecord}. */
    @Nullable
    Object readRecord() {
        if (objectCount > 0) {
            // Objects of the record before may stay in the table a little longer; only the count says what is valid.
            objectCount = 0;
        }
        return readRoot();
    }

    /** Reads a root together with everything that must be complete before it can be used. */
    @Nullable
    Object readRoot() {
        depth = 0;
        Object root = readReference(null);
        if (unfinished) {
            finish();
        }
        return root;
    }

    /** Set by whatever is left to be done when the root has been read. */
    private boolean unfinished;

    private void finish() {
        unfinished = false;
        if (pendingCount > 0) {
            readPending(0);
        }
        if (!postponed.isEmpty()) {
            postponed.fill(0);
        }
        if (!updates.isEmpty()) {
            runUpdates();
        }
        if (hookInput != null) {
            hookInput.validate();
        }
    }

    /** Reads a reference and completes it, for hooks that may use what they read at once. */
    @Nullable
    Object readSection() {
        int section = beginSection();
        Object object = readReference(null);
        endSection(section);
        return object;
    }

    /** Begins a section: at its end everything that was read within it is complete. */
    int beginSection() {
        int section = sectionCount;
        if (section + 3 > sections.length) {
            sections = Arrays.copyOf(sections, sections.length * 2);
        }
        sections[section] = depth;
        sections[section + 1] = pendingCount;
        sections[section + 2] = postponed.count();
        sectionCount = section + 3;
        depth = 0;
        return section;
    }

    void endSection(int section) {
        readPending(sections[section + 1]);
        int firstPostponed = sections[section + 2];
        if (postponed.count() > firstPostponed) {
            postponed.fill(firstPostponed);
        }
        depth = sections[section];
        sectionCount = section;
    }

    private int[] sections = new int[12];
    private int sectionCount;

    /** Reads an element of a collection whose elements are all of one class. */
    @Nullable
    Object readElement(Codec codec) {
        int marker = readByte();
        switch (marker) {
            case ImageFormat.ELEMENT_NEW -> {
                return readNew(codec, null);
            }
            case ImageFormat.ELEMENT_NULL -> {
                return null;
            }
            case ImageFormat.ELEMENT_BACK_REFERENCE -> {
                return object(readCount());
            }
            case ImageFormat.ELEMENT_DEFERRED -> {
                return readDeferred(codec);
            }
            case ImageFormat.ELEMENT_OTHER -> {
                return readReference(null);
            }
            default -> throw malformed("an element has marker " + marker);
        }
    }

    private void readPending(int first) {
        for (int index = first; index < pendingCount; index++) {
            Object object = pendingObjects[index];
            Codec codec = pendingCodecs[index];
            pendingObjects[index] = null;
            if (object instanceof Object[] array) {
                oweElements(-array.length);
            }
            depth = 1;
            codec.readBody(this, object, null);
            if (index >= first + 1024 && index - first > pendingCount - index) {
                int rest = pendingCount - index - 1;
                System.arraycopy(pendingObjects, index + 1, pendingObjects, first, rest);
                System.arraycopy(pendingCodecs, index + 1, pendingCodecs, first, rest);
                Arrays.fill(pendingObjects, first + rest, pendingCount, null);
                pendingCount = first + rest;
                index = first - 1;
            }
        }
        pendingCount = first;
        depth = 0;
    }

    void updateLater(UpdatingCodec codec, Object object) {
        updates.add(new Update(codec, object));
        unfinished = true;
    }

    private record Update(UpdatingCodec codec, Object object) {}

    private final List<Update> updates = new ArrayList<>(0);

    private void runUpdates() {
        for (int i = 0; i < updates.size(); i++) {
            updates.get(i).codec().update(updates.get(i).object());
        }
        updates.clear();
    }

    void postpone(PostponedContainers.Filler filler, Object container, Object[] entries) {
        postponed.add(filler, container, entries);
        unfinished = true;
    }

    // ---------------------------------------------------------------- references

    @Nullable
    Object readReference(@Nullable TypeHint hint) {
        int tag = readTag();
        if (tag >= TAG_FIRST_TYPE) {
            return readNew(codecOfTag(tag), hint);
        }
        return readSpecial(tag);
    }

    private @Nullable Object readNew(Codec codec, @Nullable TypeHint hint) {
        if (++depth > DEPTH_LIMIT + 4) {
            throw malformed("objects nest deeper than " + DEPTH_LIMIT);
        }
        Object object = codec.read(this, hint);
        depth--;
        return object;
    }

    private @Nullable Object readSpecial(int tag) {
        if (tag == TAG_NULL) {
            return null;
        }
        if (tag == TAG_BACK_REFERENCE) {
            return object(readCount());
        }
        if (tag == TAG_DEFERRED) {
            return readDeferred(codecOfTag(readTag()));
        }
        throw malformed("reference tag " + tag + " names no type");
    }

    private Object readDeferred(Codec codec) {
        if (!codec.has(Codec.DEFERRABLE)) {
            throw malformed("an object of " + codec.type.getName() + " is deferred, which that type does not allow");
        }
        Object object = codec.allocate(this);
        register(object);
        if (object instanceof Object[] array) {
            oweElements(array.length);
        }
        int index = pendingCount;
        if (index == pendingObjects.length) {
            pendingObjects = Arrays.copyOf(pendingObjects, index * 2);
            pendingCodecs = Arrays.copyOf(pendingCodecs, index * 2);
        }
        pendingObjects[index] = object;
        pendingCodecs[index] = codec;
        pendingCount = index + 1;
        deferred = true;
        unfinished = true;
        return object;
    }

    /** Reads a reference whose class is most likely the expected one; anything else must be assignable to the declared type. */
    @Nullable
    Object readExpected(Codec expected, Class<?> declared, TypeHint hint) {
        int tag = readTag();
        if (tag >= TAG_FIRST_TYPE) {
            Codec codec = codecOfTag(tag);
            if (codec == expected) {
                if (++depth > DEPTH_LIMIT + 4) {
                    throw malformed("objects nest deeper than " + DEPTH_LIMIT);
                }
                Object object = expected.read(this, hint);
                depth--;
                return object;
            }
            return checked(readNew(codec, hint), declared);
        }
        return checked(readSpecial(tag), declared);
    }

    /** Reads a reference that must be assignable to the declared type. */
    @Nullable
    Object readDeclared(Class<?> declared, @Nullable TypeHint hint) {
        return checked(readReference(hint), declared);
    }

    @Nullable
    Object checked(@Nullable Object object, Class<?> declared) {
        if (object != null && !declared.isInstance(object)) {
            throw malformed("an object of " + object.getClass().getName() + " stands where " + declared.getName()
                    + " is declared");
        }
        return object;
    }

    int readTag() {
        int p = position;
        if (p < limit) {
            byte first = buffer[p];
            if ((first & 1) != 0) {
                position = p + 1;
                return (first & 0xFF) >>> 1;
            }
        }
        return readCount();
    }

    Codec codecOfTag(int tag) {
        int number = tag - TAG_FIRST_DESCRIBED_TYPE;
        if (number >= 0) {
            if (number < typeCount) {
                return types[number];
            }
            throw malformed("type " + number + " is used, " + typeCount + " are described so far");
        }
        Codec codec = BuiltInTypes.codec(tag);
        if (codec == null) {
            throw malformed("tag " + tag + " names no built-in type");
        }
        if (resolver.filtersBuiltInTypes()) {
            resolver.checkBuiltIn(codec, this);
        }
        return codec;
    }

    // ---------------------------------------------------------------- identity

    /** Gives the next index to an object. */
    void register(@Nullable Object object) {
        int index = objectCount;
        if (index == objects.length) {
            growObjects();
        }
        objects[index] = object;
        objectCount = index + 1;
    }

    /** Takes the next index for an object that exists only once its contents are read. */
    int reserveIndex() {
        register(null);
        return objectCount - 1;
    }

    void setObject(int index, Object object) {
        objects[index] = object;
    }

    int objectCount() {
        return objectCount;
    }

    int depth() {
        return depth;
    }

    long bytesRead() {
        return bytesRead;
    }

    private void growObjects() {
        long most = resolver.limits().maxObjects();
        if (objects.length >= most) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image holds more than " + most + " objects, the limit of this reader (maxObjects)");
        }
        long larger = Math.min(Math.max(objects.length * 4L, 16), most);
        objects = Arrays.copyOf(objects, (int) larger);
    }

    Object object(int index) {
        if (index < 0 || index >= objectCount) {
            throw malformed("back reference to object " + index + ", " + objectCount + " are known");
        }
        Object object = objects[index];
        if (object instanceof MissingClassCodec.Placeholder missing && dropping == 0) {
            throw missing.toException();
        }
        if (object == null) {
            throw new HeapspanException(
                    Access.RAW == null ? Category.ACCESS : Category.HOOK,
                    "object " + index + " is part of a cycle through an object that exists only once its contents are"
                            + " complete (an immutable collection, a record without raw access, a serialization proxy);"
                            + " break the cycle or use a mutable class");
        }
        return object;
    }

    // ---------------------------------------------------------------- values

    @Nullable
    String readString() {
        int p = position;
        if (p < limit) {
            int first = buffer[p] & 0xFF;
            if ((first & 1) != 0 && first >= STRING_FIRST_HEADER << 1) {
                position = p + 1;
                String string = StringForm.read(this, (first >>> 1) - STRING_FIRST_HEADER);
                register(string);
                return string;
            }
        }
        return readStringSlow();
    }

    private @Nullable String readStringSlow() {
        long header = readNumber();
        if (header == STRING_NULL) {
            return null;
        }
        if (header == STRING_BACK_REFERENCE) {
            Object known = object(readCount());
            if (known instanceof String string) {
                return string;
            }
            throw malformed(
                    "a string slot refers to an object of " + known.getClass().getName());
        }
        String string = StringForm.read(this, header - STRING_FIRST_HEADER);
        register(string);
        return string;
    }

    /** Reads an element that is most likely a string. */
    @Nullable
    Object readStringElement() {
        int p = position;
        if (p < limit && buffer[p] == (byte) (ImageFormat.STRING_OTHER << 1 | 1)) {
            position = p + 1;
            return readReference(null);
        }
        return readString();
    }

    String readName() {
        long header = readNumber();
        if (header < STRING_FIRST_HEADER) {
            throw malformed("a name is missing");
        }
        return StringForm.read(this, header - STRING_FIRST_HEADER);
    }

    int readByte() {
        int p = block(1);
        int value = buffer[p];
        advance(p + 1);
        return value;
    }

    int readInt() {
        int p = block(4);
        int value = (int) ImageFormat.INT.get(buffer, p);
        advance(p + 4);
        return value;
    }

    long readLong() {
        int p = block(8);
        long value = (long) ImageFormat.LONG.get(buffer, p);
        advance(p + 8);
        return value;
    }

    long readNumber() {
        int p = block(NUMBER_LIMIT_BYTES);
        byte[] bytes = buffer;
        int first = bytes[p];
        if ((first & 1) != 0) {
            advance(p + 1);
            return (first & 0xFFL) >>> 1;
        }
        if (first == 0) {
            advance(p + NUMBER_LIMIT_BYTES);
            return (long) ImageFormat.LONG.get(bytes, p + 1);
        }
        int sizeBytes = Integer.numberOfTrailingZeros(first) + 1;
        advance(p + sizeBytes);
        return (long) ImageFormat.LONG.get(bytes, p) << 64 - 8 * sizeBytes >>> 64 - 7 * sizeBytes;
    }

    long readSignedNumber() {
        return ImageFormat.unzigzag(readNumber());
    }

    /** Reads a number that must fit an {@code int} and not be negative. */
    int readCount() {
        long value = readNumber();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw malformed("a count is " + value + ", expected 0 to " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    /**
     * Reads the length of an array or the size of a collection and checks it before anything is allocated for it.
     *
     * @param leastBytesEach how many bytes each element takes in the image at least
     */
    int readLength(int leastBytesEach) {
        int length = readCount();
        if (length > resolver.limits().maxArrayLength()) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "an array or collection of " + length
                            + " elements exceeds the limit of this reader (maxArrayLength "
                            + resolver.limits().maxArrayLength() + ")");
        }
        requireAhead((long) length * leastBytesEach);
        return length;
    }

    /** As {@link #readLength}, with the filter asked for the array. */
    int readArrayLength(Class<?> arrayType, int leastBytesEach) {
        int length = readLength(leastBytesEach);
        resolver.checkArray(arrayType, length, this);
        return length;
    }

    /** Whether an array of a length may be allocated whose elements take at least half a byte each in the image. */
    boolean believes(long length) {
        if (length > resolver.limits().maxArrayLength()) {
            return false;
        }
        try {
            requireAhead(length / 2);
            return true;
        } catch (HeapspanException e) {
            return false;
        }
    }

    /**
     * Refuses a claim on more bytes than the source holds, before anything is allocated for it. What arrays and collections that
     * are being read, or whose bodies are deferred, still need is counted in.
     */
    void requireAhead(long sizeBytes) {
        long needed = sizeBytes + owedElements;
        if (needed > (long) limit - position) {
            requireBeyondFrame(needed);
        }
    }

    private void requireBeyondFrame(long needed) {
        if (needed + bytesRead > resolver.limits().maxBytes()) {
            throw tooManyBytes();
        }
        long known = (long) limit - position;
        try {
            known += source.bytesAhead(needed - known);
        } catch (IOException e) {
            throw FrameSource.failure(e);
        }
        if (needed > known) {
            throw malformed("contents of at least " + needed + " bytes are announced, " + known + " follow");
        }
    }

    /** Elements, of a byte at least each, that are announced and not yet read. */
    private long owedElements;

    /** Announces elements; the reader of each calls {@link #settleElement}. */
    void oweElements(int count) {
        owedElements += count;
    }

    void settleElement() {
        owedElements--;
    }

    void readBytes(byte[] target, int offset, int length) {
        int done = 0;
        while (done < length) {
            int portion = portion(length - done);
            System.arraycopy(buffer, position, target, offset + done, portion);
            position += portion;
            done += portion;
        }
    }

    void readElements(Object array, long sizeBytes) {
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
    int portion(long wanted) {
        if (position == limit) {
            nextFrame();
        }
        return (int) Math.min(wanted, (long) limit - position);
    }

    // ---------------------------------------------------------------- hooks

    GraphInput hookInput() {
        GraphInput input = hookInput;
        if (input == null) {
            input = GraphInput.forHooks(this);
            hookInput = input;
        }
        unfinished = true;
        return input;
    }

    // ---------------------------------------------------------------- buffer and frames

    /**
     * Makes a number of bytes addressable from the returned position. They may reach beyond the data; {@link #advance} finds
     * out whether more was used than there is.
     */
    int block(int sizeBytes) {
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
    void advance(int newPosition) {
        if (newPosition > limit) {
            throw truncated();
        }
        position = newPosition;
    }

    private HeapspanException truncated() {
        return malformed("a value reaches beyond the end of its frame");
    }

    private int dropping;

    /** Whether what is being read will not be kept. */
    boolean dropping() {
        return dropping > 0;
    }

    void beginDropping(boolean drops) {
        dropping += drops ? 1 : 0;
    }

    void endDropping(boolean drops) {
        dropping -= drops ? 1 : 0;
    }

    /** Whether nothing follows in the image. */
    boolean atEnd() {
        while (position == limit) {
            if (ended || (source instanceof FrameSource.OfArray array && array.atEnd())) {
                return true;
            }
            if (!loadFrame()) {
                return true;
            }
        }
        return false;
    }

    private void nextFrame() {
        do {
            if (ended || !loadFrame()) {
                throw malformed("the image ends where more of it is needed");
            }
        } while (position == limit);
    }

    /** Reads a frame's header and types and makes its body current; false for the end frame. */
    private boolean loadFrame() {
        try {
            source.readFully(head, 0, FRAME_HEADER_BYTES);
            int bodyBytes = (int) ImageFormat.INT.get(head, ImageFormat.FRAME_BODY_BYTES_OFFSET);
            int typesBytes = (int) ImageFormat.INT.get(head, ImageFormat.FRAME_TYPES_BYTES_OFFSET);
            int expectedCrc = (int) ImageFormat.INT.get(head, ImageFormat.FRAME_CRC_OFFSET);
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
                byte[] frame = readFrame(total);
                buffer = frame;
                start = 0;
            }
            if (checksum) {
                crc.reset();
                crc.update(buffer, start, total);
                if ((int) crc.getValue() != expectedCrc) {
                    throw malformed(String.format(
                            "the checksum of a frame of %d bytes is 0x%08x, expected 0x%08x: the bytes were altered on the way",
                            total, (int) crc.getValue(), expectedCrc));
                }
            }
            if (typesBytes > 0) {
                readTypes(start, typesBytes);
            }
            position = start + typesBytes;
            limit = start + total;
            return true;
        } catch (IOException e) {
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
        if (source instanceof FrameSource.OfArray array && bodyBytes + typesBytes > array.bytesAhead(0)) {
            throw malformed("a frame of " + (bodyBytes + typesBytes) + " bytes is announced, " + array.bytesAhead(0)
                    + " follow: the image is truncated");
        }
    }

    /** Reads a frame from a stream in growing steps, so that a false length costs no more memory than bytes that came. */
    private byte[] readFrame(int total) throws IOException {
        byte[] frame = new byte[Math.min(total, 1 << 20) + PADDING_BYTES];
        int have = 0;
        while (true) {
            int step = Math.min(total, frame.length - PADDING_BYTES) - have;
            source.readFully(frame, have, step);
            have += step;
            if (have == total) {
                return frame;
            }
            frame = Arrays.copyOf(frame, (int) Math.min((long) total, have * 2L) + PADDING_BYTES);
        }
    }

    private void readTypes(int start, int typesBytes) {
        Codec[] resolved = (flags & ImageFormat.FLAG_REGISTRY) != 0
                ? resolver.resolveNumbers(buffer, start, typesBytes, this)
                : resolver.resolve(buffer, start, typesBytes, this);
        int needed = typeCount + resolved.length;
        if (needed > types.length) {
            types = Arrays.copyOf(types, Math.max(needed, types.length * 2));
        }
        System.arraycopy(resolved, 0, types, typeCount, resolved.length);
        typeCount = needed;
    }

    HeapspanException malformed(String what) {
        return new HeapspanException(
                Category.MALFORMED, "the image is malformed near byte " + position + " of the current frame: " + what);
    }

    /** Lets go of everything that belongs to the image. */
    void release() {
        clearScope();
        objects = new Object[0];
        Arrays.fill(types, 0, typeCount, null);
        typeCount = 0;
        buffer = NO_BYTES;
        position = 0;
        limit = 0;
        source = new FrameSource.OfArray(NO_BYTES, 0, 0);
        if (pendingObjects.length > 1024) {
            pendingObjects = new Object[16];
            pendingCodecs = new Codec[16];
        }
    }
}
