package org.heapspan.spark.broadcast;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.heapspan.HostBroadcast;
import org.apache.spark.heapspan.HostBroadcastFactory;
import org.apache.spark.heapspan.StoredBlocks;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.spark.settings.JarPlace;
import org.heapspan.spark.statistics.SharedBroadcasts;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the executors of a host share the bytes of broadcasts, where a folder for them is configured.
 *
 * @param files in an executor whose part is on, else null
 * @param part what became of it
 */
public record BroadcastSharing(@Nullable HostFiles files, Part part) implements AutoCloseable {
    public static final String NAME = "shared broadcasts";

    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);
    private static final String IO_ENCRYPTION = "spark.io.encryption.enabled";

    /**
     * What the driver has decided.
     *
     * @param application under which name executors share; null if they do not
     * @param part what became of it
     */
    public record Offer(@Nullable String application, Part part) {
        private static Offer none(String why) {
            return new Offer(null, Part.off(NAME, why));
        }
    }

    /** Lets the driver make broadcasts that can be shared; never fails. */
    public static Offer offer(
            HeapspanConfiguration configuration, SparkConf conf, SparkEnv environment, boolean isLocal) {
        if (configuration.get(HeapspanConfiguration.BROADCAST_DIR).isEmpty()) {
            return Offer.none(HeapspanConfiguration.BROADCAST_DIR.name() + " is not set");
        }
        String obstacle = obstacle(conf, isLocal);
        if (obstacle == null) {
            try {
                HostBroadcastFactory.install(environment);
                return new Offer(UUID.randomUUID().toString(), Part.on(NAME, ""));
            } catch (ReflectiveOperationException | LinkageError e) {
                LOG.debug("Broadcasts cannot be shared", e);
                obstacle = "Spark's broadcasts are made in another way: " + e;
            }
        }
        LOG.warn("Heapspan: executors of a host do not share broadcasts, each reads them by itself: {}", obstacle);
        return Offer.none(obstacle);
    }

    private static @Nullable String obstacle(SparkConf conf, boolean isLocal) {
        if (isLocal) {
            return "there is only one executor, in the JVM of the driver";
        }
        if (conf.getBoolean(IO_ENCRYPTION, false)) {
            return IO_ENCRYPTION + "=true, and the files would not be encrypted";
        }
        return JarPlace.IS_CLASS_PATH ? null : JarPlace.CAME_WITH_APPLICATION;
    }

    /**
     * Lets an executor share; never fails.
     *
     * @param application as in {@link Offer}
     * @param executor number of the executor
     */
    public static BroadcastSharing join(HeapspanConfiguration configuration, String application, String executor) {
        HostFiles files = null;
        try {
            Path base = Path.of(configuration.get(HeapspanConfiguration.BROADCAST_DIR));
            if (!base.isAbsolute() || !Files.isDirectory(base)) {
                return warned(HeapspanConfiguration.BROADCAST_DIR.name() + " is '" + base
                        + "', expected the absolute path of a folder of this host");
            }
            SharingFolder.deleteStale(base);
            SharingFolder folder = SharingFolder.enter(base, application, executor);
            files = new HostFiles(folder, StoredBlocks::hasBroadcast, SharedBroadcasts.OF_THIS_JVM);
            HostBroadcast.readThrough(files);
            files.startSweeping();
            // Cluster managers end executors by SIGTERM, too.
            Runtime.getRuntime().addShutdownHook(new Thread(files::close, "heapspan-broadcasts-end"));
            return new BroadcastSharing(files, Part.on(NAME, folder.path().toString()));
        } catch (Exception | LinkageError e) {
            LOG.debug("Broadcasts cannot be shared", e);
            if (files != null) {
                files.close();
            }
            return warned(e.toString());
        }
    }

    private static BroadcastSharing warned(String why) {
        LOG.warn("Heapspan: this executor does not share broadcasts, it reads them by itself: {}", why);
        return off(why);
    }

    private static BroadcastSharing off(String why) {
        return new BroadcastSharing(null, Part.off(NAME, why));
    }

    /** Stops sharing; Spark reads broadcasts by itself from now on. */
    @Override
    public void close() {
        if (files != null) {
            HostBroadcast.readAlone();
            files.close();
        }
    }
}
