package org.heapspan;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * Objects that an image refers to by a number, without holding a copy, because somebody else keeps them for all images. An example is a second heap in
 * which many roots refer to one large object (TeraHeap section 3.3, dependencies between regions).
 *
 * <p>Fields decide which references become numbers. Classes decide it for objects that are never copied. So nothing else is asked about, or costs more than
 * before. When the image is read, such a field holds what {@link #objectOf} gives. Elsewhere in a graph the same object is copied like any other, unless it
 * is a {@linkplain #constantsOf constant}.
 *
 * <p>Implementations must be thread-safe. Set by {@link HeapspanBuilder#links}.
 */
public interface ObjectLinks {
    /** What {@link #numberOf} gives for an object that is to be copied. */
    long NONE = -1;

    /**
     * Whether objects in a field may be referred to by number. Asked once for each field of an instance of a class that travels field by
     * field, with a declared type that is neither primitive nor a {@link String}.
     *
     * @param field the field, with its declaring class
     * @return the same whenever it is asked for
     */
    boolean isLinked(Field field);

    /**
     * The number by which an image refers to an object. May be asked again for the same object while one image is written, and may itself encode
     * other images.
     *
     * @param object what is in a linked field
     * @return from 0, or {@link #NONE} for a copy
     */
    long numberOf(Object object);

    /** Which instances of a class are constants. */
    @FunctionalInterface
    interface Constants {
        /**
         * The number by which an image refers to an instance.
         *
         * @param instance a direct instance of the class
         * @return from 0, or {@link ObjectLinks#NONE} for a copy
         */
        long numberOf(Object instance);
    }

    /**
     * Tells constants of a class from its other instances: images refer to them by number wherever they stand, and hold no copy of them. Asked once for
     * each class that is no array, enum, or class that the format itself knows, and that images can hold; only instances of classes with constants are
     * asked about. Not asked where fields are updated after arrival ({@link HeapspanBuilder#registerUpdate}).
     *
     * @param type the class
     * @return what tells them apart, which must be thread-safe and is kept as long as the class; null if it has none
     */
    default @Nullable Constants constantsOf(Class<?> type) {
        return null;
    }

    /**
     * The object of a number, as an image that is being decoded refers to it. May itself decode other images.
     *
     * @param number as the image says; in an untrusted one any number from 0
     * @return the object
     * @throws HeapspanException if there is none
     */
    Object objectOf(long number);
}
