package org.heapspan.image.serialization;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.heapspan.image.serialization.ObjectDismantler.Part;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.SerializationMethods;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/**
 * Serializable classes with fields that nothing reaches here but the JDK's own object streams: those of the JDK, where reflection
 * is the only means and the JDK is older than 24. The streams take single objects apart and put them together
 * ({@link ObjectDismantler}, {@link ObjectAssembler}); the image is the same as by any other means.
 *
 * <p>The streams call the methods of the class themselves. They make objects and fill them in one step, so that an object which
 * another writer has deferred cannot be read.
 */
public final class StreamedCodec extends Codec {
    private final List<LevelForm> levels;
    private final List<LevelForm> localLevels;
    /** Set for classes that travel field by field: one block holds all levels' fields. */
    private final @Nullable FieldBlock merged;

    /** A class of the written hierarchy. */
    static final class LevelForm {
        private final Level level;
        private final FieldBlock block;
        private final @Nullable Class<?> type;
        private final List<LocalField> localFields = new ArrayList<>();

        LevelForm(Level level, @Nullable Class<?> type) {
            this.level = level;
            this.block = new FieldBlock(List.of(level));
            this.type = type != null && Serializable.class.isAssignableFrom(type) ? type : null;
            if (this.type != null) {
                ObjectStreamClass local = ObjectStreamClass.lookup(this.type);
                // The order of the block has primitive fields first, as the JDK wants it.
                for (int slot = 0; slot < block.slots.size(); slot++) {
                    TypeDescription.Field written = block.slots.get(slot).field();
                    ObjectStreamField field = local.getField(written.name());
                    if (field != null) {
                        ClassFields.checkType(this.type, written, field.getType());
                        localFields.add(new LocalField(
                                field.getName(),
                                field.getType(),
                                field.getType().descriptorString(),
                                slot));
                    }
                }
            }
        }

        Level level() {
            return level;
        }

        FieldBlock block() {
            return block;
        }

        Class<?> localType() {
            if (type == null) {
                throw new IllegalStateException("there is no class " + level.className() + " here");
            }
            return type;
        }

        /** The written fields that the class has here too. */
        List<LocalField> localFields() {
            return localFields;
        }

        boolean hasItems() {
            return (level.flags() & Level.HAS_WRITE_OBJECT) != 0;
        }

        int slotOf(String fieldName) {
            for (int slot = 0; slot < block.slots.size(); slot++) {
                if (block.slots.get(slot).field().name().equals(fieldName)) {
                    return slot;
                }
            }
            throw new IllegalStateException(level.className() + " has no field " + fieldName);
        }
    }

    /**
     * A field that image and local class have in common.
     *
     * @param type its type here
     * @param typeText the descriptor of its type
     * @param slot its place in the block of its level
     */
    record LocalField(String name, Class<?> type, String typeText, int slot) {
        boolean isPrimitive() {
            return type.isPrimitive();
        }
    }

    private StreamedCodec(Class<?> type, TypeDescription description, List<LevelForm> levels) {
        super(type, description, 0, TRACKED | CALLS_USER_CODE);
        this.levels = levels;
        this.localLevels = localLevels(type, description, levels);
        this.merged = description.kind() == Kind.FIELDS ? new FieldBlock(description.levels()) : null;
    }

    /** The codec that writes a class field by field; null if it is not needed, or does not suit because it misses some. */
    public static @Nullable StreamedCodec ofFields(Class<?> type, TypeDescription description) {
        StreamedCodec codec = of(type, description);
        // The JDK's streams leave out transient fields and those of classes that are not Serializable.
        boolean carriesAll = codec != null
                && codec.levels.stream().allMatch(form -> form.localFields.size() == form.block.slots.size());
        return carriesAll ? codec : null;
    }

    /** The codec of a class, or null if its objects can be read and made, or cannot be, without it. */
    public static @Nullable StreamedCodec of(Class<?> type, TypeDescription description) {
        if (Access.RAW != null
                || SerializationMethods.hasDefaultMethods()
                || type.isRecord()
                || !Serializable.class.isAssignableFrom(type)
                || !hasFieldOutOfReach(type)) {
            return null;
        }
        Map<String, Class<?>> local = ClassFields.hierarchy(type);
        List<LevelForm> levels = new ArrayList<>();
        for (Level level : description.levels()) {
            levels.add(new LevelForm(level, local.get(level.className())));
        }
        return new StreamedCodec(type, description, List.copyOf(levels));
    }

    /** The levels of which this JVM has the class, topmost first. */
    private static List<LevelForm> localLevels(Class<?> type, TypeDescription description, List<LevelForm> levels) {
        List<LevelForm> found = new ArrayList<>();
        for (Class<?> c = type; c != null && Serializable.class.isAssignableFrom(c); c = c.getSuperclass()) {
            Class<?> local = c;
            LevelForm form = levels.stream()
                    .filter(each -> each.type == local)
                    .findFirst()
                    .orElse(null);
            if (form == null && description.kind() == Kind.FIELDS) {
                // Its description leaves out classes without fields.
                form = new LevelForm(new Level(c.getName(), 0, List.of()), c);
            }
            if (form != null) {
                found.add(0, form);
            } else {
                HookCodec.checkMayBeAbsent(c, type);
            }
        }
        return List.copyOf(found);
    }

    private static boolean hasFieldOutOfReach(Class<?> type) {
        for (Class<?> c = type; c != null && Serializable.class.isAssignableFrom(c); c = c.getSuperclass()) {
            ObjectStreamClass streamClass = ObjectStreamClass.lookup(c);
            for (java.lang.reflect.Field field : ClassFields.instanceFields(c)) {
                if (streamClass.getField(field.getName()) != null && !new FieldAccess(field).isInReach()) {
                    return true;
                }
            }
        }
        return false;
    }

    // ---------------------------------------------------------------- writing

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        Map<String, List<Part>> parts = ObjectDismantler.dismantle(object, levels);
        FieldBlock whole = merged;
        if (whole != null) {
            FieldValues all = new FieldValues(whole);
            for (LevelForm form : levels) {
                all.take(form.block, form.level, fieldsOf(parts, form));
            }
            FieldCodec.writeFields(writer, whole, all);
            return;
        }
        int section = writer.beginSection();
        for (LevelForm form : levels) {
            if (form.hasItems()) {
                for (Part part : parts.getOrDefault(form.level.className(), List.of())) {
                    writeItem(writer, form, part);
                }
                writer.writeByte(ImageFormat.ITEM_END);
            } else {
                writeFields(writer, form, fieldsOf(parts, form));
            }
        }
        writer.endSection(section);
    }

    private static FieldValues fieldsOf(Map<String, List<Part>> parts, LevelForm form) {
        List<Part> ofLevel = parts.getOrDefault(form.level.className(), List.of());
        return ofLevel.size() == 1 && ofLevel.get(0) instanceof Part.Fields fields
                ? fields.values()
                : new FieldValues(form.block);
    }

    private static void writeItem(ImageWriter writer, LevelForm form, Part part) {
        if (part instanceof Part.Fields fields) {
            writer.writeByte(ImageFormat.ITEM_FIELDS);
            writeFields(writer, form, fields.values());
        } else if (part instanceof Part.Reference reference) {
            writer.writeByte(ImageFormat.ITEM_OBJECT);
            writer.writeSection(reference.object());
        } else if (part instanceof Part.Data data) {
            ByteBuffer bytes = data.bytes();
            writer.writeByte(ImageFormat.ITEM_DATA);
            writer.writeNumber(bytes.remaining());
            writer.writeBytes(bytes.array(), bytes.arrayOffset(), bytes.remaining());
        }
    }

    private static void writeFields(ImageWriter writer, LevelForm form, FieldValues values) {
        int section = writer.beginSection();
        FieldCodec.writeFields(writer, form.block, values);
        writer.endSection(section);
    }

    // ---------------------------------------------------------------- reading

    @Override
    public Object allocate(ImageReader reader) {
        throw new HeapspanException(
                Category.ACCESS,
                "an object of " + type.getName() + " is nested so deeply that its writer deferred its contents; under "
                        + Access.MACHINE.means()
                        + " it is created together with them; let the native library load (see heapspan doctor), or"
                        + " write it at a lower depth");
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("objects are read in one step");
    }

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        int index = reader.reserveIndex();
        Object made = ObjectAssembler.assemble(reader, type, localLevels, (empty, stream) -> {
            reader.setObject(index, empty);
            readContents(reader, stream);
        });
        reader.setObject(index, made);
        return made;
    }

    private void readContents(ImageReader reader, ObjectAssembler stream) throws IOException {
        FieldBlock whole = merged;
        if (whole != null) {
            FieldValues all = new FieldValues(whole);
            FieldCodec.readFields(reader, whole, all);
            for (LevelForm form : localLevels) {
                FieldValues values = all.of(form.block, form.level);
                watch(reader, form).readFields(form.block, values);
                stream.writeFields(form, values);
            }
            return;
        }
        int section = reader.beginSection();
        for (LevelForm form : levels) {
            boolean drops = form.type == null;
            reader.beginDropping(drops);
            if (form.hasItems()) {
                readItems(reader, form, stream);
            } else {
                readFields(reader, form, stream);
            }
            reader.endDropping(drops);
        }
        reader.endSection(section);
    }

    private JdkReading watch(ImageReader reader, LevelForm form) {
        return new JdkReading(reader, type, form.localType());
    }

    private void readFields(ImageReader reader, LevelForm form, ObjectAssembler stream) throws IOException {
        int section = reader.beginSection();
        FieldValues values = new FieldValues(form.block);
        FieldCodec.readFields(reader, form.block, values);
        reader.endSection(section);
        if (form.type != null) {
            watch(reader, form).readFields(form.block, values);
            stream.writeFields(form, values);
        }
    }

    private void readItems(ImageReader reader, LevelForm form, ObjectAssembler stream) throws IOException {
        boolean wanted = form.type != null;
        JdkReading watch = wanted ? watch(reader, form) : null;
        while (true) {
            int item = reader.readByte();
            switch (item) {
                case ImageFormat.ITEM_END -> {
                    if (wanted) {
                        stream.endItems();
                    }
                    return;
                }
                case ImageFormat.ITEM_FIELDS -> readFields(reader, form, stream);
                case ImageFormat.ITEM_OBJECT -> {
                    Object object = reader.readSection();
                    if (watch != null) {
                        watch.read(object);
                        stream.writeReference(object);
                    }
                }
                case ImageFormat.ITEM_DATA -> {
                    byte[] data = readData(reader);
                    if (wanted) {
                        stream.writeData(data);
                    }
                }
                default -> throw reader.malformed("item " + item);
            }
        }
    }

    /** Grows as the bytes come: their count is the image's word alone. */
    private static byte[] readData(ImageReader reader) {
        int left = reader.readCount();
        ByteArrayOutputStream data = new ByteArrayOutputStream(Math.min(left, 1 << 12));
        while (left > 0) {
            int portion = reader.portion(left);
            data.write(reader.buffer, reader.position, portion);
            reader.position += portion;
            left -= portion;
        }
        return data.toByteArray();
    }
}
