package org.apache.spark.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.spark.util.KnownSizeEstimation;
import org.jspecify.annotations.Nullable;

/**
 * Spark's {@code SizeEstimator}, which asks a function before it searches by itself.
 *
 * <p>The class is Spark's own, with one method changed by {@link AskingEstimator}. It is defined beside its neighbours before Spark has loaded it, by
 * {@link MethodHandles.Lookup#defineClass}: no agent, no redefinition, and nothing compiled becomes invalid. This is done only if the files of the class
 * are known byte for byte.
 *
 * <p>Relies on {@code core/.../util/SizeEstimator.scala} of Spark 4.3.0: its rules, and the private members named here. Thread-safe.
 */
public final class SizeEstimatorClass {
    private static final String FOLDER = "org/apache/spark/util/";
    static final String NAME = "org.apache.spark.util.SizeEstimator$";
    static final String FILE = FOLDER + "SizeEstimator$.class";

    /**
     * A file of Spark.
     *
     * @param path in its jar
     * @param digest SHA-256
     */
    private record KnownFile(String path, String digest) {}

    /** Of Spark 4.3.0 for Scala 2.13. */
    private static final List<KnownFile> KNOWN_FILES = List.of(
            new KnownFile(FILE, "7456f60a2c50aaa7f0b64c83ada95515e7d10ac71da45d405053b7d850cd265e"),
            new KnownFile(
                    FOLDER + "SizeEstimator$SearchState.class",
                    "832edfd2cebd363943d4b2d4be73e3dcb3f72297f97083ab479c3cd412eda266"),
            new KnownFile(
                    FOLDER + "SizeEstimator$ClassInfo.class",
                    "cc51936cfed7fcfeb2199ce92dc0cb3615d4236e878d14c97c488c38a809b5f9"));

    private final Class<?> type;
    private final Field function;

    private SizeEstimatorClass(Class<?> type) throws ReflectiveOperationException {
        this.type = type;
        this.function = type.getDeclaredField(AskingEstimator.FUNCTION);
    }

    /**
     * Defines the class, or finds the one that was defined in this JVM before. The class is not initialized.
     *
     * @throws ReflectiveOperationException if its files are not known, or Spark has loaded it as it is; the message says which
     */
    public static SizeEstimatorClass open() throws ReflectiveOperationException {
        return open(KnownSizeEstimation.class);
    }

    /**
     * Does so for one of several Sparks in this JVM.
     *
     * @param neighbour a class of the same package and loader
     */
    static SizeEstimatorClass open(Class<?> neighbour) throws ReflectiveOperationException {
        byte[] content = new byte[0];
        for (KnownFile known : KNOWN_FILES) {
            byte[] found = content(neighbour.getClassLoader(), known.path());
            check(known, found);
            content = known.path().equals(FILE) ? found : content;
        }
        MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(neighbour, MethodHandles.lookup());
        byte[] asking = AskingEstimator.of(content);
        try {
            return new SizeEstimatorClass(lookup.defineClass(asking));
        } catch (LinkageError e) {
            // Exactly this if there is one of that name; subclasses tell of other faults.
            if (e.getClass() != LinkageError.class) {
                throw e;
            }
            try {
                return new SizeEstimatorClass(Class.forName(NAME, false, neighbour.getClassLoader()));
            } catch (NoSuchFieldException asItIs) {
                throw new IllegalAccessException("Spark used its SizeEstimator before Heapspan started in this JVM;"
                        + " start Heapspan with the first SparkContext of the JVM");
            }
        }
    }

    private static byte[] content(ClassLoader loader, String path) throws ReflectiveOperationException {
        try (InputStream in = loader.getResourceAsStream(path)) {
            if (in == null) {
                throw new ClassNotFoundException("there is no file " + path + " on the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(path + " cannot be read: " + e, e);
        }
    }

    private static void check(KnownFile known, byte[] found) throws ReflectiveOperationException {
        String digest;
        try {
            digest = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(found));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
        if (!digest.equals(known.digest())) {
            throw new ClassNotFoundException("the SHA-256 of " + known.path() + " is " + digest + ", expected "
                    + known.digest() + ", that of Spark 4.3.0; Heapspan knows the estimator of that version only");
        }
    }

    /**
     * Lets a function answer.
     *
     * @param estimator gives the size in bytes of what an object reaches, or a negative number to let Spark's own search do it; called by any thread. Null:
     *     Spark's own search always does it
     */
    public void ask(@Nullable ToLongFunction<Object> estimator) throws ReflectiveOperationException {
        function.set(null, estimator);
    }

    /** The function that answers; null if Spark's own search does. */
    @Nullable
    Object asked() throws ReflectiveOperationException {
        return function.get(null);
    }

    /** By what Spark estimates in this JVM; initializes the class. */
    public SizeRules rules() throws ReflectiveOperationException {
        return new SizeRules(this);
    }

    /** What Spark knows of a class. */
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

    /** A number of Spark's; initializes the class. */
    int number(String field) throws ReflectiveOperationException {
        Field found = type.getDeclaredField(field);
        found.setAccessible(true);
        return found.getInt(null);
    }
}
