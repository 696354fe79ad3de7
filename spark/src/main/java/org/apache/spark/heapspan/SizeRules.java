package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.util.KnownSizeEstimation;
import scala.collection.Iterator;

/**
 * The rules by which Spark estimates in this JVM, as its own {@code SizeEstimator} has found them: all sizes are those that Spark would say.
 *
 * <p>Relies on {@code core/.../util/SizeEstimator.scala} of Spark 4.3.0. Immutable and thread-safe.
 */
public final class SizeRules {
    /** {@code ALIGN_SIZE}: of objects and of the elements of arrays, whatever the JVM aligns by. */
    private static final int ALIGNMENT = 8;

    private final SizeEstimatorClass estimator;

    /** What an array takes besides its elements. */
    private final long arrayBytes;

    private final int referenceBytes;
    private final int mostSearched;
    private final int sampleSize;

    /**
     * What Spark knows of a class whose objects it searches.
     *
     * @param bytes of an object without what it refers to
     * @param references fields that Spark follows, in its order
     */
    public record Shell(long bytes, List<Field> references) {}

    SizeRules(SizeEstimatorClass estimator) throws ReflectiveOperationException {
        this.estimator = estimator;
        // Initializes the class, without which its numbers are 0.
        estimator.classInfo(Object.class);
        this.arrayBytes = align(estimator.number("objectSize") + (long) Integer.BYTES);
        this.referenceBytes = estimator.number("pointerSize");
        this.mostSearched = estimator.number("ARRAY_SIZE_FOR_SAMPLING");
        this.sampleSize = estimator.number("ARRAY_SAMPLE_SIZE");
    }

    /** Whether Spark takes no account of objects of a class, nor of what they refer to. */
    public static boolean areLeftOut(Class<?> type) {
        return type.getName().startsWith("scala.reflect")
                || ClassLoader.class.isAssignableFrom(type)
                || type == Class.class;
    }

    /** Whether objects of a class say themselves how large they are: {@link #toldBytes}. */
    public static boolean areTold(Class<?> type) {
        return KnownSizeEstimation.class.isAssignableFrom(type);
    }

    /** The size that an object says. */
    public static long toldBytes(Object object) {
        return ((KnownSizeEstimation) object).estimatedSize();
    }

    /**
     * What Spark knows of a class.
     *
     * @param type no array
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

    /** What an array takes besides its elements. */
    public long arrayBytes() {
        return arrayBytes;
    }

    /** What an element of an array takes. */
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

    /** The length up to which all elements of an array are searched. Of a longer one, two samples are. */
    public int mostSearched() {
        return mostSearched;
    }

    /** How many elements are a sample. */
    public int sampleSize() {
        return sampleSize;
    }

    /** Rounds a size up to what objects take. */
    public static long align(long bytes) {
        return bytes + ALIGNMENT - 1 & -ALIGNMENT;
    }
}
