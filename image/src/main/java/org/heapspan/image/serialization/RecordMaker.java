package org.heapspan.image.serialization;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.MissingObject;
import org.jspecify.annotations.Nullable;

/**
 * Makes records by their canonical constructor where there is no raw memory: reflection cannot set their fields. Such a record
 * exists only once its components have been read.
 */
final class RecordMaker {
    private final Constructor<?> constructor;
    private final FieldBlock block;
    private final @Nullable FieldAccess[] targets;
    /** Indexes of parameters by slot of the block; -1 where the local record has no such component. */
    private final int[] parameters;

    private final @Nullable Object[] defaults;

    /** Stands for a record whose components are being read. */
    private final MissingObject unmade;

    RecordMaker(Class<?> type, FieldBlock block, @Nullable FieldAccess[] targets) {
        this.block = block;
        this.targets = targets;
        constructor = canonicalConstructor(type);
        parameters = parameters(type, targets);
        Class<?>[] parameterTypes = constructor.getParameterTypes();
        defaults = new Object[parameterTypes.length];
        for (int i = 0; i < defaults.length; i++) {
            if (parameterTypes[i].isPrimitive()) {
                defaults[i] =
                        FieldAccess.boxed(parameterTypes[i].descriptorString().charAt(0), 0);
            }
        }
        unmade = new MissingObject(new HeapspanException(
                Category.ACCESS,
                "a record " + type.getName() + " is part of a cycle: under " + Access.MACHINE.means()
                        + " a record can be created only when its components are complete; let the native library load"
                        + " (see heapspan doctor), break the cycle or use a class"));
    }

    /** Whether objects of the class have to be made here. */
    static boolean handles(Class<?> type) {
        return Access.RAW == null && type.isRecord();
    }

    private static Constructor<?> canonicalConstructor(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] parameterTypes = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            parameterTypes[i] = components[i].getType();
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(parameterTypes);
            constructor.setAccessible(true);
            return constructor;
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new HeapspanException(
                    Category.ACCESS,
                    "the canonical constructor of record " + type.getName() + " cannot be accessed",
                    e);
        }
    }

    private static int[] parameters(Class<?> type, @Nullable FieldAccess[] targets) {
        RecordComponent[] components = type.getRecordComponents();
        int[] indexes = new int[targets.length];
        for (int slot = 0; slot < targets.length; slot++) {
            FieldAccess target = targets[slot];
            indexes[slot] = -1;
            for (int i = 0; target != null && i < components.length; i++) {
                if (components[i].getName().equals(target.field.getName())) {
                    indexes[slot] = i;
                }
            }
        }
        return indexes;
    }

    /** What a reference to a record means as long as it is not there. */
    Object unmade() {
        return unmade;
    }

    /** Reads the components and makes the record. */
    Object read(ImageReader reader) {
        @Nullable Object[] arguments = defaults.clone();
        FieldCodec.readFields(reader, block, new Arguments(arguments));
        try {
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new HeapspanException(
                    Category.HOOK,
                    "the canonical constructor of record "
                            + constructor.getDeclaringClass().getName() + " failed: " + e,
                    e);
        }
    }

    private final class Arguments implements FieldCodec.Values {
        private final @Nullable Object[] arguments;

        Arguments(@Nullable Object[] arguments) {
            this.arguments = arguments;
        }

        @Override
        public long bits(int slot) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable Object reference(int slot) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setBits(int slot, long bits) {
            if (parameters[slot] >= 0) {
                arguments[parameters[slot]] =
                        FieldAccess.boxed(block.slots.get(slot).code(), bits);
            }
        }

        @Override
        public void setReference(int slot, @Nullable Object value) {
            FieldAccess target = targets[slot];
            if (target != null && parameters[slot] >= 0) {
                target.checkType(value);
                arguments[parameters[slot]] = value;
            }
        }

        @Override
        public boolean drops(int slot) {
            return parameters[slot] < 0;
        }
    }
}
