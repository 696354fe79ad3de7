package org.apache.spark.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.apache.spark.util.KnownSizeEstimation;
import org.jspecify.annotations.Nullable;

/**
 * Spark's {@code SizeEstimator}, changed so that it calls a function before its own code runs.
 *
 * <p>{@link EstimatorPatch} changes one method of the class. {@link MethodHandles.Lookup#defineClass} then defines the class in Spark's package and class loader,
 * before Spark loads it. This needs no agent and no redefinition, and invalidates no compiled code. It is done only if the class files are those of Spark 4.3.0:
 * their lengths, CRC-32 and CRC-32C are equal.
 *
 * <p>Relies on {@code core/.../util/SizeEstimator.scala} of Spark 4.3.0: its rules, and the private members named here. Thread-safe.
 */
public final class SizeEstimatorClass {
    private static final String FOLDER = "org/apache/spark/util/";
    static final String NAME = "org.apache.spark.util.SizeEstimator$";
    static final String FILE = FOLDER + "SizeEstimator$.class";

    /**
     * A class file of Spark. Its checksums are 64 bits together. No attacker is expected here: who can change the class path can change this class. The JVM computes
     * them by instructions of the processor even before it compiles anything, which it does not for SHA-256.
     *
     * @param path path in the jar
     * @param bytes length of the file
     * @param crc32 its CRC-32
     * @param crc32c its CRC-32C
     */
    private record KnownFile(String path, int bytes, long crc32, long crc32c) {
        boolean is(byte[] content) {
            return content.length == bytes
                    && checksum(new CRC32(), content) == crc32
                    && checksum(new CRC32C(), content) == crc32c;
        }
    }

    /** Of Spark 4.3.0 for Scala 2.13. */
    private static final List<KnownFile> KNOWN_FILES = List.of(
            new KnownFile(FILE, 26_316, 0xd2b8b216L, 0x39f9dd93L),
            new KnownFile(FOLDER + "SizeEstimator$SearchState.class", 2_345, 0xfaeb22e8L, 0xb2769b79L),
            new KnownFile(FOLDER + "SizeEstimator$ClassInfo.class", 1_083, 0xa559bce4L, 0xbb3c880dL));

    private final Class<?> type;
    private final Field function;

    private SizeEstimatorClass(Class<?> type) throws ReflectiveOperationException {
        this.type = type;
        this.function = type.getDeclaredField(EstimatorPatch.FUNCTION);
    }

    /**
     * Defines the changed class, or finds the one that was defined in this JVM before. The class is not initialized.
     *
     * @throws ReflectiveOperationException if a class file is not known, or if Spark has loaded the unchanged class; the message says which
     */
    public static SizeEstimatorClass open() throws ReflectiveOperationException {
        return open(KnownSizeEstimation.class);
    }

    /**
     * The same for one of several copies of Spark in this JVM.
     *
     * @param neighbour a class of the same package and class loader
     */
    static SizeEstimatorClass open(Class<?> neighbour) throws ReflectiveOperationException {
        byte[] content = new byte[0];
        for (KnownFile known : KNOWN_FILES) {
            byte[] found = content(neighbour.getClassLoader(), known.path());
            check(known, found);
            content = known.path().equals(FILE) ? found : content;
        }
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(neighbour, MethodHandles.lookup());
        byte[] asking = EstimatorPatch.of(content);
        try {
            return new SizeEstimatorClass(lookup.defineClass(asking));
        } catch (LinkageError e) {
            // The JVM throws exactly this class if a class of that name exists. Subclasses are other errors.
            if (e.getClass() != LinkageError.class) {
                throw e;
            }
            try {
                return new SizeEstimatorClass(Class.forName(NAME, false, neighbour.getClassLoader()));
            } catch (NoSuchFieldException unchanged) {
                throw new IllegalAccessException("Spark used its SizeEstimator before Heapspan started in this JVM;"
                        + " start Heapspan with the first SparkContext of the JVM");
            }
        }
    }

    private static byte[] content(ClassLoader loader, String path) throws ReflectiveOperationException {
        try (InputStream in = loader.getResourceAsStream(path)) {
            if (in == null) {
                throw new ClassNotFoundException("the class path has no file " + path);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(path + " cannot be read: " + e, e);
        }
    }

    private static void check(KnownFile known, byte[] found) throws ReflectiveOperationException {
        if (!known.is(found)) {
            throw new ClassNotFoundException(known.path() + " is not the file of Spark 4.3.0: it has "
                    + described(found.length, checksum(new CRC32(), found), checksum(new CRC32C(), found))
                    + ", expected " + described(known.bytes(), known.crc32(), known.crc32c())
                    + "; Heapspan supports the estimator of that version only");
        }
    }

    private static String described(int bytes, long crc32, long crc32c) {
        return bytes + " bytes, CRC-32 " + Long.toHexString(crc32) + " and CRC-32C " + Long.toHexString(crc32c);
    }

    private static long checksum(Checksum checksum, byte[] content) {
        checksum.update(content, 0, content.length);
        return checksum.getValue();
    }

    /**
     * Sets the function that is called first.
     *
     * @param estimator returns the size in bytes of an object and of all objects that can be reached from it, or a negative number if Spark's own code must
     *     compute it; called by any thread. Null: Spark's own code computes all sizes
     */
    public void ask(@Nullable ToLongFunction<Object> estimator) throws ReflectiveOperationException {
        function.set(null, estimator);
    }

    /** The function that is called first; null if there is none. */
    @Nullable
    Object asked() throws ReflectiveOperationException {
        return function.get(null);
    }

    /** Spark's rules in this JVM. Initializes the class. */
    public SizeRules rules() throws ReflectiveOperationException {
        return new SizeRules(this);
    }

    /** Spark's information on a class. */
    Object classInfo(Class<?> ofObjects) throws ReflectiveOperationException {
        Method method = type.getDeclaredMethod("getClassInfo", Class.class);
        method.setAccessible(true);
        try {
            return method.invoke(type.getField("MODULE$").get(null), ofObjects);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    /** The value of a static field of Spark's class. Initializes the class. */
    int number(String field) throws ReflectiveOperationException {
        Field found = type.getDeclaredField(field);
        found.setAccessible(true);
        return found.getInt(null);
    }
}
