package org.heapspan.spark.statistics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.util.List;
import java.util.function.LongSupplier;
import org.heapspan.Heapspan;

/**
 * A gauge in Spark's metrics system about this JVM. It is computed when a sink asks. The table in {@code docs/observability.md}
 * is made from this class.
 *
 * @param name in the registry of the plug-in
 * @param meaning what it counts
 * @param value how much it is now
 */
public record SerializationMetric(String name, String meaning, LongSupplier value) {
    private static final List<SerializationMetric> ALL = List.of(
            new SerializationMetric(
                    "encodedRecords",
                    "records encoded",
                    () -> SerializationCounters.total().encoded().records()),
            new SerializationMetric(
                    "encodedBytes",
                    "bytes of the encoded records, before compression",
                    () -> SerializationCounters.total().encoded().bytes()),
            new SerializationMetric(
                    "encodedNanos",
                    "nanoseconds of encoding, summed over threads; estimated from samples",
                    () -> SerializationCounters.total().encoded().nanos()),
            new SerializationMetric(
                    "decodedRecords",
                    "records decoded",
                    () -> SerializationCounters.total().decoded().records()),
            new SerializationMetric(
                    "decodedBytes",
                    "bytes of the decoded records, after decompression",
                    () -> SerializationCounters.total().decoded().bytes()),
            new SerializationMetric(
                    "decodedNanos",
                    "nanoseconds of decoding, likewise",
                    () -> SerializationCounters.total().decoded().nanos()),
            new SerializationMetric(
                    "failures",
                    "records that could not be encoded or decoded",
                    () -> SerializationFailures.byKind().values().stream()
                            .mapToLong(SerializationFailures.Cases::count)
                            .sum()),
            new SerializationMetric(
                    "chunksDirect",
                    "chunks of raw images whose objects the direct engine made",
                    () -> Heapspan.statistics().chunksCarved()),
            new SerializationMetric(
                    "chunksPortable",
                    "chunks of raw images whose objects the portable engine made; the tab shows the reasons",
                    () -> Heapspan.statistics().chunksPortable()),
            new SerializationMetric(
                    "h2Partitions",
                    "cached partitions in the second heap",
                    () -> CachedPartitions.OF_THIS_JVM.partitions()),
            new SerializationMetric(
                    "h2HeldBytes",
                    "bytes of cached partitions in the second heap",
                    () -> CachedPartitions.OF_THIS_JVM.heldBytes()),
            new SerializationMetric(
                    "h2StoredBytes",
                    "bytes of partitions that were stored there",
                    () -> CachedPartitions.OF_THIS_JVM.storedBytes()),
            new SerializationMetric(
                    "h2ReadBytes",
                    "bytes of partitions that were read there; a partition that was read in part counts as a whole",
                    () -> CachedPartitions.OF_THIS_JVM.readBytes()),
            new SerializationMetric(
                    "h2Declined",
                    "partitions that Spark's own store keeps because the second heap could not",
                    () -> CachedPartitions.OF_THIS_JVM.declined()),
            new SerializationMetric(
                    "broadcastsStored",
                    "broadcasts whose bytes this executor has fetched and stored for all executors of its host",
                    () -> SharedBroadcasts.OF_THIS_JVM.storedCount()),
            new SerializationMetric(
                    "broadcastsStoredBytes",
                    "bytes of these broadcasts",
                    () -> SharedBroadcasts.OF_THIS_JVM.storedBytes()),
            new SerializationMetric(
                    "broadcastsFound",
                    "broadcasts whose bytes another executor of the host had stored",
                    () -> SharedBroadcasts.OF_THIS_JVM.foundCount()),
            new SerializationMetric(
                    "broadcastsFoundBytes",
                    "bytes of these broadcasts, which this executor did not fetch",
                    () -> SharedBroadcasts.OF_THIS_JVM.foundBytes()),
            new SerializationMetric(
                    "broadcastsAlone",
                    "large broadcasts that this executor has read by itself, although sharing is on",
                    () -> SharedBroadcasts.OF_THIS_JVM.aloneCount()),
            new SerializationMetric(
                    "keysNumbered",
                    "strings that have a number in this JVM, because they are keys in many shuffle blocks",
                    () -> NumberedKeys.OF_THIS_JVM.knownCount()),
            new SerializationMetric(
                    "keysWritten",
                    "how often such a number was written in the place of a string",
                    () -> NumberedKeys.OF_THIS_JVM.writtenCount()),
            new SerializationMetric(
                    "keysSavedCharacters",
                    "characters of these strings",
                    () -> NumberedKeys.OF_THIS_JVM.savedCharacters()));

    /** Puts all into a registry, to which nothing may be added once Spark has taken it over. */
    public static void registerAll(MetricRegistry registry) {
        for (SerializationMetric metric : ALL) {
            registry.register(metric.name, (Gauge<Long>) metric.value::getAsLong);
        }
    }

    /** The table of {@code docs/observability.md}. */
    static String table() {
        StringBuilder table = new StringBuilder("| Metric | Meaning |\n|---|---|\n");
        for (SerializationMetric metric : ALL) {
            table.append("| `").append(metric.name).append("` | ");
            table.append(metric.meaning).append(" |\n");
        }
        return table.toString();
    }
}
