package org.heapspan.spark.settings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.heapspan.Encoding;
import org.heapspan.h2.SecondHeapOptions;
import scala.Tuple2;

/**
 * The keys {@code spark.heapspan.*}: all there are, what they mean, and the values that an application gave them, checked once.
 * The table in {@code docs/spark.md} is made from this class.
 *
 * <p>Immutable and thread-safe.
 */
public final class HeapspanConfiguration {
    static final String PREFIX = "spark.heapspan.";

    /**
     * A key.
     *
     * @param name its full name
     * @param fallback the value that holds if it is not given, as a user would write it
     * @param values which values it takes
     * @param meaning what it does, a clause
     * @param form what a user writes
     * @param <T> type of the value
     */
    public record Key<T>(String name, String fallback, String values, String meaning, ValueForm form) {
        @SuppressWarnings("unchecked") // Each key has the type of its form.
        T read(String text) {
            try {
                return (T) form.read(text.strip());
            } catch (IllegalArgumentException e) {
                String reason =
                        e.getMessage() == null ? "" : " (" + e.getMessage().strip() + ")";
                throw new IllegalArgumentException(
                        name + " is '" + text + "', expected " + values + reason + "; correct or remove it", e);
            }
        }
    }

    private static final List<Key<?>> KEYS = new ArrayList<>();

    /** Whether Spark's serializer is ours. */
    public static final Key<Boolean> SERIALIZER = key(
            "serializer",
            "true",
            "`true` or `false`",
            "Task results, broadcasts, serialized and disk blocks, checkpoints and shuffles are object images."
                    + " `false`: Spark's own "
                    + "serializer.",
            ValueForm.YES_OR_NO);

    /** Whether Spark's shuffle manager is ours. */
    public static final Key<Boolean> SHUFFLE = key(
            "shuffle",
            "true",
            "`true` or `false`",
            "Map tasks encode each record directly into the output of its reducer. This includes pairs of numbers and"
                    + " strings, for which Spark otherwise uses its own serializer. `false`: Spark's sort shuffle, with the"
                    + " serializer of `spark.serializer`.",
            ValueForm.YES_OR_NO);

    /** Whether Heapspan computes the size of maps of combiners. */
    public static final Key<Boolean> COMBINER_SIZES = key(
            "combinerSizes",
            "true",
            "`true` or `false`",
            "Tasks that group or combine by key compute the size of their groups from the bytes that they allocate. They measure a "
                    + "sample only if memory may be short. Needs Heapspan's shuffle manager. If `spark.heapspan.sizeEstimator` is on too, "
                    + "joins, sorts and caches measure their collections less often. `false`: Spark's estimates, which visit the same "
                    + "objects again and again.",
            ValueForm.YES_OR_NO);

    /** Whether broadcasts are ours. */
    public static final Key<Boolean> BROADCAST = key(
            "broadcast",
            "true",
            "`true` or `false`",
            "Broadcasts are object images. `false`: Java serialization, as in Spark without `spark.serializer`. Other data does not change.",
            ValueForm.YES_OR_NO);

    /** Where the executors of a host share bytes of broadcasts. */
    public static final Key<String> BROADCAST_DIR = key(
            "broadcast.dir",
            "",
            "a folder of each executor's host, best `/dev/shm`",
            "One executor of a host fetches the bytes of a large broadcast and stores them in a file in this folder. The other executors "
                    + "read that file. Not set: each executor fetches them.",
            ValueForm.TEXT);

    /** Whether Spark's size estimator asks Heapspan. */
    public static final Key<Boolean> SIZE_ESTIMATOR = key(
            "sizeEstimator",
            "true",
            "`true` or `false`",
            "Spark's `SizeEstimator` asks Heapspan, which computes the same sizes in less time. Works only with the class file of "
                    + "Spark 4.3.0. `false`: Spark computes them. If `spark.heapspan.combinerSizes` is on too, joins, sorts and "
                    + "caches measure their collections less often.",
            ValueForm.YES_OR_NO);

    /** When a group of records leaves. */
    static final Key<Integer> GROUP_BYTES = key(
            "groupBytes",
            "64k",
            "a size from 1k to 64m, such as `64k`",
            "Size of a group of records, except in the second heap (128 KB). A group is one image. Each open stream, and each reducer of a map "
                    + "task, holds one group in memory.",
            ValueForm.GROUP_BYTES);

    /** Whether there is a tab in Spark's web UI. */
    public static final Key<Boolean> UI = key(
            "ui",
            "true",
            "`true` or `false`",
            "Spark's web UI has a tab \"Heapspan\". Executors send the driver their counts every two seconds.",
            ValueForm.YES_OR_NO);

    /** Which bytes records become. */
    static final Key<Encoding> ENCODING = key(
            "encoding",
            "compact",
            "`compact` or `raw`",
            "`compact` is dense, and independent of the JVM. `raw` has the bytes of the heap. It is larger, and faster to"
                    + " read if all JVMs have the same heap layout.",
            ValueForm.ENCODING);

    /** Whether the classes in shuffle blocks are numbers that the driver gives out. */
    public static final Key<Boolean> REGISTRY = key(
            "registry",
            "true",
            "`true` or `false`",
            "Shuffle blocks have numbers for classes, which the driver assigns. `false`: each group describes its classes.",
            ValueForm.YES_OR_NO);

    /** How much numbered keys may take. */
    public static final Key<Long> REPEATED_KEYS = key(
            "repeatedKeys",
            "0",
            "a size such as `64m`",
            "Strings that are often keys of pairs get numbers from the driver. Shuffle blocks hold the number instead of the string."
                    + " The size is the most memory that such strings may take in each JVM. 0: no numbers.",
            ValueForm.BYTES);

    /** Whether native code may make objects. */
    public static final Key<String> DIRECT = key(
            "direct",
            "true",
            "`true`, `false` or `force`",
            "`false` switches the direct engine off in driver and executors. The system property `heapspan.direct` has the"
                    + " same effect, and overrides this key.",
            ValueForm.DIRECT);

    /** Whether executors that start after one has crashed do without native code. */
    public static final Key<Boolean> CIRCUIT_BREAKER = key(
            "circuitBreaker",
            "true",
            "`true` or `false`",
            "If an executor crashes (for example by SIGSEGV) with the direct engine on, executors that start later use the"
                    + " portable engine, on all hosts.",
            ValueForm.YES_OR_NO);

    /** The share of raw images that are decoded twice. */
    static final Key<Double> VERIFY = key(
            "verify",
            "0",
            "a share from 0 to 1",
            "The share of raw images that both engines decode, to compare the results. If this key is not set, the system property `heapspan.verify` applies.",
            ValueForm.SHARE);

    /** Whether there is a second heap. */
    public static final Key<Boolean> H2 = key(
            "h2",
            "true",
            "`true` or `false`",
            "Cached partitions of objects are in the second heap, if `spark.heapspan.h2.dir` is set.",
            ValueForm.YES_OR_NO);

    /** Where the second heap is. */
    public static final Key<String> H2_DIR = key(
            "h2.dir",
            "",
            "a folder of each executor's host",
            "Folder of the second heap's files, best on a fast local device. Not set: no second heap.",
            ValueForm.TEXT);

    /** How large it may become. */
    public static final Key<Long> H2_CAPACITY = key(
            "h2.capacity",
            "0",
            "a size such as `200g`",
            "Storage that the second heap of one executor may take. 0: four fifths of the space that is free when the"
                    + " executor starts. Only with 0, writes also stop when little of the device is free: a tenth of it, or a fifth of what"
                    + " was free at the start, whichever is less.",
            ValueForm.BYTES);

    /** How long its regions are. */
    public static final Key<Integer> H2_REGION_BYTES = key(
            "h2.regionSize",
            "16m",
            "a power of two from `1m` to `256m`",
            "The unit in which space of the second heap becomes free.",
            ValueForm.REGION_BYTES);

    /** How much of the Java heap what its partitions share may take. */
    public static final Key<Double> H2_KEPT_FRACTION = key(
            "h2.keptFraction",
            "0.1",
            "a share from 0 to 0.5",
            "The share of an executor's Java heap for arrays that partitions of a graph share, such as its edges. These"
                    + " arrays are in the second heap, and stay on the Java heap as well, so they need not be decoded for"
                    + " each read. Arrays that do not fit are decoded for each read.",
            ValueForm.KEPT_FRACTION);

    /** Whether cached Datasets go there as well. */
    public static final Key<Boolean> H2_DATASETS = key(
            "h2.datasets",
            "false",
            "`true` or `false`",
            "Partitions of cached Datasets are in the second heap too. `false`: Spark's own store keeps them. They are few large "
                    + "arrays, which are cheap for the garbage collector.",
            ValueForm.YES_OR_NO);

    /** Whether the second heap encrypts where Spark does; else there is none then. */
    public static final Key<Boolean> H2_ENCRYPTS = key(
            "h2.encryption",
            "encrypt",
            "`encrypt` or `heap-off`",
            "The effect of `spark.io.encryption.enabled` on the second heap. `encrypt`: its files are encrypted with a key"
                    + " of `spark.io.encryption.keySizeBits` bits. `heap-off`: it is off, and Spark's own store keeps cached partitions.",
            ValueForm.ENCRYPTS);

    private final Map<String, String> given;

    private HeapspanConfiguration(Map<String, String> given) {
        this.given = given;
    }

    /**
     * Takes the keys out of Spark's configuration.
     *
     * @param conf Spark's configuration
     * @return the values, all of them valid
     * @throws IllegalArgumentException if a key is not known or a value is not valid; the message says which and what to do
     */
    public static HeapspanConfiguration of(SparkConf conf) {
        Map<String, String> given = new HashMap<>();
        for (Tuple2<String, String> entry : conf.getAllWithPrefix(PREFIX)) {
            given.put(PREFIX + entry._1(), entry._2());
        }
        HeapspanConfiguration configuration = new HeapspanConfiguration(Map.copyOf(given));
        configuration.check();
        return configuration;
    }

    private void check() {
        for (Key<?> key : KEYS) {
            get(key);
        }
        checkCapacity();
        for (String name : given.keySet()) {
            if (KEYS.stream().noneMatch(key -> key.name().equals(name))) {
                throw new IllegalArgumentException(name + " is not a key of this version of Heapspan; there are: "
                        + KEYS.stream().map(Key::name).collect(Collectors.joining(", ")) + ". Correct or remove it");
            }
        }
    }

    /** A heap that could not hold anything is a mistake that shows at once, and not on each executor. */
    private void checkCapacity() {
        long capacity = get(H2_CAPACITY);
        long region = get(H2_REGION_BYTES);
        if (capacity > 0 && (capacity < region || capacity / region > SecondHeapOptions.MOST_REGIONS)) {
            throw new IllegalArgumentException(H2_CAPACITY.name() + " is '" + text(H2_CAPACITY) + "', expected "
                    + (capacity < region
                            ? "at least one region, "
                            : "at most " + SecondHeapOptions.MOST_REGIONS + " regions, ")
                    + H2_REGION_BYTES.name() + " is " + text(H2_REGION_BYTES)
                    + "; correct one of them, or remove " + H2_CAPACITY.name() + " to let the free space decide");
        }
    }

    /** The value of a key. */
    public <T> T get(Key<T> key) {
        return key.read(text(key));
    }

    /** The value of a key as a user would write it. */
    public String text(Key<?> key) {
        return given.getOrDefault(key.name(), key.fallback());
    }

    /** Whether the user gave the key a value. */
    public boolean isGiven(Key<?> key) {
        return given.containsKey(key.name());
    }

    /** All keys. */
    public static List<Key<?>> keys() {
        return List.copyOf(KEYS);
    }

    /** The table of {@code docs/spark.md}. */
    static String table() {
        StringBuilder table = new StringBuilder("| Key | Default | Values | Meaning |\n|---|---|---|---|\n");
        for (Key<?> key : KEYS) {
            String fallback = key.fallback().isEmpty() ? "not set" : "`" + key.fallback() + "`";
            table.append("| `")
                    .append(key.name())
                    .append("` | ")
                    .append(fallback)
                    .append(" | ");
            table.append(key.values()).append(" | ").append(key.meaning()).append(" |\n");
        }
        return table.toString();
    }

    private static <T> Key<T> key(String name, String fallback, String values, String meaning, ValueForm form) {
        Key<T> key = new Key<>(PREFIX + name, fallback, values, meaning, form);
        KEYS.add(key);
        return key;
    }
}
