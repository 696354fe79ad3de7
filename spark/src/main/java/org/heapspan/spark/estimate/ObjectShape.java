package org.heapspan.spark.estimate;

import org.apache.spark.heapspan.SizeRules;
import org.heapspan.vm.RawMemory;

/**
 * What an estimate needs to know of the objects of a class. It refers to neither the class nor its fields.
 *
 * @param kind kind of the objects
 * @param bytes size of an object without the objects that it refers to; for an array, the size of one element
 * @param references offsets of the reference fields to follow, in Spark's order
 */
record ObjectShape(Kind kind, long bytes, long[] references) {
    private static final long[] NONE = {};

    /** Kinds of objects. */
    enum Kind {
        /** Objects without references. Their size is {@link ObjectShape#bytes}. */
        LEAF,
        /** Objects with reference fields. */
        INSTANCE,
        /** Arrays of primitives. */
        NUMBERS,
        /** Arrays of references. */
        REFERENCES,
        /** Objects that return their own size. */
        TOLD
    }

    /**
     * Creates the shape of a class.
     *
     * @throws IllegalStateException if Spark's class does not have the expected members
     */
    static ObjectShape of(Class<?> type, SizeRules rules, RawMemory memory) {
        if (type.isArray()) {
            Class<?> component = type.getComponentType();
            return new ObjectShape(
                    component.isPrimitive() ? Kind.NUMBERS : Kind.REFERENCES, rules.elementBytes(component), NONE);
        } else if (SizeRules.areLeftOut(type)) {
            return new ObjectShape(Kind.LEAF, 0, NONE);
        } else if (SizeRules.areTold(type)) {
            return new ObjectShape(Kind.TOLD, 0, NONE);
        }
        SizeRules.Shell shell;
        try {
            shell = rules.shell(type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Spark's SizeEstimator did not return its information on " + type, e);
        }
        long[] references =
                shell.references().stream().mapToLong(memory::objectFieldOffset).toArray();
        return new ObjectShape(references.length == 0 ? Kind.LEAF : Kind.INSTANCE, shell.bytes(), references);
    }
}
