package org.heapspan.image.serialization;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.image.type.FieldAccess;
import org.jspecify.annotations.Nullable;

/**
 * The local fields that belong to the slots of a block, each reached by itself or, where reflection is the only means and its
 * class is out of its reach, together with the others of its class ({@link SerializedFields}).
 */
final class FieldTargets {
    private static final SerializedFields[] NONE = {};

    /** Null where the local class has no such field. */
    private final @Nullable FieldAccess[] bySlot;

    /** Null but for slots that are reached through {@link #classes}. */
    private final @Nullable FieldAccess[] inDirectReach;

    private final SerializedFields[] classes;

    FieldTargets(@Nullable FieldAccess[] bySlot) {
        this.bySlot = bySlot;
        Set<Class<?>> outOfReach = new HashSet<>();
        for (FieldAccess target : bySlot) {
            if (target != null && !target.isInReach()) {
                outOfReach.add(target.field.getDeclaringClass());
            }
        }
        if (outOfReach.isEmpty()) {
            inDirectReach = bySlot;
            classes = NONE;
            return;
        }
        inDirectReach = bySlot.clone();
        List<SerializedFields> found = new ArrayList<>();
        for (Class<?> type : outOfReach) {
            SerializedFields fields = SerializedFields.of(type, slotsOf(type));
            if (fields != null) {
                found.add(fields);
                slotsOf(type).values().forEach(slot -> inDirectReach[slot] = null);
            }
        }
        classes = found.toArray(SerializedFields[]::new);
    }

    private Map<String, Integer> slotsOf(Class<?> type) {
        Map<String, Integer> slots = new HashMap<>();
        for (int slot = 0; slot < bySlot.length; slot++) {
            FieldAccess target = bySlot[slot];
            if (target != null && target.field.getDeclaringClass() == type) {
                slots.put(target.field.getName(), slot);
            }
        }
        return slots;
    }

    /** The values of an object's fields, to be read. */
    FieldCodec.Values of(Object object) {
        if (classes.length == 0) {
            return new FieldCodec.OfObject(bySlot, object);
        }
        Detached values = new Detached(object);
        for (SerializedFields each : classes) {
            each.get(object, values.apart);
        }
        return values;
    }

    /** Where to put values for an object's fields; all of them are there after {@link #settle}. */
    FieldCodec.Values into(Object object) {
        return classes.length == 0 ? new FieldCodec.OfObject(bySlot, object) : new Detached(object);
    }

    /** Completes what was begun by {@link #into}. */
    static void settle(FieldCodec.Values values) {
        if (values instanceof Detached detached) {
            detached.settle();
        }
    }

    /** Values of which some have to go through {@link SerializedFields} all at once. */
    private final class Detached implements FieldCodec.Values {
        private final Object object;
        private final FieldCodec.Values direct;
        private final FieldValues apart = new FieldValues(bySlot.length);

        Detached(Object object) {
            this.object = object;
            direct = new FieldCodec.OfObject(inDirectReach, object);
        }

        private FieldCodec.Values at(int slot) {
            return inDirectReach[slot] != null ? direct : apart;
        }

        @Override
        public long bits(int slot) {
            return at(slot).bits(slot);
        }

        @Override
        public @Nullable Object reference(int slot) {
            return at(slot).reference(slot);
        }

        @Override
        public void setBits(int slot, long bits) {
            at(slot).setBits(slot, bits);
        }

        @Override
        public void setReference(int slot, @Nullable Object value) {
            FieldAccess target = bySlot[slot];
            if (target != null) {
                target.checkType(value);
            }
            at(slot).setReference(slot, value);
        }

        @Override
        public boolean drops(int slot) {
            return bySlot[slot] == null;
        }

        private void settle() {
            for (SerializedFields each : classes) {
                each.set(object, apart);
            }
        }
    }
}
