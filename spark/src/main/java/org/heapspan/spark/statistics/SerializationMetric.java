package org.heapspan.spark.statistics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import org.heapspan.Heapspan;

/**
 * A gauge in Spark's metrics system about this JVM. It is computed when a sink asks. The table in {@code docs/observability.md}
 * is made from this class.
 */
public enum SerializationMetric {
    ENCODED_RECORDS("encodedRecords", "records encoded"),
    ENCODED_BYTES("encodedBytes", "bytes of the encoded records, before compression"),
    ENCODED_NANOS("encodedNanos", "nanoseconds of encoding, summed over threads; estimated from samples"),
    DECODED_RECORDS("decodedRecords", "records decoded"),
    DECODED_BYTES("decodedBytes", "bytes of the decoded records, after decompression"),
    DECODED_NANOS("decodedNanos", "nanoseconds of decoding, summed over threads; each group is timed"),
    FAILURES("failures", "records that could not be encoded or decoded"),
    CHUNKS_DIRECT("chunksDirect", "chunks of raw images whose objects the direct engine made"),
    CHUNKS_PORTABLE(
            "chunksPortable", "chunks of raw images whose objects the portable engine made; the tab shows the reasons"),
    H2_PARTITIONS("h2Partitions", "cached partitions in the second heap"),
    H2_HELD_BYTES("h2HeldBytes", "bytes of cached partitions in the second heap"),
    H2_STORED_BYTES("h2StoredBytes", "bytes of partitions that were stored there"),
    H2_READ_BYTES(
            "h2ReadBytes",
            "bytes of partitions that were read there; a partition that was read in part counts as a whole"),
    H2_DECLINED("h2Declined", "partitions that Spark's own store keeps because the second heap could not"),
    BROADCASTS_STORED(
            "broadcastsStored",
            "broadcasts whose bytes this executor has fetched and stored for all executors of its host"),
    BROADCASTS_STORED_BYTES("broadcastsStoredBytes", "bytes of these broadcasts"),
    BROADCASTS_FOUND("broadcastsFound", "broadcasts whose bytes another executor of the host had stored"),
    BROADCASTS_FOUND_BYTES("broadcastsFoundBytes", "bytes of these broadcasts, which this executor did not fetch"),
    BROADCASTS_ALONE(
            "broadcastsAlone", "large broadcasts that this executor has read by itself, although sharing is on"),
    KEYS_NUMBERED(
            "keysNumbered", "strings that have a number in this JVM, because they are keys in many shuffle blocks"),
    KEYS_WRITTEN("keysWritten", "how often such a number was written in the place of a string"),
    KEYS_SAVED_CHARACTERS("keysSavedCharacters", "characters of these strings");

    private final String name;
    private final String meaning;

    SerializationMetric(String name, String meaning) {
        this.name = name;
        this.meaning = meaning;
    }

    /** How much it is now. A switch, as the JVM would make a class for each lambda when it starts. */
    private long now() {
        return switch (this) {
            case ENCODED_RECORDS -> SerializationCounters.total().encoded().records();
            case ENCODED_BYTES -> SerializationCounters.total().encoded().bytes();
            case ENCODED_NANOS -> SerializationCounters.total().encoded().nanos();
            case DECODED_RECORDS -> SerializationCounters.total().decoded().records();
            case DECODED_BYTES -> SerializationCounters.total().decoded().bytes();
            case DECODED_NANOS -> SerializationCounters.total().decoded().nanos();
            case FAILURES ->
                SerializationFailures.byKind().values().stream()
                        .mapToLong(SerializationFailures.Cases::count)
                        .sum();
            case CHUNKS_DIRECT -> Heapspan.statistics().chunksCarved();
            case CHUNKS_PORTABLE -> Heapspan.statistics().chunksPortable();
            case H2_PARTITIONS -> CachedPartitions.OF_THIS_JVM.partitions();
            case H2_HELD_BYTES -> CachedPartitions.OF_THIS_JVM.heldBytes();
            case H2_STORED_BYTES -> CachedPartitions.OF_THIS_JVM.storedBytes();
            case H2_READ_BYTES -> CachedPartitions.OF_THIS_JVM.readBytes();
            case H2_DECLINED -> CachedPartitions.OF_THIS_JVM.declined();
            case BROADCASTS_STORED -> SharedBroadcasts.OF_THIS_JVM.storedCount();
            case BROADCASTS_STORED_BYTES -> SharedBroadcasts.OF_THIS_JVM.storedBytes();
            case BROADCASTS_FOUND -> SharedBroadcasts.OF_THIS_JVM.foundCount();
            case BROADCASTS_FOUND_BYTES -> SharedBroadcasts.OF_THIS_JVM.foundBytes();
            case BROADCASTS_ALONE -> SharedBroadcasts.OF_THIS_JVM.aloneCount();
            case KEYS_NUMBERED -> NumberedKeys.OF_THIS_JVM.knownCount();
            case KEYS_WRITTEN -> NumberedKeys.OF_THIS_JVM.writtenCount();
            case KEYS_SAVED_CHARACTERS -> NumberedKeys.OF_THIS_JVM.savedCharacters();
        };
    }

    /** Puts all into a registry, to which nothing may be added once Spark has taken it over. */
    public static void registerAll(MetricRegistry registry) {
        for (SerializationMetric metric : values()) {
            registry.register(metric.name, (Gauge<Long>) metric::now);
        }
    }

    /** The table of {@code docs/observability.md}. */
    static String table() {
        StringBuilder table = new StringBuilder("| Metric | Meaning |\n|---|---|\n");
        for (SerializationMetric metric : values()) {
            table.append("| `").append(metric.name).append("` | ");
            table.append(metric.meaning).append(" |\n");
        }
        return table.toString();
    }
}
