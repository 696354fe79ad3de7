package org.heapspan.giraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.partition.ReusesObjectsPartition;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.heapspan.h2.SecondHeapOptions;
import org.jspecify.annotations.Nullable;

/**
 * The keys {@code giraph.heapspan.*} of a job, checked once in each worker. {@code docs/giraph.md} lists them.
 *
 * @param directory where the files of the second heap are
 * @param options of the second heap
 * @param transferHint whether edges and messages move in each superstep, and not only when the Java heap fills
 */
record WorkerSettings(Path directory, SecondHeapOptions options, boolean transferHint) {
    /** The folder of the second heap; required. */
    static final String DIRECTORY = "giraph.heapspan.directory";

    /** The storage that the second heap of a worker may take. Default: what is free on the device. */
    static final String CAPACITY = "giraph.heapspan.capacity";

    /** Whether edges and messages move in each superstep, as pages become full and at its end. */
    static final String TRANSFER_HINT = "giraph.heapspan.transferHint";

    /** Share of the old generation above which tagged pages move; 0 for never. */
    static final String HIGH_THRESHOLD = "giraph.heapspan.highThreshold";

    /** Share of the old generation at which moving stops; 0: all tagged pages move. */
    static final String LOW_THRESHOLD = "giraph.heapspan.lowThreshold";

    /** Length of the key that encrypts the files, in bits; 0 for no encryption. */
    static final String ENCRYPTION_KEY_BITS = "giraph.heapspan.encryptionKeyBits";

    /** A region of the second heap. */
    private static final long LEAST_CAPACITY_BYTES = 16 << 20;

    private static final String PREFIX = "giraph.heapspan.";
    private static final Set<String> KEYS =
            Set.of(DIRECTORY, CAPACITY, TRANSFER_HINT, HIGH_THRESHOLD, LOW_THRESHOLD, ENCRYPTION_KEY_BITS);
    private static final String OBSERVERS = "giraph.worker.observers";

    static WorkerSettings of(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration) {
        checkClasses(configuration);
        for (Map.Entry<String, String> each : configuration) {
            if (each.getKey().startsWith(PREFIX) && !KEYS.contains(each.getKey())) {
                throw wrong(each.getKey(), each.getValue(), "one of the settings " + new TreeSet<>(KEYS));
            }
        }
        if (configuration.getTrimmed(DIRECTORY, "").isEmpty()) {
            throw wrong(DIRECTORY + " is not set; name a folder on a local disk for the second heap");
        }
        Path path = read(configuration, DIRECTORY, "", "a folder on a local disk", Path::of);
        boolean transferHint = read(configuration, TRANSFER_HINT, "true", "true or false", value -> {
            boolean known = value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false");
            return known ? Boolean.valueOf(value) : null;
        });
        return new WorkerSettings(path, options(configuration, path), transferHint);
    }

    private interface Parser<T> {
        @Nullable
        T parse(String value);
    }

    /**
     * Reads a setting. Hadoop would take the default in place of some values that are wrong.
     *
     * @param parser gives null, or throws IllegalArgumentException, for a wrong value
     */
    private static <T> T read(
            ImmutableClassesGiraphConfiguration<?, ?, ?> configuration,
            String key,
            String defaultValue,
            String expected,
            Parser<T> parser) {
        String value = configuration.getTrimmed(key, defaultValue);
        @Nullable T read;
        try {
            read = parser.parse(value);
        } catch (IllegalArgumentException e) {
            throw new HeapspanException(Category.USAGE, message(key, value, expected), e);
        }
        if (read == null) {
            throw wrong(key, value, expected);
        }
        return read;
    }

    private static void checkClasses(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration) {
        boolean observed = false;
        for (Class<?> each : configuration.getWorkerObserverClasses()) {
            observed |= SecondHeapObserver.class.isAssignableFrom(each);
        }
        if (!observed) {
            throw wrong(OBSERVERS + " lacks " + SecondHeapObserver.class.getName()
                    + ", which tells of supersteps and frees the second heap; add it");
        }
        if (ReusesObjectsPartition.class.isAssignableFrom(configuration.getPartitionClass())) {
            throw wrong("giraph.partitionClass is "
                    + configuration.getPartitionClass().getName()
                    + ", which keeps vertices with their edges as bytes on the Java heap; remove it, so that Giraph uses"
                    + " SimplePartition");
        }
    }

    private static SecondHeapOptions options(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration, Path path) {
        // A page of a device that is damaged gives an error then, and never other edges.
        SecondHeapOptions options = SecondHeapOptions.capacity(capacityBytes(configuration, path))
                .withHeapspan(Heapspan.builder().mode(Mode.CLONE).checksum(true).build());
        double high = share(configuration, HIGH_THRESHOLD, "0.85", 1);
        double low = share(configuration, LOW_THRESHOLD, "0.5", high == 0 ? 1 : high);
        options = high == 0 ? options.withoutThresholds() : options.withThresholds(high, low);
        int keyBits = read(configuration, ENCRYPTION_KEY_BITS, "0", "0, 128, 192 or 256", value -> {
            int bits = Integer.parseInt(value);
            return bits == 0 || bits == 128 || bits == 192 || bits == 256 ? bits : null;
        });
        return keyBits == 0 ? options : options.withEncryption(keyBits);
    }

    private static double share(
            ImmutableClassesGiraphConfiguration<?, ?, ?> configuration, String key, String defaultValue, double most) {
        String expected = "a share of the old generation from 0 to " + most;
        return read(configuration, key, defaultValue, expected, value -> {
            double share = Double.parseDouble(value);
            return share >= 0 && share <= most ? share : null;
        });
    }

    private static long capacityBytes(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration, Path path) {
        long bytes = read(configuration, CAPACITY, "0", "a number of bytes such as 200g, at least 16m", value -> {
            long given = value.isEmpty() ? -1 : configuration.getLongBytes(CAPACITY, 0);
            return given == 0 || given >= LEAST_CAPACITY_BYTES ? given : null;
        });
        if (bytes > 0) {
            return bytes;
        }
        bytes = usableBytes(path);
        if (bytes < LEAST_CAPACITY_BYTES) {
            throw wrong(
                    DIRECTORY,
                    path.toString(),
                    "a folder on a disk with free space, of which it has " + bytes + " bytes");
        }
        return bytes;
    }

    private static long usableBytes(Path path) {
        Path existing = path.toAbsolutePath();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        try {
            return Files.getFileStore(existing).getUsableSpace();
        } catch (IOException e) {
            throw new HeapspanException(
                    Category.IO, "the free space of " + path + " is unknown: " + e + "; set " + CAPACITY, e);
        }
    }

    private static String message(String key, String value, String expected) {
        return key + " is '" + value + "', expected " + expected;
    }

    private static HeapspanException wrong(String key, String value, String expected) {
        return wrong(message(key, value, expected));
    }

    private static HeapspanException wrong(String message) {
        return new HeapspanException(Category.USAGE, message);
    }
}
