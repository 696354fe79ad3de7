package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.DEPTH_LIMIT;
import static org.heapspan.image.format.ImageFormat.STRING_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.STRING_FIRST_HEADER;
import static org.heapspan.image.format.ImageFormat.STRING_NULL;
import static org.heapspan.image.format.ImageFormat.TAG_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.TAG_DEFERRED;
import static org.heapspan.image.format.ImageFormat.TAG_FIRST_DESCRIBED_TYPE;
import static org.heapspan.image.format.ImageFormat.TAG_FIRST_TYPE;
import static org.heapspan.image.format.ImageFormat.TAG_NULL;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.FrameSource;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.StackRoom;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.MissingObject;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Reads object graphs from an image in the compact encoding. The portable engine: every byte is taken for hostile until it has
 * been compared with what the format, the limits and the classes allow, and nothing is allocated on the word of the image alone.
 *
 * <p>After the objects of a section have been read, hash containers whose keys may hash differently here are filled, and then
 * hooks of user classes run; {@code docs/formats/image.md} specifies the order.
 *
 * <p>Not thread-safe; pools of the engine hand readers out.
 */
public final class ImageReader extends FrameReader {
    private static final @Nullable RawMemory RAW = Access.RAW;
    private static final long OBJECT_ARRAY_SCALE = RAW == null ? 0 : RAW.arrayIndexScale(Object[].class);

    private static final Object[] NO_OBJECTS = {};

    /** A table of so many objects is not worth making anew for the next image. */
    private static final int KEPT_OBJECTS = 256;

    private Object[] objects = NO_OBJECTS;
    private int objectCount;
    /** Whether objects are kept for back references. */
    private boolean remembers;

    /** Beyond this many objects a larger table is needed, or there are more than the limits allow. */
    private long roomObjects;

    private int depth;
    private Codec[] pendingCodecs = new Codec[16];
    private Object[] pendingObjects = new Object[16];
    private int pendingCount;
    private boolean deferred;
    private final PostponedContainers postponed = new PostponedContainers();
    private final SubLists subLists = new SubLists();
    private @Nullable HookInput hookInput;

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
        firstIndex = 0;
        beginFrames(newSource);
        remembers = (flags() & ImageFormat.FLAG_NO_BACK_REFERENCES) == 0;
        roomObjects = remembers ? objects.length : resolver.limits().maxObjects();
    }

    /** Set while the image is raw. */
    private @Nullable RawInput raw;

    private final RawInput.Maker rawMaker;
    private @Nullable RawInput rawReader;

    /** The index of the first object read; in a raw image those below belong to copies. */
    private int firstIndex;

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

    public void setFirstIndex(int index) {
        firstIndex = index;
    }

    /** Forgets the objects read so far; the next one has index 0. */
    public void clearScope() {
        if (objectCount > 0) {
            Arrays.fill(objects, 0, Math.min(objectCount, objects.length), null);
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
        subLists.clear();
        depth = 0;
        dropping = 0;
        dropped.clear();
        sectionCount = 0;
        room.clear();
        if (hookInput != null) {
            hookInput.clear();
        }
        unfinished = false;
    }

    /** Reads a record, the counterpart of {@link ImageWriter#writeRecord}. */
    @Nullable
    public Object readRecord() {
        // Objects of the record before may stay in the table a little longer; only the count says what is valid.
        objectCount = 0;
        dropped.clear();
        Codec codec = rowCodec;
        int p = position;
        if (codec == null || p >= limit || RawBytes.getByte(buffer, p) != rowByte) {
            return readFirstOfRow();
        }
        position = p + 1;
        depth = 1;
        Object root = codec.read(this, null);
        StringForm.publish();
        if (unfinished) {
            finish();
        }
        return root;
    }

    // Records of a kind come in rows: the byte with which the latest began, and the codec it stands for, if it was the
    // tag of a type that the image describes.
    public int rowByte;
    private @Nullable Codec rowCodec;

    /** How many records the latest {@link #readRow} has put into its array, even if it failed. */
    private int rowEnd;

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
                objectCount = 0;
                dropped.clear();
                depth = 1;
                Object root = codec.read(this, null);
                if (unfinished) {
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
        room.clear();
        depth = 0;
        Object root = raw == null ? readReference(null) : raw.readRecord();
        StringForm.publish();
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
            StringForm.publish();
        }
        if (!subLists.isEmpty()) {
            subLists.settleAll(this);
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
    public Object readSection() {
        int section = beginSection();
        Object object = readReference(null);
        endSection(section);
        return object;
    }

    /** Begins a section: at its end everything that was read within it is complete. */
    public int beginSection() {
        int section = sectionCount;
        if (section + SECTION_FIELDS > sections.length) {
            sections = Arrays.copyOf(sections, sections.length * 2);
        }
        sections[section] = depth;
        sections[section + 1] = pendingCount;
        sections[section + 2] = postponed.count();
        sections[section + 3] = subLists.count();
        sectionCount = section + SECTION_FIELDS;
        depth = section < SHALLOW ? 0 : beginDeepSection();
        StringForm.publish();
        return section;
    }

    private int beginDeepSection() {
        room.checkNotAbandoned();
        return DEEP;
    }

    public void endSection(int section) {
        readPending(sections[section + 1]);
        StringForm.publish();
        if (!subLists.isEmpty()) {
            subLists.settleWhatIsComplete(sections[section + 3]);
        }
        int firstPostponed = sections[section + 2];
        if (postponed.count() > firstPostponed) {
            postponed.fill(firstPostponed);
        }
        depth = sections[section];
        sectionCount = section;
    }

    private static final int SECTION_FIELDS = 4;

    /** Value of {@link #sectionCount} from which on sections are not shallow. */
    private static final int SHALLOW = StackRoom.SHALLOW_SECTIONS * SECTION_FIELDS;

    /** Added to {@link #depth} in sections that are not shallow, so that what they hold is read the long way. */
    private static final int DEEP = 1 << 20;

    private int[] sections = new int[12];
    private int sectionCount;

    private final StackRoom room = new StackRoom();

    /** Whether the image was left to a thread that may still read it: then this reader is of no more use. */
    public boolean isAbandoned() {
        return room.isAbandoned();
    }

    /** Reads an element of a collection whose elements are all of one class. */
    @Nullable
    public Object readElement(Codec codec) {
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
            depth = sectionCount <= SHALLOW ? 1 : DEEP + 1;
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

    public void updateLater(ObjectUpdate update, Object object) {
        updates.add(new Update(update, object));
        unfinished = true;
    }

    private record Update(ObjectUpdate update, Object object) {}

    private final List<Update> updates = new ArrayList<>(0);

    private void runUpdates() {
        for (int i = 0; i < updates.size(); i++) {
            updates.get(i).update().update(updates.get(i).object());
        }
        updates.clear();
    }

    public SubLists subLists() {
        return subLists;
    }

    /** Something is left to be done once the root has been read. */
    void hasUnfinished() {
        unfinished = true;
    }

    public void postpone(PostponedContainers.Filler filler, Object container, Object[] entries) {
        postponed.add(filler, container, entries);
        unfinished = true;
    }

    @Nullable
    public Object readReference(@Nullable TypeHint hint) {
        int tag = readTag();
        if (tag >= TAG_FIRST_TYPE) {
            return readNew(codecOfTag(tag), hint);
        }
        return readSpecial(tag);
    }

    private @Nullable Object readNew(Codec codec, @Nullable TypeHint hint) {
        if (depth >= MOST_NESTED) {
            return readDeep(codec, hint);
        }
        depth++;
        Object object = codec.read(this, hint);
        depth--;
        return object;
    }

    private @Nullable Object readDeep(Codec codec, @Nullable TypeHint hint) {
        int nested = depth();
        if (nested >= MOST_NESTED && codec.has(Codec.DEFERRABLE)) {
            throw malformed("objects nest deeper than " + DEPTH_LIMIT);
        }
        int nesting = sectionCount / SECTION_FIELDS + Math.max(0, nested - DEPTH_LIMIT);
        depth++;
        Object object;
        if (codec.has(Codec.LEAF) || room.suffices(nesting)) {
            object = codec.read(this, hint);
        } else {
            Rest rest = new Rest(codec, hint);
            room.extend(nesting, rest);
            object = rest.object;
        }
        depth--;
        room.leave(nesting);
        return object;
    }

    /** An object that is read on a larger stack. */
    private final class Rest implements Runnable {
        private final Codec codec;
        private final @Nullable TypeHint hint;
        private @Nullable Object object;

        Rest(Codec codec, @Nullable TypeHint hint) {
            this.codec = codec;
            this.hint = hint;
        }

        @Override
        public void run() {
            object = codec.read(ImageReader.this, hint);
        }
    }

    /** So many objects lie one within another in place, and no more: the writer has deferred what lies deeper. */
    private static final int MOST_NESTED = DEPTH_LIMIT + 4;

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

    /**
     * Begins to read a reference that is most likely a new object of an expected class.
     *
     * @return whether it is: then the codec is to read the object, and {@link #endNested} to be called behind it; else nothing has been
     *     read
     */
    public boolean beginExpected(Codec expected) {
        int p = position;
        if (p >= limit || depth >= MOST_NESTED) {
            return false;
        }
        int tag = RawBytes.getByte(buffer, p) & 0xFF;
        int end = p + 1;
        if ((tag & 1) != 0) {
            tag >>>= 1;
        } else if ((tag & 2) != 0 && end < limit) {
            tag = (RawBytes.getByte(buffer, end++) & 0xFF) << 6 | tag >>> 2;
        } else {
            return false;
        }
        if (!isTagOf(tag, expected)) {
            return false;
        }
        position = end;
        depth++;
        return true;
    }

    /** Called behind an object within another. */
    public void endNested() {
        depth--;
    }

    /** Begins to read an element; false, with nothing read, if it is not a new object of the elements' class. */
    public boolean beginElement() {
        int p = position;
        if (p < limit && RawBytes.getByte(buffer, p) == ImageFormat.ELEMENT_NEW && depth < MOST_NESTED) {
            position = p + 1;
            depth++;
            return true;
        }
        return false;
    }

    /**
     * Reads a reference that must be assignable to the declared type.
     *
     * @param owner the object with the field
     * @param slot of the field in the block of the owner's local class
     */
    @Nullable
    public Object readDeclared(Class<?> declared, @Nullable TypeHint hint, Object owner, int slot) {
        Object object = readReference(hint);
        if (object != null && !declared.isInstance(object)) {
            throw ClassFields.field(resolver.registry().mode, owner.getClass(), slot)
                    .misfit(object);
        }
        return object;
    }

    /** Gives the next index to an object. */
    public void register(@Nullable Object object) {
        int index = objectCount;
        if (index >= roomObjects) {
            makeRoom();
        }
        if (remembers) {
            remember(index, object);
        }
        objectCount = index + 1;
    }

    private void remember(int index, @Nullable Object object) {
        if (RAW != null) {
            // Without the checks of index and element class, which have been made.
            RAW.putReference(objects, Access.OBJECT_ARRAY_BASE + index * OBJECT_ARRAY_SCALE, object);
        } else {
            objects[index] = object;
        }
    }

    /** Takes the next index for an object that exists only once its contents are read. */
    public int reserveIndex() {
        register(null);
        return objectCount - 1;
    }

    public void setObject(int index, Object object) {
        if (remembers) {
            objects[index] = object;
        }
    }

    @Override
    int objectCount() {
        return objectCount;
    }

    @Override
    int depth() {
        return depth < DEEP ? depth : depth - DEEP;
    }

    private void makeRoom() {
        long most = resolver.limits().maxObjects();
        if (roomObjects >= most) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image holds more than " + most + " objects, the limit of this reader (maxObjects)");
        }
        long larger = Math.min(Math.max(objects.length * 4L, 16), most);
        objects = Arrays.copyOf(objects, (int) larger);
        roomObjects = larger;
    }

    public Object object(int index) {
        int place = index - firstIndex;
        if (place < 0 && index >= 0 && raw != null) {
            return raw.copy(index);
        }
        if (place < 0 || place >= objectCount) {
            throw malformed("back reference to object " + index + ", " + objectCount + " are known");
        }
        if (!remembers) {
            throw malformed("back reference to object " + index + " in an image whose header says that it has none");
        }
        Object object = objects[place];
        if (object instanceof MissingObject missing && dropping == 0) {
            throw missing.toException();
        }
        if (dropped.mayHold(place) && dropping == 0 && object != null) {
            dropped.check(object);
        }
        if (object == null) {
            throw new HeapspanException(
                    Category.HOOK,
                    "object " + index + " is part of a cycle through an object that exists only once its contents are"
                            + " complete (an immutable collection, a serialization proxy); break the cycle or use a"
                            + " mutable class");
        }
        return object;
    }

    @Nullable
    public String readString() {
        int p = position;
        if (p < limit) {
            int first = RawBytes.getByte(buffer, p) & 0xFF;
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
    public Object readStringElement() {
        int p = position;
        if (p < limit && buffer[p] == (byte) (ImageFormat.STRING_OTHER << 1 | 1)) {
            position = p + 1;
            return readReference(null);
        }
        return readString();
    }

    /** The stream that hooks read from, for a hook that is about to run; null if there is none yet. */
    @Nullable
    public HookInput hookInput() {
        unfinished = true;
        StringForm.publish();
        return hookInput;
    }

    public void setHookInput(HookInput input) {
        hookInput = input;
    }

    private int dropping;

    /** Whether what is being read will not be kept. */
    public boolean dropping() {
        return dropping > 0;
    }

    public void beginDropping(boolean drops) {
        if (drops && dropping++ == 0) {
            dropped.begin(objectCount);
        }
    }

    public void endDropping(boolean drops) {
        if (drops && --dropping == 0) {
            dropped.end(objectCount);
        }
    }

    private final DroppedObjects dropped = new DroppedObjects();

    /** Takes notice of an object, among those that are dropped, whose class is missing. */
    public void addMissing() {
        dropped.addMissing();
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
        if (objects.length > KEPT_OBJECTS) {
            objects = NO_OBJECTS;
        } else {
            // Those of records before the last are still there.
            Arrays.fill(objects, null);
        }
        roomObjects = 0;
        releaseFrames();
        if (pendingObjects.length > 1024) {
            pendingObjects = new Object[16];
            pendingCodecs = new Codec[16];
        }
    }
}
