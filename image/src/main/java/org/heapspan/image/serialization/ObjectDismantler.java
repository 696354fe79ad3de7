package org.heapspan.image.serialization;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamConstants;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * Takes one object of a Serializable class apart by the JDK's own object stream, which reaches the fields of every class. The
 * stream writes the object alone: in place of each object that it refers to stands a text with a number, so that what comes out
 * (Java Object Serialization Specification, chapter 6) is short and has one shape for all classes.
 *
 * <p>An object with {@code writeReplace} that the object refers to is replaced before the stream asks for it; the
 * replacement travels, and what it resolves to is another object than the original, should that occur elsewhere in the graph.
 */
final class ObjectDismantler extends ObjectOutputStream {
    /** What a class of the hierarchy has written, in order. */
    sealed interface Part {
        /** All serializable fields of the class. */
        record Fields(FieldValues values) implements Part {}

        /** Primitive data as {@link java.io.DataOutput} has it. */
        record Data(ByteBuffer bytes) implements Part {}

        /** An object. */
        record Reference(@Nullable Object object) implements Part {}
    }

    private final ByteArrayOutputStream bytes;
    private boolean begun;
    private final List<Object> references = new ArrayList<>();
    /** Classes in the order of their descriptors. */
    private final List<Class<?>> describedClasses = new ArrayList<>();
    /** Where in the stream methods have written the fields of their classes. */
    private final ArrayDeque<Integer> fieldPositions = new ArrayDeque<>();

    private ObjectDismantler(ByteArrayOutputStream bytes) throws IOException {
        super(bytes);
        this.bytes = bytes;
        enableReplaceObject(true);
    }

    /**
     * Takes an object apart.
     *
     * @param levels the classes of its hierarchy
     * @return the parts by names of the classes
     */
    static Map<String, List<Part>> dismantle(Object object, List<StreamedCodec.LevelForm> levels) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try {
            ObjectDismantler stream = new ObjectDismantler(bytes);
            stream.writeObject(object);
            stream.flush();
            return stream.new Parser(object, ByteBuffer.wrap(bytes.toByteArray()), levels).parse();
        } catch (IOException | RuntimeException e) {
            throw HookCodec.hookFailure(object.getClass(), "writeObject", e);
        }
    }

    @Override
    protected Object replaceObject(Object object) {
        if (!begun) {
            begun = true;
            return object;
        }
        references.add(object);
        return Integer.toString(references.size() - 1);
    }

    @Override
    protected void annotateClass(Class<?> type) {
        describedClasses.add(type);
    }

    @Override
    protected void annotateProxyClass(Class<?> type) {
        describedClasses.add(type);
    }

    @Override
    public void defaultWriteObject() throws IOException {
        markFields();
        super.defaultWriteObject();
    }

    @Override
    public void writeFields() throws IOException {
        markFields();
        super.writeFields();
    }

    /** Nothing in the stream itself tells the fields from data that might stand there. */
    private void markFields() throws IOException {
        flush();
        fieldPositions.add(bytes.size());
    }

    private record Field(char code, String name) {}

    private record Descriptor(
            @Nullable Class<?> type,
            String name,
            int flags,
            List<Field> fields,
            @Nullable Descriptor superclass) {}

    /** Reads the stream. */
    private final class Parser {
        private final Object root;
        private final ByteBuffer in;
        private final Map<String, StreamedCodec.LevelForm> levels = new HashMap<>();
        /** What the stream's handles stand for: descriptors, classes, texts, the root. */
        private final List<Object> handles = new ArrayList<>();

        private int descriptorCount;

        Parser(Object root, ByteBuffer in, List<StreamedCodec.LevelForm> levels) {
            this.root = root;
            this.in = in;
            levels.forEach(form -> this.levels.put(form.level().className(), form));
        }

        Map<String, List<Part>> parse() {
            in.position(2 * Short.BYTES); // magic and version
            if (in.get() != ObjectStreamConstants.TC_OBJECT) {
                throw unexpected("no object");
            }
            Descriptor descriptor = descriptor();
            handles.add(root);
            ArrayDeque<Descriptor> hierarchy = new ArrayDeque<>();
            for (Descriptor each = descriptor; each != null; each = each.superclass) {
                hierarchy.addFirst(each);
            }
            Map<String, List<Part>> parts = new HashMap<>();
            hierarchy.forEach(each -> parts.put(each.name, parts(each)));
            return parts;
        }

        private List<Part> parts(Descriptor descriptor) {
            List<Part> parts = new ArrayList<>();
            if ((descriptor.flags & ObjectStreamConstants.SC_WRITE_METHOD) == 0) {
                if (!descriptor.fields.isEmpty()) {
                    parts.add(fields(descriptor));
                }
                return parts;
            }
            while (true) {
                Integer fieldPosition = fieldPositions.peek();
                if (fieldPosition != null && fieldPosition == in.position()) {
                    fieldPositions.remove();
                    parts.add(fields(descriptor));
                    continue;
                }
                switch (in.get(in.position())) {
                    case ObjectStreamConstants.TC_ENDBLOCKDATA -> {
                        in.get();
                        return parts;
                    }
                    case ObjectStreamConstants.TC_BLOCKDATA -> {
                        in.get();
                        parts.add(data(in.get() & 0xFF));
                    }
                    case ObjectStreamConstants.TC_BLOCKDATALONG -> {
                        in.get();
                        parts.add(data(in.getInt()));
                    }
                    default -> parts.add(new Part.Reference(content()));
                }
            }
        }

        private Part data(int length) {
            ByteBuffer data = in.slice(in.position(), length);
            in.position(in.position() + length);
            return new Part.Data(data);
        }

        private Part fields(Descriptor descriptor) {
            StreamedCodec.LevelForm form = levels.get(descriptor.name);
            if (form == null) {
                throw unexpected("class " + descriptor.name + " of the hierarchy");
            }
            FieldValues values = new FieldValues(form.block());
            for (Field field : descriptor.fields) {
                int slot = form.slotOf(field.name);
                switch (field.code) {
                    case 'Z', 'B' -> values.setBits(slot, in.get());
                    case 'S' -> values.setBits(slot, in.getShort());
                    case 'C' -> values.setBits(slot, in.getChar());
                    case 'I', 'F' -> values.setBits(slot, in.getInt());
                    case 'J', 'D' -> values.setBits(slot, in.getLong());
                    default -> values.setReference(slot, content());
                }
            }
            return new Part.Fields(values);
        }

        private @Nullable Object content() {
            switch (in.get()) {
                case ObjectStreamConstants.TC_NULL -> {
                    return null;
                }
                case ObjectStreamConstants.TC_REFERENCE -> {
                    return meant(handle());
                }
                case ObjectStreamConstants.TC_STRING -> {
                    return meant(text());
                }
                case ObjectStreamConstants.TC_CLASS -> {
                    Descriptor descriptor = descriptor();
                    Class<?> type = descriptor == null ? null : descriptor.type;
                    if (type == null) {
                        throw unexpected("a class without a descriptor");
                    }
                    handles.add(type);
                    return type;
                }
                default -> throw unexpected("content " + in.get(in.position() - 1));
            }
        }

        /** The object for which something in the stream stands. */
        private Object meant(Object inStream) {
            return inStream instanceof String number ? references.get(Integer.parseInt(number)) : inStream;
        }

        private Object handle() {
            return handles.get(in.getInt() - ObjectStreamConstants.baseWireHandle);
        }

        private String text() {
            String text = rawText();
            handles.add(text);
            return text;
        }

        private String rawText() {
            byte[] text = new byte[in.getShort() & 0xFFFF];
            in.get(text);
            // Modified UTF-8; it differs for characters that names of the JDK's classes do not have.
            return new String(text, StandardCharsets.UTF_8);
        }

        private @Nullable Descriptor descriptor() {
            switch (in.get()) {
                case ObjectStreamConstants.TC_NULL -> {
                    return null;
                }
                case ObjectStreamConstants.TC_REFERENCE -> {
                    return (Descriptor) handle();
                }
                case ObjectStreamConstants.TC_CLASSDESC -> {
                    return newDescriptor();
                }
                case ObjectStreamConstants.TC_PROXYCLASSDESC -> {
                    return newProxyDescriptor();
                }
                default -> throw unexpected("class descriptor " + in.get(in.position() - 1));
            }
        }

        private Descriptor newDescriptor() {
            String name = rawText();
            in.getLong(); // serialVersionUID
            int index = handles.size();
            handles.add(name);
            int flags = in.get();
            int fieldCount = in.getShort();
            List<Field> fields = new ArrayList<>(fieldCount);
            for (int i = 0; i < fieldCount; i++) {
                char code = (char) in.get();
                fields.add(new Field(code, rawText()));
                if (code == 'L' || code == '[') {
                    if (in.get() == ObjectStreamConstants.TC_STRING) {
                        text();
                    } else {
                        handle();
                    }
                }
            }
            return describe(index, name, flags, fields);
        }

        private Descriptor newProxyDescriptor() {
            int index = handles.size();
            handles.add("proxy");
            int interfaces = in.getInt();
            for (int i = 0; i < interfaces; i++) {
                rawText();
            }
            return describe(index, "proxy", 0, List.of());
        }

        private Descriptor describe(int index, String name, int flags, List<Field> fields) {
            Class<?> type = describedClasses.get(descriptorCount++);
            if (in.get() != ObjectStreamConstants.TC_ENDBLOCKDATA) {
                throw unexpected("an annotation of class " + name);
            }
            Descriptor descriptor = new Descriptor(type, name, flags, fields, descriptor());
            handles.set(index, descriptor);
            return descriptor;
        }

        private HeapspanException unexpected(String what) {
            return new HeapspanException(
                    Category.ACCESS,
                    "an object of " + root.getClass().getName() + " cannot be read by Java serialization under "
                            + Access.MACHINE.means() + ": its stream has " + what + " at byte " + in.position()
                            + "; let the native library load (see heapspan doctor)");
        }
    }
}
