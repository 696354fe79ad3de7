package org.heapspan.spark.estimate;

import org.apache.spark.heapspan.SizeRules;
import org.heapspan.vm.RawMemory;

/**
 * What a walk must know of the objects of a class. Holds neither the class nor its fields.
 *
 * @param kind what such objects are
 * @param bytes of such an object without what it refers to; of an array, of one element
 * @param references where in an object the references lie that are followed, in Spark's order
 */
record ObjectShape(Kind kind, long bytes, long[] references) {
    private static final long[] NONE = {};

    /** What objects of a class are to a walk. */
    enum Kind {
        /** All is known of them but their places: their {@link ObjectShape#bytes}, and they refer to nothing. */
        LEAF,
        /** They have fields with references. */
        INSTANCE,
        /** Arrays of numbers. */
        NUMBERS,
        /** Arrays of references. */
        REFERENCES,
        /** They say themselves how large they are. */
        TOLD
    }

    /**
     * Finds it out.
     *
     * @throws IllegalStateException if this Spark does not answer
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
            throw new IllegalStateException("Spark's SizeEstimator does not tell what it knows of " + type, e);
        }
        long[] references =
                shell.references().stream().mapToLong(memory::objectFieldOffset).toArray();
        return new ObjectShape(references.length == 0 ? Kind.LEAF : Kind.INSTANCE, shell.bytes(), references);
    }
}
