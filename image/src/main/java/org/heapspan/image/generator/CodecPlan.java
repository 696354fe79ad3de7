package org.heapspan.image.generator;

import java.lang.invoke.MethodHandles;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.KnownCodec;
import org.heapspan.image.graph.TypeHint;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;

/**
 * What the code that {@link CodecGenerator} makes takes as dynamic constants, and its constructor as its one argument, which needs no
 * conversion.
 */
final class CodecPlan {
    private final CodecRegistry registry;
    final Class<?> type;
    final TypeDescription description;
    final int traits;
    final FieldAccess[] targets;

    CodecPlan(CodecRegistry registry, Class<?> type, TypeDescription description, FieldAccess[] targets, int traits) {
        this.registry = registry;
        this.type = type;
        this.description = description;
        this.targets = targets;
        this.traits = traits;
    }

    /**
     * Bootstrap method of the dynamic constants. The slot is part of the name: for an argument of its own the JVM would first
     * make up code that converts it.
     */
    static Object constant(MethodHandles.Lookup lookup, String name, Class<?> constantType)
            throws IllegalAccessException {
        CodecPlan plan = MethodHandles.classData(lookup, "_", CodecPlan.class);
        if (plan == null) {
            throw new IllegalStateException("no plan for " + lookup);
        }
        int end = name.indexOf(FieldMethods.SLOT_MARK);
        int slot = Integer.parseInt(name, end + 1, name.length(), 10);
        return switch (name.substring(0, end)) {
            case "type" -> plan.type;
            case "declared" -> plan.declared(slot);
            case "expected" -> Expectation.sureCodecFor(plan.registry, plan.bound(slot));
            case "known" -> KnownCodec.of(Expectation.codecFor(plan.registry, plan.bound(slot)));
            case "hint" -> plan.hint(slot);
            case "offsets" -> plan.offsetsOfStrings(slot);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private Class<?> declared(int slot) {
        return targets[slot].field.getType();
    }

    /** The declared class, or the one that the class of the object names in its place. */
    private Class<?> bound(int slot) {
        return BoundType.classOf(type, targets[slot].field);
    }

    private long[] offsetsOfStrings(int firstSlot) {
        long[] offsets = new long[FieldMethods.stringsInRow(targets, firstSlot)];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = Access.raw().objectFieldOffset(targets[firstSlot + i].field);
        }
        return offsets;
    }

    private TypeHint hint(int slot) {
        return Expectation.hintFor(registry, BoundType.of(type, targets[slot].field));
    }
}
