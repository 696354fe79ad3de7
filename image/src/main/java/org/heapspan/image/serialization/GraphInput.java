package org.heapspan.image.serialization;

import java.io.Externalizable;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.NotActiveException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectInputValidation;
import java.io.ObjectStreamClass;
import java.io.StreamCorruptedException;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import org.heapspan.HeapspanException;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.HookInput;
import org.heapspan.image.graph.ImageReader;
import org.jspecify.annotations.Nullable;

/**
 * The object stream that methods of user classes see while their objects are read from an image; the counterpart of
 * {@link GraphOutput}.
 *
 * <p>Not thread-safe.
 */
public class GraphInput extends DataItemInput {
    private ImageReader reader;

    /** This stream while no method of a user class reads. */
    private final HookCall top = HookCall.withoutFields();

    /** The method of a user class that reads, within which others may wait, or {@link #top}. */
    private HookCall call = top;

    private final ObjectValidations validations = new ObjectValidations();

    /**
     * Creates a stream onto a reader.
     *
     * @throws IOException never; the superclass declares it
     */
    protected GraphInput(ImageReader reader) throws IOException {
        super();
        this.reader = reader;
    }

    /** This stream as its reader sees it. */
    private record Hooks(GraphInput input) implements HookInput {
        @Override
        public void clear() {
            input.clear();
        }

        @Override
        public void validate() {
            input.validations.run();
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
            JdkReading.makeRoom(
                    reader, call.object == null ? Object.class : call.object.getClass(), info.arrayLength());
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
        HookCall reading = call;
        try {
            return reader.readSection();
        } catch (RuntimeException | Error e) {
            reading.failure = e;
            throw e;
        }
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
        HookCall outer = enter(object, hooks, asItems, values);
        try {
            readObject.invoke(object, (ObjectInputStream) this);
            call.checkNotFailed();
            if (asItems) {
                skipItems();
            } else if (call.peeked == ImageFormat.ITEM_FIELDS) {
                readFieldsItem(new FieldCodec.Dropped());
            }
        } catch (Throwable e) {
            // The reader is used again: no later image may run what this one has registered.
            validations.clear();
            throw HookCodec.hookFailure(object.getClass(), "readObject", e);
        } finally {
            leaveTo(outer);
        }
    }

    /** Reads an object whose class wrote items but here has no method to read them. */
    void readFieldsAndSkip(Object object, HookCodec.LevelHooks hooks) {
        HookCall outer = enter(object, hooks, true, null);
        try {
            if (peek() == ImageFormat.ITEM_FIELDS) {
                FieldCodec.Values values = hooks.targets.into(object);
                readFieldsItem(values);
                FieldTargets.settle(values);
            }
            skipItems();
        } finally {
            leaveTo(outer);
        }
    }

    void callReadExternal(Externalizable object) {
        HookCall outer = call;
        call = HookCall.withoutFields();
        try {
            object.readExternal(this);
            call.checkNotFailed();
            skipItems();
        } catch (Throwable e) {
            validations.clear();
            throw HookCodec.hookFailure(object.getClass(), "readExternal", e);
        } finally {
            leaveTo(outer);
        }
    }

    /** Begins the call of a hook; gives the one around it. */
    private HookCall enter(Object object, HookCodec.LevelHooks hooks, boolean asItems, @Nullable FieldValues prepared) {
        HookCall outer = call;
        JdkReading watch =
                hooks.isReadByJdk && hooks.type != null ? new JdkReading(reader, object.getClass(), hooks.type) : null;
        call = new HookCall(object, hooks, asItems, prepared, watch);
        return outer;
    }

    private void leaveTo(HookCall outer) {
        // Else another thread may be within a method of this stream: it must not see one object with the fields of
        // another.
        if (!reader.isAbandoned()) {
            call = outer;
        }
    }

    // ---------------------------------------------------------------- items

    /** The next item's mark, which stays unread. */
    final int peek() {
        while (call.peeked == HookCall.NOTHING) {
            takeMark();
        }
        return call.peeked;
    }

    private void takeMark() {
        call.checkNotFailed();
        int item = atEnd() ? ImageFormat.ITEM_END : reader.readByte();
        if (!atReset(item)) {
            call.peeked = item;
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
            while (call.dataLeft > 0) {
                int portion = reader.portion(call.dataLeft);
                reader.position += portion;
                call.dataLeft -= portion;
            }
            switch (peek()) {
                case ImageFormat.ITEM_END -> {
                    return;
                }
                case ImageFormat.ITEM_DATA -> beginData();
                case ImageFormat.ITEM_OBJECT -> {
                    call.peeked = HookCall.NOTHING;
                    reader.beginDropping(true);
                    reader.readSection();
                    reader.endDropping(true);
                }
                case ImageFormat.ITEM_FIELDS -> readFieldsItem(new FieldCodec.Dropped());
                default -> throw reader.malformed("item " + call.peeked);
            }
        }
    }

    /** Default fields that nobody asked for: a class without any need not call defaultReadObject. */
    private void skipFields() {
        if (peek() == ImageFormat.ITEM_FIELDS && call.level != null) {
            readFieldsItem(new FieldCodec.Dropped());
        }
    }

    private void beginData() {
        // The count may stand in the next frame, for which a stream may have to ask again.
        call.dataLeft = reader.readCount();
        call.peeked = HookCall.NOTHING;
    }

    private void readFieldsItem(FieldCodec.Values values) {
        HookCodec.LevelHooks hooks = call.level;
        if (hooks == null) {
            throw reader.malformed("fields stand outside an object");
        }
        call.peeked = call.items ? HookCall.NOTHING : ImageFormat.ITEM_END;
        FieldValues known = call.prepared;
        if (known != null) {
            known.copyTo(values);
        } else {
            readFieldsSection(hooks, values);
        }
        if (call.watch != null) {
            call.watch.readFields(hooks.block, values);
        }
    }

    private void readFieldsSection(HookCodec.LevelHooks hooks, FieldCodec.Values values) {
        HookCall reading = call;
        try {
            int section = reader.beginSection();
            FieldCodec.readFields(reader, hooks.block, values);
            reader.endSection(section);
        } catch (RuntimeException | Error e) {
            reading.failure = e;
            throw e;
        }
    }

    // ---------------------------------------------------------------- ObjectInputStream

    @Override
    protected @Nullable Object readObjectOverride() throws IOException, ClassNotFoundException {
        prepare();
        if (call.dataLeft > 0) {
            throw OptionalData.exception(call.dataLeft);
        }
        skipFields();
        switch (peek()) {
            case ImageFormat.ITEM_OBJECT -> {
                call.peeked = HookCall.NOTHING;
                Object object = readTop();
                if (call.watch != null) {
                    call.watch.read(object);
                }
                return object;
            }
            case ImageFormat.ITEM_DATA -> {
                beginData();
                throw OptionalData.exception(call.dataLeft);
            }
            case ImageFormat.ITEM_END -> throw endOfItems();
            default -> throw new StreamCorruptedException("an object is asked for where the image has fields");
        }
    }

    /** What reading an object at the end throws: as in Java serialization an OptionalDataException within an object. */
    protected IOException endOfItems() {
        return OptionalData.exception(0);
    }

    @Override
    public @Nullable Object readUnshared() throws IOException, ClassNotFoundException {
        return readObjectOverride();
    }

    @Override
    public void defaultReadObject() throws IOException, ClassNotFoundException {
        HookCodec.LevelHooks hooks = beginFields();
        Object object = Objects.requireNonNull(call.object);
        if (peek() == ImageFormat.ITEM_FIELDS) {
            FieldCodec.Values values = hooks.targets.into(object);
            readFieldsItem(values);
            FieldTargets.settle(values);
        }
    }

    /** Takes the right to ask for the default fields, with the checks of Java's stream. */
    private HookCodec.LevelHooks beginFields() throws NotActiveException {
        HookCodec.LevelHooks hooks = call.level;
        if (hooks == null) {
            throw new NotActiveException("not in call to readObject");
        }
        if (call.fieldsFor != Thread.currentThread()) {
            throw new NotActiveException("not in readObject invocation or fields already read");
        }
        call.fieldsFor = null;
        if (call.dataLeft > 0) {
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
        if (call == top) {
            throw new NotActiveException("stream inactive");
        }
        validations.add(validation, priority);
    }

    protected final void clear() {
        validations.clear();
        call = top;
        top.clear();
    }

    @Override
    protected ObjectStreamClass readClassDescriptor() {
        throw new UnsupportedOperationException("an image describes classes in its own way");
    }

    /** How many bytes of data come before the next object or the end; those of the current item in the current frame. */
    @Override
    public int available() throws IOException {
        try {
            // Step by step, because each may stand in another frame than the one before.
            while (call.dataLeft == 0) {
                if (!isReady()) {
                    return 0;
                }
                if (call.peeked == HookCall.NOTHING) {
                    takeMark();
                } else if (call.peeked == ImageFormat.ITEM_DATA) {
                    beginData();
                } else if (call.peeked == ImageFormat.ITEM_FIELDS
                        && call.level != null
                        && call.level.block.slots.isEmpty()) {
                    skipFields();
                } else {
                    return 0;
                }
            }
            return isReady() ? reader.portion(call.dataLeft) : 0;
        } catch (HeapspanException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() throws IOException {}

    /** What a failure to read data is for the caller: within a hook it passes through the user's method as it is. */
    protected HeapspanException failed(HeapspanException e) throws IOException {
        return e;
    }

    // ---------------------------------------------------------------- data

    private boolean hasData() throws IOException {
        if (call.dataLeft > 0) {
            // A stream that was closed or has failed has none left.
            return true;
        }
        prepare();
        while (call.dataLeft == 0) {
            skipFields();
            if (peek() != ImageFormat.ITEM_DATA) {
                return false;
            }
            beginData();
        }
        return true;
    }

    @Override
    final int readDataByte() throws IOException {
        try {
            if (!hasData()) {
                return -1;
            }
            int value = reader.readByte() & 0xFF;
            call.dataLeft--;
            return value;
        } catch (HeapspanException e) {
            throw failed(e);
        }
    }

    @Override
    final int readDataBytes(byte[] target, int offset, int length) throws IOException {
        try {
            if (!hasData()) {
                return -1;
            }
            // No more than is there: what comes later may not come at once.
            int portion = reader.portion(Math.min(length, call.dataLeft));
            reader.readBytes(target, offset, portion);
            call.dataLeft -= portion;
            return portion;
        } catch (HeapspanException e) {
            throw failed(e);
        }
    }
}
