package org.heapspan.image.serialization;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamConstants;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.type.FieldAccess;
import org.jspecify.annotations.Nullable;

/**
 * Puts one object of a Serializable class together by the JDK's own object stream, which sets the fields of every class and calls
 * its methods; the counterpart of {@link ObjectDismantler}, in the same form.
 *
 * <p>The stream begins with a class above the hierarchy that does not exist here and whose only field holds an array with the
 * object itself. The JDK reads and drops it, and on the way shows the object, still empty, so that what is read for it may refer
 * back to it.
 */
final class ObjectAssembler extends ObjectInputStream {
    /** Reads what the object holds. */
    interface Contents {
        /**
         * Called once, when the object exists but nothing in it is set.
         *
         * @param object the empty object
         * @param stream where its contents go, level by level, topmost first
         */
        void read(Object object, ObjectAssembler stream) throws IOException;
    }

    /** No class has this name. */
    private static final String ABOVE_ALL = "-";

    /** Sets the texts that stand for objects apart from any other. */
    private static final char MARK = '\u0001';

    private static final long ANY_SERIAL_VERSION = 0;

    private final Feed feed;
    private final Contents contents;
    private final Map<String, Class<?>> classes = new HashMap<>();
    private final List<Object> references = new ArrayList<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    private final DataOutputStream out = new DataOutputStream(bytes);
    private boolean shown;

    private ObjectAssembler(Feed feed, Contents contents) throws IOException {
        super(feed);
        this.feed = feed;
        this.contents = contents;
        enableResolveObject(true);
    }

    /**
     * Makes an object.
     *
     * @param levels the classes of its hierarchy that both sides have, topmost first
     * @return the object, or what its {@code readResolve} gave
     */
    static @Nullable Object assemble(
            ImageReader reader, Class<?> type, List<StreamedCodec.LevelForm> levels, Contents contents) {
        try (Feed feed = new Feed()) {
            ObjectAssembler stream = new ObjectAssembler(feed, contents);
            stream.setObjectInputFilter(info -> {
                JdkReading.makeRoom(reader, type, info.arrayLength());
                return ObjectInputFilter.Status.UNDECIDED;
            });
            stream.writeHead(levels);
            return stream.readObject();
        } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
            throw HookCodec.hookFailure(type, "readObject", e);
        }
    }

    /** What has been made so far of the stream that is being read. */
    private static final class Feed extends InputStream {
        private byte[] bytes = {
            (byte) (ObjectStreamConstants.STREAM_MAGIC >>> 8),
            (byte) ObjectStreamConstants.STREAM_MAGIC,
            0,
            (byte) ObjectStreamConstants.STREAM_VERSION
        };

        private int position;

        void append(byte[] more) {
            if (position < bytes.length) {
                throw new IllegalStateException("the JDK's stream reads ahead otherwise than expected");
            }
            bytes = more;
            position = 0;
        }

        @Override
        public int available() {
            return bytes.length - position;
        }

        @Override
        public int read() {
            return position < bytes.length ? bytes[position++] & 0xFF : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            int portion = Math.min(length, bytes.length - position);
            if (portion == 0) {
                return length == 0 ? 0 : -1;
            }
            System.arraycopy(bytes, position, target, offset, portion);
            position += portion;
            return portion;
        }
    }

    private void writeHead(List<StreamedCodec.LevelForm> levels) throws IOException {
        out.writeByte(ObjectStreamConstants.TC_OBJECT);
        int handles = 0;
        for (int i = levels.size() - 1; i >= 0; i--) {
            handles += writeDescriptor(levels.get(i));
        }
        handles += writeDescriptor(ABOVE_ALL, ANY_SERIAL_VERSION, 0, 1);
        writeField("L", "object", "Ljava/lang/Object;");
        handles++;
        endDescriptor();
        out.writeByte(ObjectStreamConstants.TC_NULL);
        int objectHandle = ObjectStreamConstants.baseWireHandle + handles;

        out.writeByte(ObjectStreamConstants.TC_ARRAY);
        classes.put(Object[].class.getName(), Object[].class);
        writeDescriptor(Object[].class.getName(), ANY_SERIAL_VERSION, 0, 0);
        endDescriptor();
        out.writeByte(ObjectStreamConstants.TC_NULL);
        out.writeInt(1);
        out.writeByte(ObjectStreamConstants.TC_REFERENCE);
        out.writeInt(objectHandle);
        passOn();
    }

    /** Writes a descriptor; gives the count of handles that it takes. */
    private int writeDescriptor(StreamedCodec.LevelForm form) throws IOException {
        Class<?> type = form.localType();
        classes.put(type.getName(), type);
        List<StreamedCodec.LocalField> fields = form.localFields();
        int flags = form.hasItems() ? ObjectStreamConstants.SC_WRITE_METHOD : 0;
        int handles = writeDescriptor(
                type.getName(), ObjectStreamClass.lookup(type).getSerialVersionUID(), flags, fields.size());
        for (StreamedCodec.LocalField field : fields) {
            writeField(field.typeText().substring(0, 1), field.name(), field.typeText());
            handles += field.isPrimitive() ? 0 : 1;
        }
        endDescriptor();
        return handles;
    }

    private int writeDescriptor(String name, long serialVersion, int flags, int fieldCount) throws IOException {
        out.writeByte(ObjectStreamConstants.TC_CLASSDESC);
        out.writeUTF(name);
        out.writeLong(serialVersion);
        out.writeByte(ObjectStreamConstants.SC_SERIALIZABLE | flags);
        out.writeShort(fieldCount);
        return 1;
    }

    private void writeField(String code, String name, String typeText) throws IOException {
        out.writeBytes(code);
        out.writeUTF(name);
        if (typeText.length() > 1) {
            writeText(typeText);
        }
    }

    private void endDescriptor() throws IOException {
        out.writeByte(ObjectStreamConstants.TC_ENDBLOCKDATA);
    }

    private void writeText(String text) throws IOException {
        out.writeByte(ObjectStreamConstants.TC_STRING);
        out.writeUTF(text);
    }

    private void passOn() {
        feed.append(bytes.toByteArray());
        bytes.reset();
    }

    // ---------------------------------------------------------------- contents

    /** Takes the fields of a level. */
    void writeFields(StreamedCodec.LevelForm form, FieldCodec.Values values) throws IOException {
        for (StreamedCodec.LocalField field : form.localFields()) {
            long bits = field.isPrimitive() ? values.bits(field.slot()) : 0;
            switch (field.typeText().charAt(0)) {
                case 'Z', 'B' -> out.writeByte((int) bits);
                case 'S', 'C' -> out.writeShort((int) bits);
                case 'I', 'F' -> out.writeInt((int) bits);
                case 'J', 'D' -> out.writeLong(bits);
                default -> {
                    Object value = values.reference(field.slot());
                    if (value != null && !field.type().isInstance(value)) {
                        throw FieldAccess.misfit(form.localType(), field.name(), field.type(), value);
                    }
                    writeReference(value);
                }
            }
        }
    }

    /** Takes an object that a method will read. */
    void writeReference(@Nullable Object object) throws IOException {
        if (object == null) {
            out.writeByte(ObjectStreamConstants.TC_NULL);
        } else {
            references.add(object);
            writeText(MARK + Integer.toString(references.size() - 1));
        }
    }

    /** Takes primitive data that a method will read. */
    void writeData(byte[] data) throws IOException {
        if (data.length > 0) {
            out.writeByte(ObjectStreamConstants.TC_BLOCKDATALONG);
            out.writeInt(data.length);
            out.write(data);
        }
    }

    /** Ends a level that has items. */
    void endItems() throws IOException {
        out.writeByte(ObjectStreamConstants.TC_ENDBLOCKDATA);
    }

    // ---------------------------------------------------------------- ObjectInputStream

    @Override
    protected Class<?> resolveClass(ObjectStreamClass descriptor) throws ClassNotFoundException {
        Class<?> type = classes.get(descriptor.getName());
        if (type == null) {
            throw new ClassNotFoundException(descriptor.getName());
        }
        return type;
    }

    @Override
    protected @Nullable Object resolveObject(@Nullable Object object) throws IOException {
        if (!shown && object instanceof Object[] array) {
            shown = true;
            contents.read(array[0], this);
            passOn();
        } else if (object instanceof String text && !text.isEmpty() && text.charAt(0) == MARK) {
            return references.get(Integer.parseInt(text, 1, text.length(), 10));
        }
        return object;
    }
}
