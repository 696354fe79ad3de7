package org.heapspan.giraph;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.partition.ReusesObjectsPartition;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.heapspan.h2.SecondHeapOptions;

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

    private static final String OBSERVERS = "giraph.worker.observers";

    static WorkerSettings of(ImmutableClassesGiraphConfiguration<?, ?, ?> configuration) {
        checkClasses(configuration);
        String directory = configuration.getTrimmed(DIRECTORY, "");
        if (directory.isEmpty()) {
            throw wrong(DIRECTORY + " is not set; name a folder on a local device for the second heap");
        }
        try {
            Path path = Path.of(directory);
            return new WorkerSettings(
                    path, options(configuration, path), configuration.getBoolean(TRANSFER_HINT, true));
        } catch (IllegalArgumentException e) {
            throw new HeapspanException(
                    Category.USAGE, "a setting giraph.heapspan.* is wrong: " + e.getMessage() + "; correct it", e);
        }
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
        double high = configuration.getDouble(HIGH_THRESHOLD, 0.85);
        double low = configuration.getDouble(LOW_THRESHOLD, 0.5);
        long capacityBytes = configuration.getLongBytes(CAPACITY, 0);
        // A page of a device that is damaged gives an error then, and never other edges.
        SecondHeapOptions options = SecondHeapOptions.capacity(capacityBytes == 0 ? usableBytes(path) : capacityBytes)
                .withHeapspan(Heapspan.builder().mode(Mode.CLONE).checksum(true).build());
        options = high == 0 ? options.withoutThresholds() : options.withThresholds(high, low);
        int keyBits = configuration.getInt(ENCRYPTION_KEY_BITS, 0);
        return keyBits == 0 ? options : options.withEncryption(keyBits);
    }

    private static long usableBytes(Path path) {
        Path existing = path.toAbsolutePath();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        try {
            return Math.max(1, Files.getFileStore(existing).getUsableSpace());
        } catch (IOException e) {
            throw new HeapspanException(
                    Category.IO, "the free space of " + path + " is unknown: " + e + "; set " + CAPACITY, e);
        }
    }

    private static HeapspanException wrong(String message) {
        return new HeapspanException(Category.USAGE, message);
    }
}
