package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.util.KnownSizeEstimation;
import scala.collection.Iterator;

/**
 * Spark's rules for sizes in this JVM, read from its {@code SizeEstimator}.
 *
 * <p>Relies on {@code core/.../util/SizeEstimator.scala} of Spark 4.3.0. Immutable and thread-safe.
 */
public final class SizeRules {
    /** {@code ALIGN_SIZE}: Spark rounds sizes of objects and of array elements up to this, whatever alignment the JVM uses. */
    private static final int ALIGNMENT = 8;

    private final SizeEstimatorClass estimator;

    /** Size of an array without its elements. */
    private final long arrayBytes;

    private final int referenceBytes;
    private final int mostSearched;
    private final int sampleSize;

    /**
     * Spark's information on a class.
     *
     * @param bytes size of an object, without the objects that it refers to
     * @param references fields that Spark follows, in Spark's order
     */
    public record Shell(long bytes, List<Field> references) {}

    SizeRules(SizeEstimatorClass estimator) throws ReflectiveOperationException {
        this.estimator = estimator;
        // Initializes the class. Its static fields are 0 before that.
        estimator.classInfo(Object.class);
        this.arrayBytes = align(estimator.number("objectSize") + (long) Integer.BYTES);
        this.referenceBytes = estimator.number("pointerSize");
        this.mostSearched = estimator.number("ARRAY_SIZE_FOR_SAMPLING");
        this.sampleSize = estimator.number("ARRAY_SAMPLE_SIZE");
    }

    /** Whether Spark ignores objects of a class, and all objects that they refer to. */
    public static boolean areLeftOut(Class<?> type) {
        return type.getName().startsWith("scala.reflect")
                || ClassLoader.class.isAssignableFrom(type)
                || type == Class.class;
    }

    /** Whether objects of a class return their own size: {@link #toldBytes}. */
    public static boolean areTold(Class<?> type) {
        return KnownSizeEstimation.class.isAssignableFrom(type);
    }

    /** The size that an object returns. */
    public static long toldBytes(Object object) {
        return ((KnownSizeEstimation) object).estimatedSize();
    }

    /**
     * Returns Spark's information on a class.
     *
     * @param type a class that is not an array
     */
    public Shell shell(Class<?> type) throws ReflectiveOperationException {
        Object info = estimator.classInfo(type);
        long bytes = (long) info.getClass().getMethod("shellSize").invoke(info);
        List<Field> references = new ArrayList<>();
        Iterator<?> fields = ((scala.collection.immutable.List<?>)
                        info.getClass().getMethod("pointerFields").invoke(info))
                .iterator();
        while (fields.hasNext()) {
            references.add((Field) fields.next());
        }
        return new Shell(align(bytes), List.copyOf(references));
    }

    /** Size of an array without its elements. */
    public long arrayBytes() {
        return arrayBytes;
    }

    /** Size of an element of an array. */
    public int elementBytes(Class<?> componentType) {
        if (!componentType.isPrimitive()) {
            return referenceBytes;
        } else if (componentType == long.class || componentType == double.class) {
            return Long.BYTES;
        } else if (componentType == int.class || componentType == float.class) {
            return Integer.BYTES;
        }
        return componentType == byte.class || componentType == boolean.class ? Byte.BYTES : Short.BYTES;
    }

    /** The greatest length of an array of which Spark visits all elements. Of a longer array it visits two samples. */
    public int mostSearched() {
        return mostSearched;
    }

    /** Number of elements of a sample. */
    public int sampleSize() {
        return sampleSize;
    }

    /** Rounds a size up to the alignment. */
    public static long align(long bytes) {
        return bytes + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
