package org.heapspan.image.graph;

import org.heapspan.ObjectLinks;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.RefusedClass;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the objects of one class. Codecs of classes that are written field by field are generated. Codecs of JDK classes that
 * have their own form are written by hand.
 *
 * <p>An object has a <em>shape</em> and a <em>body</em>. The shape is what the reader needs to allocate the object: the length of an array,
 * and nothing for most classes. The two are separate for two reasons. The body of an object that is nested too deeply can be deferred to
 * the end of its section, so graphs of any depth are read and written with a bounded stack. And the reader knows an object before it reads
 * the body, so an object can refer to itself through a cycle.
 *
 * <p>Codecs have no state of a stream. Thread-safe.
 */
public abstract class Codec {
    private static final int MOST_RECORDS_BY_TABLE = 1023;

    /** The class whose direct instances this codec handles. */
    public final Class<?> type;

    /** What the image says about the class; {@code null} for built-in types, which the format describes. */
    public final @Nullable TypeDescription description;

    /** Tag of a built-in type, or 0 for a type that an image describes. */
    public final int builtInTag;

    /**
     * Dense number within the {@link CodecRegistry}, index of the writer's tables; -1 until given, before the codec is seen by others.
     * Another codec may have it once this one is gone.
     */
    public int serial = -1;

    /** Set with {@link #serial}; no other codec ever has it. */
    public long stamp = -1;

    // Records with such a root that go by the identity table at once, because earlier ones had hooks. An update of
    // another thread may be lost.
    private int recordsByTable;

    // How many do so if the next one has hooks.
    private int tablePause;

    // How many graphs with such a root SmallCopy does not try, and how many if it gives up the next one. An update of
    // another thread may be lost.
    int smallCopiesToSkip;
    int smallCopyPause;

    /** The most bytes for which an object asks the writer, tag apart, if it holds only primitive values and boxes; else 0. */
    public int mostBytes;

    /** How objects travel in raw images, once asked for: a {@code RawForm}, which only {@code RawForms} sets and reads. The same whoever finds out. */
    @Nullable
    public Object rawForm;

    /** What reads in this JVM what this writes, once asked for ({@link CodecRegistry#readerOf}); the same whoever finds out. */
    @Nullable
    Codec reader;

    private byte @Nullable [] descriptionBytes;

    public Codec(Class<?> type, @Nullable TypeDescription description, int builtInTag, int traits) {
        this.type = type;
        this.description = description;
        this.builtInTag = builtInTag;
        this.traits = traits;
    }

    /** Whether the next record with such a root is to be tried by the bits of slots, which do not suit hooks. */
    final boolean rootTriesBits() {
        int left = recordsByTable;
        if (left == 0) {
            return true;
        }
        recordsByTable = left - 1;
        return false;
    }

    /** Takes note of whether hooks would have run in a record that was tried. */
    final void learnRoot(boolean hooks) {
        if (hooks) {
            recordsByTable = tablePause;
            tablePause = Math.min(tablePause * 2 + 1, MOST_RECORDS_BY_TABLE);
        } else if (tablePause != 0) {
            tablePause >>= 1;
        }
    }

    /** Traits of the class, folded into one field because the writer asks for them for every object. */
    public final int traits;

    /** Identity of instances is kept. Not set for value-based classes, whose identity Java itself disowns. */
    public static final int TRACKED = 1;

    /** Instances refer to no other object. Such an object needs no entry in the identity table when it is a record's root. */
    public static final int LEAF = 2;

    /** The body may be written after the rest of its section instead of in place. */
    public static final int DEFERRABLE = 4;

    /** Writing calls code of the user, which must run only once for each object. */
    public static final int CALLS_USER_CODE = 8;

    /** Which codec writes an object depends on the object; see {@link #variant}. */
    public static final int VARIES = 16;

    /** A {@code NumberCodec}. */
    public static final int NUMBERED = 32;

    /** Instances refer to nothing but values without identity, so that nothing can refer back to them. */
    public static final int SELF_CONTAINED = 64;

    /**
     * All that {@link #read} gives is an instance of {@link #type}, whatever the image says and whatever methods the class has, so that
     * it may be stored unchecked where that class is declared. Never set where a {@code readResolve}, a provider or a name in the image
     * chooses the object.
     */
    public static final int SURE = 128;

    /** The traits of a class that travels field by field, as far as they follow from the kinds of its fields. */
    public static int traitsOf(TypeDescription description) {
        boolean leaf = true;
        for (TypeDescription.Level level : description.levels()) {
            for (TypeDescription.Field field : level.fields()) {
                leaf &= field.code() != TypeDescription.Field.REFERENCE && field.code() != TypeDescription.Field.STRING;
            }
        }
        return TRACKED | SURE | (leaf ? LEAF : DEFERRABLE);
    }

    /** Traits for which the common path of the writer has no room. */
    public static final int SPECIAL = CALLS_USER_CODE | VARIES;

    public final boolean has(int trait) {
        return (traits & trait) != 0;
    }

    /** Whether an object is complete as soon as it has been read, so that its hash code can be asked for. */
    public final boolean completeOnceRead() {
        return has(LEAF) && (builtInTag != 0 || has(NUMBERED));
    }

    /** The codec that writes this very object; called only where the trait {@link #VARIES} is set. */
    public Codec variant(ImageWriter writer, Object object) {
        return this;
    }

    /** Why this very object cannot travel, where others of its class can; null if it can. */
    @Nullable
    public RefusedClass refusalOf(Object object) {
        return null;
    }

    /** Writes what {@link #allocate} needs. */
    public void writeShape(ImageWriter writer, Object object) {}

    public abstract void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint);

    public void write(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        writeShape(writer, object);
        writeBody(writer, object, hint);
    }

    /**
     * As {@link #write}, at the caller's position (see {@link ByteWriter#reserveAt}). Codecs that are worth it do so without
     * storing the position.
     *
     * @return the position behind the object
     */
    public int writeAt(ImageWriter writer, Object object, @Nullable TypeHint hint, int position) {
        writer.position = position;
        write(writer, object, hint);
        return writer.position;
    }

    /**
     * Writes records that share nothing, each with its tag, as long as they are of this class and there is room for the largest; only
     * where {@link #mostBytes} is known: nothing can fail on the way.
     *
     * @return the first record that has not been written, or {@code end}
     */
    int writeRow(ImageWriter writer, @Nullable Object[] records, int start, int end, int tag) {
        byte[] buffer = writer.buffer;
        int lastPosition = buffer.length - mostBytes - ImageFormat.NUMBER_LIMIT_BYTES;
        int p = writer.position;
        int i = start;
        for (; i < end && p <= lastPosition; i++) {
            Object record = records[i];
            if (record == null || record.getClass() != type) {
                break;
            }
            p = writeAt(writer, record, null, ImageFormat.putNumber(buffer, p, tag));
        }
        writer.position = p;
        return i;
    }

    /**
     * Writes elements of an array that are most likely of this class, tracked and without other traits, each with a marker. Generated
     * codecs have a loop of their own, in which nothing is left to choose.
     *
     * @param slots as for {@code ElementsForm.write}
     * @return the position behind the elements
     */
    public int writeAll(ImageWriter writer, Object[] elements, Object slots, int count, int position) {
        int p = position;
        for (int i = 0; i < count; i++) {
            int bits = ElementSlots.bits(writer, slots, i);
            Object element = elements[i];
            p = writer.beginElement(element, ElementSlots.stable(writer, slots, i, bits), type, this, p);
            if (p >= 0) {
                p = writeAt(writer, element, null, p);
                writer.endNested();
            } else {
                p = ~p;
            }
        }
        return p;
    }

    /** Reads elements with markers into an array, the counterpart of {@link #writeAll}. */
    public void readAll(ImageReader reader, @Nullable Object[] target, int count) {
        for (int i = 0; i < count; i++) {
            if (reader.beginElement()) {
                ElementSlots.store(reader, target, i, read(reader, null));
                reader.endNested();
            } else {
                ElementSlots.store(reader, target, i, reader.readElement(this));
            }
        }
    }

    /**
     * Reads records of this class that share nothing, each with its tag, as long as they come in a row, there is room in the array, and all
     * bytes that such a record can have are there; only in generated codecs of objects that hold nothing but primitive values and boxes,
     * where nothing can be wrong with them. What is left is read one by one.
     *
     * @return how many records the array has now, with the reader behind the last of them
     */
    public int readRow(ImageReader reader, @Nullable Object[] target, int count) {
        return count;
    }

    /** Reads the shape and makes an object whose body is still empty. */
    public abstract Object allocate(ImageReader reader);

    public abstract void readBody(ImageReader reader, Object object, @Nullable TypeHint hint);

    /**
     * Reads a whole object and registers it with the reader before its body, where it is tracked.
     *
     * @return the object to refer to; it is not the allocated one where {@code readResolve} replaced it
     */
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        Object object = allocate(reader);
        reader.register(object);
        readBody(reader, object, hint);
        return object;
    }

    /**
     * Copies an object of a small graph, and what it refers to. Codecs that take part call {@link SmallCopy#add} with the copy, and {@link
     * SmallCopy#take} for each reference.
     *
     * @return null if the graph is given up
     */
    @Nullable
    public Object copySmall(SmallCopy graph, Object original) {
        return null;
    }

    /** What knows the objects that some of the fields refer to by number; null if all are copied. */
    @Nullable
    public ObjectLinks links() {
        return null;
    }

    /** The codec of those instances that images hold copies of; another only where they hold links in place of some. */
    public Codec copying() {
        return this;
    }

    /** The codec that an image describes where this one has written; another only where this one writes by its means. */
    public Codec described() {
        return this;
    }

    /** The description as the image carries it. */
    public final byte[] descriptionBytes() {
        byte[] bytes = descriptionBytes;
        if (bytes == null) {
            if (description == null) {
                throw new IllegalStateException(type + " is a built-in type, which images do not describe");
            }
            bytes = description.encode();
            descriptionBytes = bytes;
        }
        return bytes;
    }
}
