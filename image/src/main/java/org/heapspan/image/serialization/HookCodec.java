package org.heapspan.image.serialization;

import java.io.IOException;
import java.io.InvalidClassException;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.type.Allocator;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.SerializationMethods;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/**
 * Classes that take part in Java serialization by methods of their own: {@code writeObject}, {@code readObject},
 * {@code readObjectNoData}, {@code readResolve}, {@code serialPersistentFields}. The methods are honoured in the order in which
 * Java serialization calls them, on streams that write into and read from the image ({@link GraphOutput}, {@link GraphInput}), so
 * that sharing and cycles across the object's border survive.
 *
 * <p>The object's body is a section: what it refers to is complete when {@code readObject} has it, and hash containers within
 * are filled, before {@code readResolve} runs.
 */
public final class HookCodec extends Codec {
    private final List<LevelHooks> levels;
    private final Allocator allocator;
    private final @Nullable MethodHandle readResolve;
    /** Set where the class was written field by field and has methods only here: one block holds all levels' fields. */
    private final @Nullable FieldBlock merged;

    /** A class of the hierarchy with its methods and fields. */
    static final class LevelHooks {
        final Level level;
        /** Null where the written hierarchy has a class that the local one lacks. */
        final @Nullable Class<?> type;

        final FieldBlock block;
        final FieldTargets targets;
        /** Set where the class is a record that cannot be filled after it has been made. */
        final @Nullable RecordMaker recordMaker;

        final @Nullable MethodHandle writeObject;
        final @Nullable MethodHandle readObject;
        final @Nullable MethodHandle readObjectNoData;
        /** The class is only in the local hierarchy. */
        final boolean absentInImage;
        /** The method that reads is one of the JDK's. */
        final boolean isReadByJdk;

        LevelHooks(CodecRegistry registry, Level level, @Nullable Class<?> type, boolean absentInImage) {
            this.level = level;
            this.type = type;
            this.absentInImage = absentInImage;
            block = new FieldBlock(List.of(level));
            @Nullable FieldAccess[] bySlot = new FieldAccess[block.slots.size()];
            if (type == null || !Serializable.class.isAssignableFrom(type)) {
                writeObject = null;
                readObject = null;
                readObjectNoData = null;
                isReadByJdk = false;
                targets = new FieldTargets(bySlot);
                recordMaker = null;
                return;
            }
            boolean record = type.isRecord();
            writeObject = record ? null : SerializationMethods.writeObject(type);
            readObject = record ? null : SerializationMethods.readObject(type);
            readObjectNoData = record ? null : SerializationMethods.readObjectNoData(type);
            isReadByJdk = readObject != null && JdkClasses.contain(type);
            for (int i = 0; i < bySlot.length; i++) {
                bySlot[i] = target(type, block.slots.get(i).field());
            }
            targets = new FieldTargets(bySlot);
            recordMaker = RecordMaker.handles(type) ? new RecordMaker(type, block, bySlot) : null;
        }

        /**
         * The slot of a written field, or -1 if there is none.
         *
         * @param fieldType Object for any reference, null for any type
         */
        int slot(String fieldName, @Nullable Class<?> fieldType) {
            char code = fieldType == null ? 0 : fieldType.descriptorString().charAt(0);
            for (int i = 0; i < block.slots.size(); i++) {
                FieldBlock.Slot slot = block.slots.get(i);
                if (slot.field().name().equals(fieldName)) {
                    boolean asString = code == 'L' && slot.code() == TypeDescription.Field.STRING;
                    return code == 0 || code == slot.code() || asString ? i : -1;
                }
            }
            return -1;
        }

        private static @Nullable FieldAccess target(Class<?> type, TypeDescription.Field written) {
            try {
                java.lang.reflect.Field field = type.getDeclaredField(written.name());
                if (java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    return null;
                }
                var persistent = java.io.ObjectStreamClass.lookupAny(type).getField(written.name());
                if (persistent != null) {
                    ClassFields.checkType(type, written, persistent.getType());
                }
                // A persistent field may have a real one of its name and another type (java.util.Random.seed).
                boolean sameType = ClassFields.mayHold(written, field.getType());
                return persistent != null && sameType ? new FieldAccess(field) : null;
            } catch (NoSuchFieldException persistentFieldWithoutField) {
                return null;
            }
        }
    }

    public HookCodec(CodecRegistry registry, Class<?> type, TypeDescription description) {
        super(type, description, 0, TRACKED | CALLS_USER_CODE | deferrable(description));
        levels = levels(registry, type, description);
        allocator = Allocator.asSerialization(type);
        readResolve = SerializationMethods.readResolve(type);
        merged = description.kind() == TypeDescription.Kind.FIELDS ? new FieldBlock(description.levels()) : null;
    }

    private static int deferrable(TypeDescription description) {
        return description.kind() == TypeDescription.Kind.FIELDS ? DEFERRABLE : 0;
    }

    private static List<LevelHooks> levels(CodecRegistry registry, Class<?> type, TypeDescription description) {
        Map<String, Class<?>> local = ClassFields.hierarchy(type);
        List<LevelHooks> levels = new ArrayList<>();
        for (Level level : description.levels()) {
            levels.add(new LevelHooks(registry, level, local.get(level.className()), false));
        }
        for (Level level : ClassFields.hookDescription(type).levels()) {
            if (description.levels().stream().noneMatch(l -> l.className().equals(level.className()))) {
                Class<?> absent = local.get(level.className());
                boolean hasFields = !level.fields().isEmpty() || description.kind() != TypeDescription.Kind.FIELDS;
                if (absent != null && hasFields) {
                    checkMayBeAbsent(absent, type);
                }
                // A level without fields leaves no trace in an image written field by field; the class itself was
                // there.
                boolean absentThere = !level.className().equals(description.name());
                levels.add(new LevelHooks(
                        registry,
                        new Level(level.className(), 0, List.of()),
                        local.get(level.className()),
                        absentThere));
            }
        }
        return List.copyOf(levels);
    }

    /** Refuses an image without the part of a class of the JDK that restores its state in {@code readObject}. */
    static void checkMayBeAbsent(Class<?> absent, Class<?> type) {
        if (JdkClasses.contain(absent) && SerializationMethods.readObject(absent) != null) {
            // Classes of the JDK restore invariants there (a lock its state); without it they may wait for ever.
            throw new HeapspanException(
                    Category.EVOLUTION,
                    "the image lacks the part of " + absent.getName() + " within " + type.getName()
                            + ", which this JDK needs to restore such an object");
        }
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        int section = writer.beginSection();
        for (LevelHooks level : levels) {
            MethodHandle writeObject = level.writeObject;
            if (writeObject == null) {
                int fields = writer.beginSection();
                FieldCodec.writeFields(writer, level.block, level.targets.of(object));
                writer.endSection(fields);
            } else {
                GraphOutput output = GraphOutput.forHooks(writer);
                output.callWriteObject(writeObject, object, level);
            }
        }
        writer.endSection(section);
    }

    @Override
    public Object allocate(ImageReader reader) {
        return allocator.allocate(type);
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        FieldBlock whole = merged;
        if (whole != null) {
            readMerged(reader, object, whole);
            if (readResolve != null && resolve(readResolve, type, object) != object) {
                throw new HeapspanException(
                        Category.EVOLUTION,
                        "readResolve of " + type.getName()
                                + " gives another object, but the image was written by a version of the"
                                + " class without it and refers to this one already; write the image anew");
            }
            return;
        }
        for (LevelHooks level : levels) {
            GraphInput input = GraphInput.forHooks(reader);
            boolean items = (level.level.flags() & Level.HAS_WRITE_OBJECT) != 0;
            if (level.absentInImage) {
                if (level.readObjectNoData != null) {
                    call(level.readObjectNoData, object, "readObjectNoData");
                }
            } else if (level.readObject != null) {
                input.callReadObject(level.readObject, object, level, items);
            } else if (items) {
                input.readFieldsAndSkip(object, level);
            } else {
                int section = reader.beginSection();
                FieldCodec.Values fields = level.targets.into(object);
                FieldCodec.readFields(reader, level.block, fields);
                FieldTargets.settle(fields);
                reader.endSection(section);
            }
        }
    }

    private void readMerged(ImageReader reader, Object object, FieldBlock whole) {
        // The writer knew of no methods: there is no section, and what lies too deep is complete only later.
        FieldValues all = new FieldValues(whole);
        FieldCodec.readFields(reader, whole, all);
        for (LevelHooks level : levels) {
            FieldValues values = all.of(level.block, level.level);
            if (level.absentInImage) {
                if (level.readObjectNoData != null) {
                    call(level.readObjectNoData, object, "readObjectNoData");
                }
            } else if (level.readObject != null) {
                GraphInput.forHooks(reader).callReadObject(level.readObject, object, level, values);
            } else {
                FieldCodec.Values fields = level.targets.into(object);
                values.copyTo(fields);
                FieldTargets.settle(fields);
            }
        }
    }

    private void call(MethodHandle method, Object object, String name) {
        try {
            method.invoke(object);
        } catch (Throwable e) {
            throw hookFailure(type, name, e);
        }
    }

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        RecordMaker maker = recordMaker();
        Object object = maker != null ? maker.unmade() : allocator.allocate(type);
        int index = reader.reserveIndex();
        reader.setObject(index, object);
        if (merged != null) {
            readMerged(reader, object, merged);
        } else if (maker != null) {
            object = readRecord(reader, maker);
            reader.setObject(index, object);
        } else {
            int section = reader.beginSection();
            readBody(reader, object, hint);
            reader.endSection(section);
        }
        return resolved(readResolve, type, reader, index, object);
    }

    /** Lets {@code readResolve} choose the object that takes an index, where the class has such a method. */
    static @Nullable Object resolved(
            @Nullable MethodHandle readResolve, Class<?> type, ImageReader reader, int index, Object object) {
        if (readResolve == null) {
            return object;
        }
        Object resolved = resolve(readResolve, type, object);
        reader.setObject(index, resolved);
        return resolved;
    }

    private @Nullable RecordMaker recordMaker() {
        // A record has no writeObject, so that the fields are all there is.
        boolean plain =
                merged == null && levels.size() == 1 && (levels.get(0).level.flags() & Level.HAS_WRITE_OBJECT) == 0;
        return plain ? levels.get(0).recordMaker : null;
    }

    private static Object readRecord(ImageReader reader, RecordMaker maker) {
        int section = reader.beginSection();
        int fields = reader.beginSection();
        Object made = maker.read(reader);
        reader.endSection(fields);
        reader.endSection(section);
        return made;
    }

    private static @Nullable Object resolve(MethodHandle readResolve, Class<?> type, Object object) {
        try {
            return readResolve.invoke(object);
        } catch (Throwable e) {
            throw hookFailure(type, "readResolve", e);
        }
    }

    /** What a failing method of a user class becomes: errors stay, our own exceptions stay, the rest is wrapped. */
    static RuntimeException hookFailure(Class<?> type, String method, Throwable e) {
        if (e instanceof OutOfMemoryError) {
            // Methods allocate what a number among the bytes asks for; a hostile one must not take more down than its
            // graph.
            return new HeapspanException(
                    Category.LIMIT,
                    method + " of " + type.getName()
                            + " requested more memory than is available, because of a length in the image: " + e,
                    e);
        }
        // Classes of the JDK answer hostile input with InternalError (the length of a Map.of is odd), and a class that
        // is named may fail to initialise.
        if (e instanceof Error error && !(e instanceof InternalError) && !(e instanceof LinkageError)) {
            throw error;
        }
        if (e instanceof HeapspanException own) {
            return own;
        }
        Category category = e instanceof InvalidClassException ? Category.EVOLUTION : Category.HOOK;
        if (e instanceof IOException && e.getCause() instanceof HeapspanException own) {
            return own;
        }
        return new HeapspanException(category, method + " of " + type.getName() + " failed: " + e, e);
    }
}
