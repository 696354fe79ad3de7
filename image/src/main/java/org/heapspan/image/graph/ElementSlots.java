package org.heapspan.image.graph;

import java.lang.reflect.Modifier;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.MissingObject;
import org.jspecify.annotations.Nullable;

/** Reads the slots of a reference array that other threads may change, and stores elements that the array may be unable to hold. */
public final class ElementSlots {
    private ElementSlots() {}

    /** The bits of the reference in a slot, or 0 where the writer does not want them. */
    public static int bits(ImageWriter writer, Object slots, int index) {
        return Access.ADDRESS_BITS && writer.wantsBits()
                ? Access.raw().getInt(slots, Access.OBJECT_ARRAY_BASE + 4L * index)
                : 0;
    }

    /** The bits of a slot if they are still those seen before, else 0. */
    public static int stable(ImageWriter writer, Object slots, int index, int bits) {
        return bits(writer, slots, index) == bits ? bits : 0;
    }

    /** Puts an element into an array that perhaps cannot hold it, since the writer's was of another class. */
    public static void store(ImageReader reader, @Nullable Object[] target, int index, @Nullable Object element) {
        try {
            target[index] = element;
        } catch (ArrayStoreException e) {
            // This has the class in its message only as long as the code that throws it is not compiled.
            throw misfit(reader, target.getClass().getComponentType(), element);
        }
    }

    private static HeapspanException misfit(ImageReader reader, Class<?> component, @Nullable Object element) {
        if (element instanceof MissingObject missing) {
            return missing.toException();
        }
        Class<?> found = element == null ? Object.class : element.getClass();
        String what = "an element of class " + found.getName() + " is no " + component.getName();
        if (!mayHaveFitted(found, component)) {
            return reader.malformed(what);
        }
        return new HeapspanException(
                Category.EVOLUTION,
                what
                        + " here, and stands in an array of it in the image: the class has lost an interface or a superclass"
                        + " since, or the image is malformed; use the same version of the class on both sides");
    }

    /**
     * Whether another version of a class may be a subclass of one that it is no subclass of here. Classes of the JDK keep their
     * supertypes.
     */
    private static boolean mayHaveFitted(Class<?> found, Class<?> component) {
        if (found.isArray() && component.isArray()) {
            return mayHaveFitted(found.getComponentType(), component.getComponentType());
        }
        return !found.isArray()
                && !component.isArray()
                && !found.isPrimitive()
                && !JdkClasses.contain(found)
                && !Modifier.isFinal(component.getModifiers());
    }
}
