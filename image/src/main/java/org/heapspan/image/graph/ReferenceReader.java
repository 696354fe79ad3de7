package org.heapspan.image.graph;

import static org.heapspan.image.format.ImageFormat.DEPTH_LIMIT;
import static org.heapspan.image.format.ImageFormat.STRING_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.STRING_FIRST_HEADER;
import static org.heapspan.image.format.ImageFormat.STRING_NULL;
import static org.heapspan.image.format.ImageFormat.TAG_BACK_REFERENCE;
import static org.heapspan.image.format.ImageFormat.TAG_DEFERRED;
import static org.heapspan.image.format.ImageFormat.TAG_FIRST_TYPE;
import static org.heapspan.image.format.ImageFormat.TAG_NULL;

import java.util.Arrays;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.memory.StackRoom;
import org.heapspan.image.type.ClassFields;
import org.jspecify.annotations.Nullable;

/**
 * Reads references and their targets: new objects, objects that have been read before, strings, elements of collections. It is the
 * counterpart of {@link ReferenceWriter}. Codecs use this class. {@link ImageReader} is the subclass that reads images. Not thread-safe.
 */
public abstract sealed class ReferenceReader extends IdentityReader permits ImageReader {
    /** So many objects lie one within another in place, and no more: the writer has deferred what lies deeper. */
    private static final int MOST_NESTED = DEPTH_LIMIT + 4;

    private static final int SECTION_FIELDS = 6;

    /** Value of {@link #sectionCount} from which on sections are not shallow. */
    private static final int SHALLOW = StackRoom.SHALLOW_SECTIONS * SECTION_FIELDS;

    /** Added to {@link #depth} in sections that are not shallow, so that what they hold is read the long way. */
    private static final int DEEP = 1 << 20;

    private final DeferredBodies deferred = new DeferredBodies();
    private final PostponedContainers postponed = new PostponedContainers();
    private final SubLists subLists = new SubLists();

    /** Set by whatever is left to be done when the root has been read. */
    private boolean unfinished;

    /** How deep the current object lies within its section. */
    private int depth;

    // For each section within which this is: the depth outside; where its deferred bodies, containers, sub lists and
    // objects begin; and the least reference outside.
    private int[] sections = new int[18];
    private int sectionCount;

    private final StackRoom room = new StackRoom();

    ReferenceReader(TypeResolver resolver) {
        super(resolver);
    }

    /** This, as codecs see it. */
    abstract ImageReader self();

    /** Forgets everything that was begun and not ended. */
    final void dropNested() {
        deferred.clear();
        postponed.clear();
        subLists.clear();
        depth = 0;
        sectionCount = 0;
        room.clear();
        unfinished = false;
    }

    /** Begins a root, on the stack that is there now. */
    final void beginRoot() {
        room.clear();
        depth = 0;
    }

    /** Begins to read a record whose tag has been read. */
    final void beginRecordBody() {
        depth = 1;
    }

    final boolean isUnfinished() {
        return unfinished;
    }

    /** Reads the bodies that were deferred, and completes the containers that waited for them. */
    final void finishObjects() {
        unfinished = false;
        if (deferred.count() > 0) {
            readDeferred(0);
            StringForm.publish();
        }
        if (!subLists.isEmpty()) {
            subLists.settleAll(self());
        }
        if (!postponed.isEmpty()) {
            postponed.fillLast();
        }
    }

    public SubLists subLists() {
        return subLists;
    }

    /** Something is left to be done once the root has been read. */
    final void hasUnfinished() {
        unfinished = true;
    }

    public void postpone(PostponedContainers.Filler filler, Object container, Object[] entries) {
        postponed.add(filler, container, entries);
        if (dropping()) {
            // What is kept may refer to it, and must not if it leads to an object of a missing class.
            postponed.fillLatestEarly();
        }
        unfinished = true;
    }

    @Override
    int depth() {
        return depth < DEEP ? depth : depth - DEEP;
    }

    // ---------------------------------------------------------------- sections

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
        sections[section + 1] = deferred.count();
        sections[section + 2] = postponed.count();
        sections[section + 3] = subLists.count();
        sections[section + 4] = objectCount();
        sections[section + 5] = leastReference;
        leastReference = Integer.MAX_VALUE;
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
        readDeferred(sections[section + 1]);
        StringForm.publish();
        if (!subLists.isEmpty()) {
            subLists.settleWhatIsComplete(sections[section + 3]);
        }
        int firstPostponed = sections[section + 2];
        boolean refersOutside = leastReference < sections[section + 4];
        leastReference = Math.min(leastReference, sections[section + 5]);
        // Deferred bodies outside may belong to keys of the containers that wait there.
        if (refersOutside && firstPostponed > 0 && sections[section + 1] == 0) {
            postponed.fillEarly(firstPostponed);
        }
        if (postponed.count() > firstPostponed) {
            postponed.fill(firstPostponed);
        }
        depth = sections[section];
        sectionCount = section;
    }

    /** Whether the image was left to a thread that may still read it: then this reader is of no more use. */
    public boolean isAbandoned() {
        return room.isAbandoned();
    }

    private void readDeferred(int first) {
        DeferredBodies bodies = deferred;
        for (int index = first; index < bodies.count(); index = bodies.next(first, index)) {
            depth = sectionCount <= SHALLOW ? 1 : DEEP + 1;
            bodies.codec(index).readBody(self(), bodies.take(index), null);
        }
        bodies.endSection(first);
        depth = 0;
    }

    // ---------------------------------------------------------------- references

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
        Object object = codec.read(self(), hint);
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
            object = codec.read(self(), hint);
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
            object = codec.read(self(), hint);
        }
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
        Object object = codec.allocate(self());
        register(object);
        deferred.add(codec, object);
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

    // ---------------------------------------------------------------- elements, strings

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
            if (known == null) {
                return null;
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
}
