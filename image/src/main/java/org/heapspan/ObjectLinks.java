package org.heapspan;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * Objects that are not part of an image. The image refers to them by number, and the implementation of this interface stores them. An example is
 * a second heap in which many roots refer to one large object (TeraHeap section 3.3, dependencies between regions).
 *
 * <p>{@link #isLinked} chooses the fields whose objects become numbers. {@link #constantsOf} chooses classes with instances that become numbers
 * in every field. Other fields and classes cost no extra time. When the image is read, such a field gets the object that {@link #objectOf}
 * returns. If another field refers to the same object, the object is copied there, unless it is a constant.
 *
 * <p>Implementations must be thread-safe. Set by {@link HeapspanBuilder#links}.
 */
public interface ObjectLinks {
    /** The result of {@link #numberOf} for an object that must be copied. */
    long NONE = -1;

    /**
     * Returns whether images may refer to objects in a field by number. It is called once for each instance field of each class that is written
     * field by field, if its type is not primitive and not {@link String}.
     *
     * @param field the field, with its declaring class
     * @return the same result for each call with this field
     */
    boolean isLinked(Field field);

    /**
     * Returns the number by which an image refers to an object. It can be called several times for one object while an image is written. It may
     * encode other images.
     *
     * @param object the object in a linked field
     * @return a number from 0 on, or {@link #NONE} to copy the object
     */
    long numberOf(Object object);

    /** Decides which instances of a class are constants. */
    @FunctionalInterface
    interface Constants {
        /**
         * Returns the number by which an image refers to an instance.
         *
         * @param instance a direct instance of the class
         * @return a number from 0 on, or {@link ObjectLinks#NONE} to copy the instance
         */
        long numberOf(Object instance);
    }

    /**
     * Returns which instances of a class are constants. Images refer to constants by number in every field, and have no copy of them. It is
     * called once for each class, except arrays, enums, built-in types and refused classes. It is not called for classes with fields that are
     * updated after decoding ({@link HeapspanBuilder#registerUpdate}).
     *
     * @param type the class
     * @return the test for constants, which must be thread-safe and is referenced as long as the class; null if the class has no constants
     */
    default @Nullable Constants constantsOf(Class<?> type) {
        return null;
    }

    /**
     * Returns the object for a number in an image that is being decoded. It may decode other images.
     *
     * @param number the number in the image; in an untrusted image it can be any number from 0 on
     * @return the object
     * @throws HeapspanException if there is no object for the number
     */
    Object objectOf(long number);
}
