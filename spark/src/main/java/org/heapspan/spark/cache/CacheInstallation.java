package org.heapspan.spark.cache;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.PartitionStore;
import org.heapspan.HeapspanException;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapOptions;
import org.heapspan.h2.SharedObjects;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.spark.settings.JarPlace;
import org.heapspan.spark.statistics.CachedPartitions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a second heap the place of cached partitions in an executor, where a folder for it is configured.
 *
 * @param heap the heap, or null where there is none
 * @param part what became of it
 */
public record CacheInstallation(@Nullable SecondHeap heap, Part part) {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    public static final String NAME = "second heap";

    /** Of the space that is free on the device: shuffles need some of it. */
    private static final double SHARE_OF_FREE_SPACE = 0.8;

    private static final String IO_ENCRYPTION = "spark.io.encryption.enabled";
    private static final String IO_ENCRYPTION_KEY_BITS = "spark.io.encryption.keySizeBits";

    /** Spark's. */
    private static final int DEFAULT_KEY_BITS = 128;

    /** Of the device, never taken: other executors count on the same space. */
    private static final double SHARE_LEFT_TO_OTHERS = 0.1;

    /** Of the Java heap, the longest record: writing one takes twice its bytes there for a while. */
    private static final int MOST_RECORD_DIVISOR = 8;

    /** Opens a heap and puts it in; never fails. */
    public static CacheInstallation install(HeapspanConfiguration configuration, SparkEnv environment) {
        String folder = configuration.get(HeapspanConfiguration.H2_DIR);
        if (folder.isEmpty()) {
            return new CacheInstallation(null, Part.off(NAME, HeapspanConfiguration.H2_DIR.name() + " is not set"));
        }
        if (!configuration.get(HeapspanConfiguration.H2)) {
            return new CacheInstallation(null, Part.switchedOff(NAME, HeapspanConfiguration.H2));
        }
        if (!JarPlace.IS_CLASS_PATH) {
            return off(JarPlace.CAME_WITH_APPLICATION);
        }
        SparkConf conf = environment.conf();
        int keyBits = conf.getBoolean(IO_ENCRYPTION, false) ? conf.getInt(IO_ENCRYPTION_KEY_BITS, DEFAULT_KEY_BITS) : 0;
        if (keyBits > 0 && !configuration.get(HeapspanConfiguration.H2_ENCRYPTS)) {
            String why = IO_ENCRYPTION + "=true and " + HeapspanConfiguration.H2_ENCRYPTS.name() + "="
                    + configuration.text(HeapspanConfiguration.H2_ENCRYPTS);
            LOG.info("Heapspan's second heap is off as the settings say: {}", why);
            return new CacheInstallation(null, Part.off(NAME, why));
        }
        SecondHeap heap = null;
        try {
            HeapFolder place = HeapFolder.of(folder);
            long given = configuration.get(HeapspanConfiguration.H2_CAPACITY);
            long free = place.usableBytes();
            long capacity = given > 0 ? given : (long) (free * SHARE_OF_FREE_SPACE);
            long reserve =
                    given > 0 ? 0 : Math.min((long) (place.totalBytes() * SHARE_LEFT_TO_OTHERS), free - capacity);
            if (capacity < configuration.get(HeapspanConfiguration.H2_REGION_BYTES)) {
                return off(HeapspanConfiguration.H2_DIR.name() + " is '" + folder + "', where " + (free >> 20)
                        + " MB are free, too little for a region of "
                        + configuration.text(HeapspanConfiguration.H2_REGION_BYTES) + " ("
                        + HeapspanConfiguration.H2_REGION_BYTES.name() + "); make room there, or name another folder");
            }
            SharedObjects shared = SharedObjects.inFields(SharedGraphParts::areIn, KnownLoggers::of);
            CacheCodecs codecs = new CacheCodecs(Thread.currentThread().getContextClassLoader(), shared);
            AtomicReference<@Nullable PartitionStore> store = new AtomicReference<>();
            BooleanSupplier reclaimer = () -> {
                PartitionStore installed = store.get();
                return installed != null && installed.dropOne();
            };
            SecondHeapOptions options = options(configuration, capacity, codecs)
                    .withReserve(reserve)
                    .withReclaimer(reclaimer)
                    .withShared(shared);
            heap = place.open(keyBits == 0 ? options : options.withEncryption(keyBits));
            store.set(PartitionStore.install(
                    environment,
                    new SecondHeapPartitions(
                            heap,
                            codecs,
                            CachedPartitions.OF_THIS_JVM,
                            Runtime.getRuntime().maxMemory() / MOST_RECORD_DIVISOR,
                            configuration.get(HeapspanConfiguration.H2_DATASETS))));
            CachedPartitions.OF_THIS_JVM.startOver();
            return new CacheInstallation(heap, Part.on(NAME, description(place, capacity, keyBits)));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            LOG.debug("Heapspan's second heap failed to start", e);
            if (heap != null) {
                heap.close();
            }
            return off(e instanceof HeapspanException ? String.valueOf(e.getMessage()) : e.toString());
        }
    }

    private static String description(HeapFolder place, long capacity, int keyBits) {
        return place.path() + ", " + (capacity >> 20) + " MB"
                + (keyBits == 0 ? "" : ", encrypted by AES with a key of " + keyBits + " bits")
                + (place.isMemory() ? ", in memory (" + place.type() + ")" : "");
    }

    private static SecondHeapOptions options(HeapspanConfiguration configuration, long capacity, CacheCodecs codecs) {
        // Partitions are written where they belong at once: there is nothing on the heap that would have to move.
        return SecondHeapOptions.capacity(capacity)
                .withRegionBytes(configuration.get(HeapspanConfiguration.H2_REGION_BYTES))
                .withoutThresholds()
                .withKept((long)
                        (Runtime.getRuntime().maxMemory() * configuration.get(HeapspanConfiguration.H2_KEPT_FRACTION)))
                .withHeapspan(codecs.of(null));
    }

    private static CacheInstallation off(String why) {
        LOG.warn("Heapspan's second heap is off, Spark's own store keeps cached partitions: {}", why);
        return new CacheInstallation(null, Part.off(NAME, why));
    }

    /** Frees the storage; Spark must not use it any more. */
    public void close() {
        if (heap != null) {
            heap.close();
        }
    }
}
