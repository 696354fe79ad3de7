package org.heapspan.image.serialization;

import java.io.DataOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.NotActiveException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import org.heapspan.HeapspanException;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * The object stream that methods of user classes see while their objects are written into an image, and the base of the public
 * object stream. What they write becomes a sequence of items:
 *
 * <pre>
 * items  = item* END
 * item   = DATA length:number bytes      primitive values and texts, big endian as in java.io.DataOutput
 *        | OBJECT section                a reference and everything below it
 *        | FIELDS block references       the default fields of the current class
 * </pre>
 *
 * <p>Not thread-safe.
 */
public class GraphOutput extends ObjectOutputStream {

    private static final int DATA_BYTES = 1 << 10;

    private final ImageWriter writer;
    /** Made when it is first needed: most streams carry objects only. */
    private byte[] data = new byte[0];

    private int dataCount;
    private final DataOutputStream dataOutput = new DataOutputStream(new OutputStream() {
        @Override
        public void write(int b) throws IOException {
            if (dataCount == data.length) {
                makeRoom();
            }
            data[dataCount++] = (byte) b;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (length > data.length - dataCount) {
                makeRoom();
                if (length > DATA_BYTES) {
                    writeData(bytes, offset, length);
                    return;
                }
            }
            System.arraycopy(bytes, offset, data, dataCount, length);
            dataCount += length;
        }
    });

    // The object whose writeObject runs.
    private @Nullable Object current;
    private HookCodec.@Nullable LevelHooks level;
    private @Nullable PutFieldValues putFields;

    /** The thread that may write the default fields of the current object, which it may do once. */
    private @Nullable Thread fieldsFor;

    /** Why something could not be written completely: even if the method that runs catches it, its object cannot be read. */
    private @Nullable Throwable failure;

    /**
     * Creates a stream onto a writer.
     *
     * @throws IOException never; the superclass declares it
     */
    protected GraphOutput(ImageWriter writer) throws IOException {
        super();
        this.writer = writer;
    }

    /** The stream that hooks write to, which belongs to the writer. */
    static GraphOutput forHooks(ImageWriter writer) {
        return writer.hookOutput() instanceof GraphOutput known ? known : makeForHooks(writer);
    }

    private static GraphOutput makeForHooks(ImageWriter writer) {
        try {
            GraphOutput output = new GraphOutput(writer);
            writer.setHookOutput(output);
            return output;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    protected final ImageWriter writer() {
        return writer;
    }

    private void makeRoom() throws IOException {
        checkOpen();
        flushData();
        if (data.length == 0) {
            data = new byte[DATA_BYTES];
        }
    }

    protected final void flushData() throws IOException {
        if (dataCount > 0) {
            int count = dataCount;
            dataCount = 0;
            writeData(data, 0, count);
        }
    }

    private void writeData(byte[] bytes, int offset, int length) throws IOException {
        writer.checkNotAbandoned();
        try {
            writer.writeByte(ImageFormat.ITEM_DATA);
            writer.writeNumber(length);
            writer.writeBytes(bytes, offset, length);
        } catch (HeapspanException e) {
            throw failed(e);
        }
    }

    /** What a failure to write data is for the caller: within a hook it passes through the user's method as it is. */
    protected HeapspanException failed(HeapspanException e) throws IOException {
        return e;
    }

    /**
     * Called before data is written to a new buffer.
     *
     * @throws IOException if the stream takes nothing any more
     */
    protected void checkOpen() throws IOException {}

    /** Forgets data that has not been written, and the buffer too, so that a later call finds out that the stream takes nothing any more. */
    protected final void dropData() {
        clearData();
        data = new byte[0];
    }

    private void clearData() {
        dataCount = 0;
    }

    // ---------------------------------------------------------------- calls of hooks

    void callWriteObject(MethodHandle writeObject, Object object, HookCodec.LevelHooks hooks) {
        Object outerObject = current;
        HookCodec.LevelHooks outerLevel = level;
        PutFieldValues outerFields = putFields;
        Thread outerFieldsFor = fieldsFor;
        Throwable outerFailure = failure;
        current = object;
        level = hooks;
        putFields = null;
        fieldsFor = Thread.currentThread();
        failure = null;
        try {
            writeObject.invoke(object, (ObjectOutputStream) this);
            checkNotFailed();
            flushData();
            writer.writeByte(ImageFormat.ITEM_END);
        } catch (Throwable e) {
            // The writer is used again: what this method has not handed over yet must not precede the next one's data.
            clearData();
            throw HookCodec.hookFailure(object.getClass(), "writeObject", e);
        } finally {
            restore(outerObject, outerLevel, outerFields, outerFieldsFor, outerFailure);
        }
    }

    void callWriteExternal(Externalizable object) {
        Object outerObject = current;
        HookCodec.LevelHooks outerLevel = level;
        PutFieldValues outerFields = putFields;
        Thread outerFieldsFor = fieldsFor;
        Throwable outerFailure = failure;
        current = null;
        level = null;
        putFields = null;
        fieldsFor = null;
        failure = null;
        try {
            object.writeExternal(this);
            checkNotFailed();
            flushData();
            writer.writeByte(ImageFormat.ITEM_END);
        } catch (Throwable e) {
            clearData();
            throw HookCodec.hookFailure(object.getClass(), "writeExternal", e);
        } finally {
            restore(outerObject, outerLevel, outerFields, outerFieldsFor, outerFailure);
        }
    }

    private void checkNotFailed() {
        if (failure != null) {
            throw Access.sneaky(failure);
        }
    }

    private void restore(
            @Nullable Object outerObject,
            HookCodec.@Nullable LevelHooks outerLevel,
            @Nullable PutFieldValues outerFields,
            @Nullable Thread outerFieldsFor,
            @Nullable Throwable outerFailure) {
        if (writer.isAbandoned()) {
            // Another thread may be within a method of this stream: it must not see one object with the fields of
            // another.
            return;
        }
        current = outerObject;
        level = outerLevel;
        putFields = outerFields;
        fieldsFor = outerFieldsFor;
        failure = outerFailure;
    }

    // ---------------------------------------------------------------- ObjectOutputStream

    @Override
    protected void writeObjectOverride(@Nullable Object object) throws IOException {
        flushData();
        try {
            writer.writeByte(ImageFormat.ITEM_OBJECT);
            writer.writeSection(object);
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public void writeUnshared(@Nullable Object object) throws IOException {
        flushData();
        try {
            writer.writeByte(ImageFormat.ITEM_OBJECT);
            writer.writeUnsharedRoot(object);
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public void defaultWriteObject() throws IOException {
        HookCodec.LevelHooks hooks = beginFields();
        writeFieldsItem(hooks, hooks.targets.of(Objects.requireNonNull(current)));
    }

    /** Takes the right to write the default fields, with the checks of Java's stream. */
    private HookCodec.LevelHooks beginFields() throws NotActiveException {
        HookCodec.LevelHooks hooks = level;
        if (hooks == null) {
            throw new NotActiveException("not in call to writeObject");
        }
        if (fieldsFor != Thread.currentThread()) {
            // Java says the same of both directions.
            throw new NotActiveException("not in readObject invocation or fields already read");
        }
        fieldsFor = null;
        return hooks;
    }

    private void writeFieldsItem(HookCodec.LevelHooks hooks, FieldCodec.Values values) throws IOException {
        flushData();
        try {
            writer.writeByte(ImageFormat.ITEM_FIELDS);
            int section = writer.beginSection();
            FieldCodec.writeFields(writer, hooks.block, values);
            writer.endSection(section);
        } catch (RuntimeException | Error e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public PutField putFields() throws IOException {
        PutFieldValues values = putFields;
        if (values == null) {
            values = new PutFieldValues(beginFields());
            putFields = values;
        }
        return values;
    }

    @Override
    public void writeFields() throws IOException {
        PutFieldValues values = putFields;
        if (values == null) {
            throw new NotActiveException("no current PutField object");
        }
        writeFieldsItem(values.hooks, values);
    }

    @Override
    protected void writeClassDescriptor(ObjectStreamClass descriptor) {
        throw new UnsupportedOperationException("an image describes classes in its own way");
    }

    @Override
    public void useProtocolVersion(int version) throws IOException {
        throw new IllegalStateException("stream non-empty");
    }

    @Override
    public void reset() throws IOException {
        throw new IOException("stream active");
    }

    @Override
    public void flush() throws IOException {
        // What is written within a hook leaves with the image around it.
    }

    @Override
    protected void drain() {}

    @Override
    public void close() throws IOException {}

    @Override
    public void write(int value) throws IOException {
        dataOutput.write(value);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        dataOutput.write(bytes, 0, bytes.length);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        dataOutput.write(bytes, offset, length);
    }

    @Override
    public void writeBoolean(boolean value) throws IOException {
        dataOutput.writeBoolean(value);
    }

    @Override
    public void writeByte(int value) throws IOException {
        dataOutput.writeByte(value);
    }

    @Override
    public void writeShort(int value) throws IOException {
        dataOutput.writeShort(value);
    }

    @Override
    public void writeChar(int value) throws IOException {
        dataOutput.writeChar(value);
    }

    @Override
    public void writeInt(int value) throws IOException {
        dataOutput.writeInt(value);
    }

    @Override
    public void writeLong(long value) throws IOException {
        dataOutput.writeLong(value);
    }

    @Override
    public void writeFloat(float value) throws IOException {
        dataOutput.writeFloat(value);
    }

    @Override
    public void writeDouble(double value) throws IOException {
        dataOutput.writeDouble(value);
    }

    @Override
    public void writeBytes(String text) throws IOException {
        dataOutput.writeBytes(text);
    }

    @Override
    public void writeChars(String text) throws IOException {
        dataOutput.writeChars(text);
    }

    @Override
    public void writeUTF(String text) throws IOException {
        dataOutput.writeUTF(text);
    }
}
