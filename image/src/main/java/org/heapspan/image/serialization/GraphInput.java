package org.heapspan.image.serialization;

import java.io.DataInputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.NotActiveException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectInputValidation;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.io.OptionalDataException;
import java.io.StreamCorruptedException;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.heapspan.HeapspanException;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.HookInput;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.type.SerializationMethods;
import org.jspecify.annotations.Nullable;

/**
 * The object stream that methods of user classes see while their objects are read from an image; the counterpart of
 * {@link GraphOutput}.
 *
 * <p>Not thread-safe.
 */
public class GraphInput extends ObjectInputStream {
    private ImageReader reader;
    private final DataInputStream dataInput = new DataInputStream(new Data());

    // The object whose readObject runs, and how far its items have been read.
    private @Nullable Object current;
    private HookCodec.@Nullable LevelHooks level;
    private boolean items;
    private int dataLeft;
    private int peeked = NOTHING;
    private @Nullable FieldValues prepared;

    /** Set while a method of a class of the JDK reads. */
    private @Nullable JdkReading watch;

    /** The thread that may ask for the default fields of the current object, which it may do once. */
    private @Nullable Thread fieldsFor;

    /** How many methods of user classes are reading, one within another. */
    private int active;

    private static final int NOTHING = -1;

    private final List<Validation> validations = new ArrayList<>();

    private record Validation(ObjectInputValidation validation, int priority) {}

    /**
     * Creates a stream onto a reader.
     *
     * @throws IOException never; the superclass declares it
     */
    protected GraphInput(ImageReader reader) throws IOException {
        super();
        this.reader = reader;
        this.items = true;
    }

    /** This stream as its reader sees it. */
    private record Hooks(GraphInput input) implements HookInput {
        @Override
        public void clear() {
            input.clear();
        }

        @Override
        public void validate() {
            input.validate();
        }
    }

    /** The stream that hooks read from, which belongs to the reader. */
    static GraphInput forHooks(ImageReader reader) {
        return reader.hookInput() instanceof Hooks known ? known.input : makeForHooks(reader);
    }

    private static GraphInput makeForHooks(ImageReader reader) {
        try {
            GraphInput input = new GraphInput(reader);
            input.limitArrays();
            reader.setHookInput(new Hooks(input));
            return input;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets the image account for the arrays that readObject methods of the JDK ask for before they allocate them. */
    private void limitArrays() {
        setObjectInputFilter(info -> {
            JdkReading.makeRoom(reader, current == null ? Object.class : current.getClass(), info.arrayLength());
            return ObjectInputFilter.Status.UNDECIDED;
        });
    }

    protected final ImageReader reader() {
        return reader;
    }

    /** Takes another reader, as long as this one has read nothing. */
    protected final void useReader(ImageReader other) {
        reader = other;
    }

    /** Called before anything is read for the user. */
    protected void prepare() throws IOException {}

    /** Takes notice of an item that only streams have. */
    protected boolean atReset(int item) {
        return false;
    }

    /** Reads an object of the stream itself. */
    @Nullable
    protected Object readTop() throws IOException {
        return reader.readSection();
    }

    // ---------------------------------------------------------------- calls of hooks

    void callReadObject(MethodHandle readObject, Object object, HookCodec.LevelHooks hooks, boolean asItems) {
        callReadObject(readObject, object, hooks, asItems, null);
    }

    /** Calls the method with default fields that have been read already. */
    void callReadObject(MethodHandle readObject, Object object, HookCodec.LevelHooks hooks, FieldValues values) {
        callReadObject(readObject, object, hooks, false, values);
    }

    private void callReadObject(
            MethodHandle readObject,
            Object object,
            HookCodec.LevelHooks hooks,
            boolean asItems,
            @Nullable FieldValues values) {
        State outer = new State(this);
        enter(object, hooks, asItems);
        prepared = values;
        try {
            readObject.invoke(object, (ObjectInputStream) this);
            if (asItems) {
                skipItems();
            } else if (peeked == ImageFormat.ITEM_FIELDS) {
                readFieldsItem(new FieldCodec.Dropped());
            }
        } catch (Throwable e) {
            // The reader is used again: no later image may run what this one has registered.
            validations.clear();
            throw HookCodec.hookFailure(object.getClass(), "readObject", e);
        } finally {
            outer.restore(this);
        }
    }

    /** Reads an object whose class wrote items but here has no method to read them. */
    void readFieldsAndSkip(Object object, HookCodec.LevelHooks hooks) {
        State outer = new State(this);
        enter(object, hooks, true);
        try {
            if (peek() == ImageFormat.ITEM_FIELDS) {
                FieldCodec.Values values = hooks.targets.into(object);
                readFieldsItem(values);
                FieldTargets.settle(values);
            }
            skipItems();
        } finally {
            outer.restore(this);
        }
    }

    void callReadExternal(Externalizable object) {
        State outer = new State(this);
        active++;
        prepared = null;
        watch = null;
        current = null;
        level = null;
        fieldsFor = null;
        items = true;
        dataLeft = 0;
        peeked = NOTHING;
        try {
            object.readExternal(this);
            skipItems();
        } catch (Throwable e) {
            validations.clear();
            throw HookCodec.hookFailure(object.getClass(), "readExternal", e);
        } finally {
            outer.restore(this);
        }
    }

    private void enter(Object object, HookCodec.LevelHooks hooks, boolean asItems) {
        active++;
        prepared = null;
        watch = hooks.isReadByJdk && hooks.type != null ? new JdkReading(reader, object.getClass(), hooks.type) : null;
        current = object;
        level = hooks;
        fieldsFor = Thread.currentThread();
        items = asItems;
        dataLeft = 0;
        // A class that wrote plain fields looks like items that hold just those.
        peeked = asItems ? NOTHING : ImageFormat.ITEM_FIELDS;
    }

    private record State(
            @Nullable Object current,
            HookCodec.@Nullable LevelHooks level,
            boolean items,
            int dataLeft,
            int peeked,
            @Nullable FieldValues prepared,
            @Nullable JdkReading watch,
            @Nullable Thread fieldsFor,
            int active) {
        State(GraphInput input) {
            this(
                    input.current,
                    input.level,
                    input.items,
                    input.dataLeft,
                    input.peeked,
                    input.prepared,
                    input.watch,
                    input.fieldsFor,
                    input.active);
        }

        void restore(GraphInput input) {
            if (input.reader.isAbandoned()) {
                // Another thread may be within a method of this stream: it must not see one object with the fields of
                // another.
                return;
            }
            input.current = current;
            input.level = level;
            input.items = items;
            input.dataLeft = dataLeft;
            input.peeked = peeked;
            input.prepared = prepared;
            input.watch = watch;
            input.fieldsFor = fieldsFor;
            input.active = active;
        }
    }

    /** The next item's mark, which stays unread. */
    final int peek() {
        while (peeked == NOTHING) {
            takeMark();
        }
        return peeked;
    }

    private void takeMark() {
        int item = atEnd() ? ImageFormat.ITEM_END : reader.readByte();
        if (!atReset(item)) {
            peeked = item;
        }
    }

    /** Whether a byte, or the end, can be read without waiting; within an object what is asked for has to come. */
    protected boolean isReady() throws IOException {
        return true;
    }

    /** Whether the stream ends here; a stream within an image ends with a mark instead. */
    protected boolean atEnd() {
        return false;
    }

    private void skipItems() {
        while (true) {
            while (dataLeft > 0) {
                int portion = reader.portion(dataLeft);
                reader.position += portion;
                dataLeft -= portion;
            }
            switch (peek()) {
                case ImageFormat.ITEM_END -> {
                    return;
                }
                case ImageFormat.ITEM_DATA -> beginData();
                case ImageFormat.ITEM_OBJECT -> {
                    peeked = NOTHING;
                    reader.beginDropping(true);
                    reader.readSection();
                    reader.endDropping(true);
                }
                case ImageFormat.ITEM_FIELDS -> readFieldsItem(new FieldCodec.Dropped());
                default -> throw reader.malformed("item " + peeked);
            }
        }
    }

    /** Default fields that nobody asked for: a class without any need not call defaultReadObject. */
    private void skipFields() {
        if (peek() == ImageFormat.ITEM_FIELDS && level != null) {
            readFieldsItem(new FieldCodec.Dropped());
        }
    }

    private void beginData() {
        // The count may stand in the next frame, for which a stream may have to ask again.
        dataLeft = reader.readCount();
        peeked = NOTHING;
    }

    private void readFieldsItem(FieldCodec.Values values) {
        HookCodec.LevelHooks hooks = level;
        if (hooks == null) {
            throw reader.malformed("fields stand outside an object");
        }
        peeked = items ? NOTHING : ImageFormat.ITEM_END;
        FieldValues known = prepared;
        if (known != null) {
            known.copyTo(values);
        } else {
            int section = reader.beginSection();
            FieldCodec.readFields(reader, hooks.block, values);
            reader.endSection(section);
        }
        if (watch != null) {
            watch.readFields(hooks.block, values);
        }
    }

    // ---------------------------------------------------------------- ObjectInputStream

    @Override
    protected @Nullable Object readObjectOverride() throws IOException, ClassNotFoundException {
        prepare();
        if (dataLeft > 0) {
            throw optionalData(dataLeft);
        }
        skipFields();
        switch (peek()) {
            case ImageFormat.ITEM_OBJECT -> {
                peeked = NOTHING;
                Object object = readTop();
                if (watch != null) {
                    watch.read(object);
                }
                return object;
            }
            case ImageFormat.ITEM_DATA -> {
                beginData();
                throw optionalData(dataLeft);
            }
            case ImageFormat.ITEM_END -> throw endOfItems();
            default -> throw new StreamCorruptedException("an object is asked for where the image has fields");
        }
    }

    /** What reading an object at the end throws: as in Java serialization an OptionalDataException within an object. */
    protected IOException endOfItems() {
        return optionalData(0);
    }

    private static IOException optionalData(int length) {
        // Its constructors are not public; the fields are.
        try {
            OptionalDataException exception = (OptionalDataException) Allocation.OPTIONAL_DATA.newInstance();
            exception.length = length;
            exception.eof = length == 0;
            return exception;
        } catch (ReflectiveOperationException e) {
            return new StreamCorruptedException(
                    length == 0 ? "no object is left" : length + " bytes of primitive data come first");
        }
    }

    private static final class Allocation {
        static final java.lang.reflect.Constructor<?> OPTIONAL_DATA;

        static {
            java.lang.reflect.Constructor<?> constructor =
                    SerializationMethods.constructorFor(OptionalDataException.class, Object.class);
            if (constructor == null) {
                throw new IllegalStateException("no means to make an OptionalDataException");
            }
            OPTIONAL_DATA = constructor;
        }
    }

    @Override
    public @Nullable Object readUnshared() throws IOException, ClassNotFoundException {
        return readObjectOverride();
    }

    @Override
    public void defaultReadObject() throws IOException, ClassNotFoundException {
        HookCodec.LevelHooks hooks = beginFields();
        Object object = Objects.requireNonNull(current);
        if (peek() == ImageFormat.ITEM_FIELDS) {
            FieldCodec.Values values = hooks.targets.into(object);
            readFieldsItem(values);
            FieldTargets.settle(values);
        }
    }

    /** Takes the right to ask for the default fields, with the checks of Java's stream. */
    private HookCodec.LevelHooks beginFields() throws NotActiveException {
        HookCodec.LevelHooks hooks = level;
        if (hooks == null) {
            throw new NotActiveException("not in call to readObject");
        }
        if (fieldsFor != Thread.currentThread()) {
            throw new NotActiveException("not in readObject invocation or fields already read");
        }
        fieldsFor = null;
        if (dataLeft > 0) {
            throw new IllegalStateException("unread block data");
        }
        return hooks;
    }

    @Override
    public GetField readFields() throws IOException, ClassNotFoundException {
        HookCodec.LevelHooks hooks = beginFields();
        GetFieldValues values = new GetFieldValues(hooks);
        if (peek() == ImageFormat.ITEM_FIELDS) {
            readFieldsItem(values);
        }
        return values;
    }

    @Override
    public void registerValidation(ObjectInputValidation validation, int priority)
            throws NotActiveException, InvalidObjectException {
        if (active == 0) {
            throw new NotActiveException("stream inactive");
        }
        if (validation == null) {
            throw new InvalidObjectException("null callback");
        }
        int index = 0;
        while (index < validations.size() && validations.get(index).priority() > priority) {
            index++;
        }
        validations.add(index, new Validation(validation, priority));
    }

    /** Runs what was registered, highest priority first, of equal ones the last first, as Java does. */
    final void validate() {
        while (!validations.isEmpty()) {
            Validation next = validations.remove(0);
            try {
                next.validation().validateObject();
            } catch (InvalidObjectException | RuntimeException e) {
                validations.clear();
                throw HookCodec.hookFailure(next.validation().getClass(), "validateObject", e);
            }
        }
    }

    protected final void clear() {
        validations.clear();
        watch = null;
        current = null;
        level = null;
        fieldsFor = null;
        active = 0;
        items = true;
        dataLeft = 0;
        peeked = NOTHING;
    }

    @Override
    protected ObjectStreamClass readClassDescriptor() {
        throw new UnsupportedOperationException("an image describes classes in its own way");
    }

    @Override
    public int read() throws IOException {
        return dataInput.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        return dataInput.read(target, offset, length);
    }

    /** How many bytes of data come before the next object or the end; those of the current item in the current frame. */
    @Override
    public int available() throws IOException {
        try {
            // Step by step, because each may stand in another frame than the one before.
            while (dataLeft == 0) {
                if (!isReady()) {
                    return 0;
                }
                if (peeked == NOTHING) {
                    takeMark();
                } else if (peeked == ImageFormat.ITEM_DATA) {
                    beginData();
                } else if (peeked == ImageFormat.ITEM_FIELDS && level != null && level.block.slots.isEmpty()) {
                    skipFields();
                } else {
                    return 0;
                }
            }
            return isReady() ? reader.portion(dataLeft) : 0;
        } catch (HeapspanException e) {
            throw failed(e);
        }
    }

    @Override
    public long skip(long count) throws IOException {
        return dataInput.skip(count);
    }

    @Override
    public int skipBytes(int count) throws IOException {
        return dataInput.skipBytes(count);
    }

    @Override
    public boolean readBoolean() throws IOException {
        return dataInput.readBoolean();
    }

    @Override
    public byte readByte() throws IOException {
        return dataInput.readByte();
    }

    @Override
    public int readUnsignedByte() throws IOException {
        return dataInput.readUnsignedByte();
    }

    @Override
    public char readChar() throws IOException {
        return dataInput.readChar();
    }

    @Override
    public short readShort() throws IOException {
        return dataInput.readShort();
    }

    @Override
    public int readUnsignedShort() throws IOException {
        return dataInput.readUnsignedShort();
    }

    @Override
    public int readInt() throws IOException {
        return dataInput.readInt();
    }

    @Override
    public long readLong() throws IOException {
        return dataInput.readLong();
    }

    @Override
    public float readFloat() throws IOException {
        return dataInput.readFloat();
    }

    @Override
    public double readDouble() throws IOException {
        return dataInput.readDouble();
    }

    @Override
    public void readFully(byte[] target) throws IOException {
        dataInput.readFully(target);
    }

    @Override
    public void readFully(byte[] target, int offset, int length) throws IOException {
        dataInput.readFully(target, offset, length);
    }

    @Override
    @Deprecated
    public String readLine() throws IOException {
        return dataInput.readLine();
    }

    @Override
    public String readUTF() throws IOException {
        return dataInput.readUTF();
    }

    @Override
    public void close() throws IOException {}

    /** What a failure to read data is for the caller: within a hook it passes through the user's method as it is. */
    protected HeapspanException failed(HeapspanException e) throws IOException {
        return e;
    }

    /** The bytes of consecutive data items. */
    private final class Data extends InputStream {
        private boolean more() throws IOException {
            if (dataLeft > 0) {
                // A stream that was closed or has failed has none left.
                return true;
            }
            prepare();
            while (dataLeft == 0) {
                skipFields();
                if (peek() != ImageFormat.ITEM_DATA) {
                    return false;
                }
                beginData();
            }
            return true;
        }

        @Override
        public int read() throws IOException {
            try {
                if (!more()) {
                    return -1;
                }
                int value = reader.readByte() & 0xFF;
                dataLeft--;
                return value;
            } catch (HeapspanException e) {
                throw failed(e);
            }
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            try {
                if (!more()) {
                    return -1;
                }
                // No more than is there: what comes later may not come at once.
                int portion = reader.portion(Math.min(length, dataLeft));
                reader.readBytes(target, offset, portion);
                dataLeft -= portion;
                return portion;
            } catch (HeapspanException e) {
                throw failed(e);
            }
        }
    }

    /** Values of persistent fields, asked for by name. */
    private static final class GetFieldValues extends GetField implements FieldCodec.Values {
        private final HookCodec.LevelHooks hooks;
        private final long[] bits;
        private final @Nullable Object[] references;
        private boolean present;

        GetFieldValues(HookCodec.LevelHooks hooks) {
            this.hooks = hooks;
            int count = hooks.block.slots.size();
            bits = new long[count];
            references = new Object[count];
        }

        /**
         * Where the value of a field is, or {@link #NOTHING} if only the local class has the field.
         *
         * @param type its type, Object for any reference, null for any type
         */
        private int slot(String name, @Nullable Class<?> type) {
            int slot = hooks.slot(name, type);
            if (slot >= 0) {
                return present ? slot : NOTHING;
            }
            ObjectStreamField local = getObjectStreamClass().getField(name);
            if (local != null
                    && (type == null || type == local.getType() || type == Object.class && !local.isPrimitive())) {
                return NOTHING;
            }
            throw new IllegalArgumentException("no such field " + name + " with type " + type);
        }

        @Override
        public ObjectStreamClass getObjectStreamClass() {
            return ObjectStreamClass.lookupAny(hooks.type == null ? Object.class : hooks.type);
        }

        @Override
        public boolean defaulted(String name) {
            return slot(name, null) == NOTHING;
        }

        @Override
        public boolean get(String name, boolean value) {
            int slot = slot(name, boolean.class);
            return slot == NOTHING ? value : bits[slot] != 0;
        }

        @Override
        public byte get(String name, byte value) {
            int slot = slot(name, byte.class);
            return slot == NOTHING ? value : (byte) bits[slot];
        }

        @Override
        public char get(String name, char value) {
            int slot = slot(name, char.class);
            return slot == NOTHING ? value : (char) bits[slot];
        }

        @Override
        public short get(String name, short value) {
            int slot = slot(name, short.class);
            return slot == NOTHING ? value : (short) bits[slot];
        }

        @Override
        public int get(String name, int value) {
            int slot = slot(name, int.class);
            return slot == NOTHING ? value : (int) bits[slot];
        }

        @Override
        public long get(String name, long value) {
            int slot = slot(name, long.class);
            return slot == NOTHING ? value : bits[slot];
        }

        @Override
        public float get(String name, float value) {
            int slot = slot(name, float.class);
            return slot == NOTHING ? value : Float.intBitsToFloat((int) bits[slot]);
        }

        @Override
        public double get(String name, double value) {
            int slot = slot(name, double.class);
            return slot == NOTHING ? value : Double.longBitsToDouble(bits[slot]);
        }

        @Override
        public @Nullable Object get(String name, @Nullable Object value) {
            int slot = slot(name, Object.class);
            return slot == NOTHING ? value : references[slot];
        }

        @Override
        public long bits(int slot) {
            return bits[slot];
        }

        @Override
        public @Nullable Object reference(int slot) {
            return references[slot];
        }

        @Override
        public void setBits(int slot, long value) {
            present = true;
            bits[slot] = value;
        }

        @Override
        public void setReference(int slot, @Nullable Object value) {
            present = true;
            references[slot] = value;
        }
    }
}
