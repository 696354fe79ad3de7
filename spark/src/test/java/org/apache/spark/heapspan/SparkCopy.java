package org.apache.spark.heapspan;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;

/**
 * Another copy of Spark's {@code SizeEstimator} in this JVM, with files of its own choice; it shares all other classes.
 */
public final class SparkCopy extends ClassLoader {
    private static final String PREFIX = "org.apache.spark.util.SizeEstimator";
    private static final String NEIGHBOUR = "org.apache.spark.util.KnownSizeEstimation";
    private static final ClassLoader SPARK = SizeEstimatorClass.class.getClassLoader();

    /** Empty: the file is missing. */
    private final Map<String, byte[]> files = new HashMap<>();

    private final boolean hasNeighbour;

    private SparkCopy(boolean hasNeighbour) {
        super("copy", SPARK);
        this.hasNeighbour = hasNeighbour;
    }

    /** One that is complete in its package. */
    public static SparkCopy alone() {
        return new SparkCopy(true);
    }

    /** One that knows objects that say how large they are as the rest of this JVM does. */
    public static SparkCopy beside() {
        return new SparkCopy(false);
    }

    SparkCopy with(String file, byte[] content) {
        files.put(file, content);
        return this;
    }

    Class<?> neighbour() throws ClassNotFoundException {
        return loadClass(NEIGHBOUR);
    }

    /** What its estimator says of an object. */
    public long estimate(Object object) throws ReflectiveOperationException {
        Class<?> estimator = loadClass(SizeEstimatorClass.NAME);
        return (long) estimator
                .getMethod("estimate", Object.class)
                .invoke(estimator.getField("MODULE$").get(null), object);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PREFIX) && !(hasNeighbour && name.equals(NEIGHBOUR))) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            String file = name.replace('.', '/').concat(".class");
            try (InputStream in = getResourceAsStream(file)) {
                byte[] content = in.readAllBytes();
                return defineClass(name, content, 0, content.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        byte[] own = files.get(name);
        if (own == null) {
            return SPARK.getResourceAsStream(name);
        }
        return own.length == 0 ? null : new ByteArrayInputStream(own);
    }

    /** A file of Spark as it is. */
    static byte[] original(String file) throws IOException {
        try (InputStream in = SPARK.getResourceAsStream(file)) {
            return in.readAllBytes();
        }
    }
}
