package org.heapspan.benchmarks.peer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.heapspan.Encoding;
import org.heapspan.Mode;
import org.heapspan.TypeRegistry;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.peer.ForyPeer.Numbers;
import org.heapspan.benchmarks.peer.ForyPeer.References;
import org.heapspan.benchmarks.peer.KryoPeer.Scope;

/**
 * The peers by name. Some serializers are there with several settings, because which one is fastest depends on the data; a
 * family groups the settings that promise the same, and the report compares with the fastest of a family.
 */
public final class Peers {
    /** Name to what there is to know about it, in the order of the report. */
    private static final Map<String, Kind> KINDS = new LinkedHashMap<>();

    static {
        add(
                "heapspan",
                "Heapspan",
                Family.HEAPSPAN,
                (name, set) -> new HeapspanPeer(name, HeapspanPeer.Scope.RECORD, null));
        add(
                "heapspan-unchecked",
                "Heapspan without checksum",
                Family.HEAPSPAN,
                (name, set) -> HeapspanPeer.of(name, Encoding.COMPACT, false));
        add(
                "heapspan-registry",
                "Heapspan, classes registered",
                Family.HEAPSPAN,
                (name, set) -> new HeapspanPeer(
                        name,
                        HeapspanPeer.Scope.RECORD,
                        TypeRegistry.of(Mode.SERIAL, set.classes().toArray(Class<?>[]::new))));
        add(
                "heapspan-array",
                "Heapspan, chunk as one array",
                Family.HEAPSPAN_ARRAY,
                (name, set) -> new HeapspanPeer(name, HeapspanPeer.Scope.CHUNK, null));
        add(
                "heapspan-raw",
                "Heapspan raw, trusted",
                Family.HEAPSPAN_RAW,
                (name, set) -> HeapspanPeer.of(name, Encoding.RAW, false));
        addRawOn("avx2", "AVX2", Family.HEAPSPAN_RAW_AVX2);
        addRawOn("scalar", "scalar", Family.HEAPSPAN_RAW_SCALAR);
        add(
                "heapspan-raw-checksum",
                "Heapspan raw, trusted, CRC32C",
                Family.HEAPSPAN_RAW_CHECKSUM,
                (name, set) -> HeapspanPeer.of(name, Encoding.RAW, true));
        add("raw-copy", "copy of the raw bytes", Family.RAW_COPY, (name, set) -> new CopyPeer(name));
        addFory("fory-refs", "Fory, refs on", Family.FORY_REFS, References.ON);
        add(
                "fory-refs-strings",
                "Fory, refs on, strings too",
                Family.FORY_REFS_STRINGS,
                (name, set) ->
                        new ForyPeer(name, set, References.ON_WITH_STRINGS, Numbers.COMPRESSED, ForyPeer.Scope.CHUNK));
        add(
                "fory-refs-unregistered",
                "Fory, refs on, unregistered",
                Family.FORY_REFS_UNREGISTERED,
                (name, set) -> ForyPeer.unregistered(name));
        addFory("fory", "Fory, refs off", Family.FORY, References.OFF);
        addKryo("kryo-refs", "Kryo, refs on", Family.KRYO_REFS, true);
        addKryo("kryo", "Kryo, refs off", Family.KRYO, false);
        add("jdk", "JDK serialization", Family.JDK, (name, set) -> new JdkPeer(name));
    }

    /** Settings of one serializer that promise the same. */
    public enum Family {
        HEAPSPAN("Heapspan"),
        HEAPSPAN_ARRAY("Heapspan, chunk as one array"),
        HEAPSPAN_RAW("Heapspan raw, trusted"),
        HEAPSPAN_RAW_AVX2("Heapspan raw, trusted, AVX2"),
        HEAPSPAN_RAW_SCALAR("Heapspan raw, trusted, scalar"),
        HEAPSPAN_RAW_CHECKSUM("Heapspan raw, trusted, CRC32C"),
        RAW_COPY("copy of the raw bytes"),
        FORY_REFS("Fory refs on"),
        FORY_REFS_STRINGS("Fory refs on, strings too"),
        FORY_REFS_UNREGISTERED("Fory refs on, unregistered"),
        FORY("Fory refs off"),
        KRYO_REFS("Kryo refs on"),
        KRYO("Kryo refs off"),
        JDK("JDK");

        private final String title;

        Family(String title) {
            this.title = title;
        }

        /** Tells whether it is Heapspan itself, or the limit of what it does, with which nobody else is compared. */
        public boolean isHeapspan() {
            return switch (this) {
                case HEAPSPAN,
                        HEAPSPAN_ARRAY,
                        HEAPSPAN_RAW,
                        HEAPSPAN_RAW_AVX2,
                        HEAPSPAN_RAW_SCALAR,
                        HEAPSPAN_RAW_CHECKSUM,
                        RAW_COPY -> true;
                default -> false;
            };
        }

        /** The family's name for people. */
        public String title() {
            return title;
        }
    }

    private record Kind(
            String title, Family family, List<String> jvmOptions, BiFunction<String, DataSet, Peer> maker) {}

    private Peers() {}

    private static void add(String name, String title, Family family, BiFunction<String, DataSet, Peer> maker) {
        KINDS.put(name, new Kind(title, family, List.of(), maker));
    }

    /** Both ways to write numbers, and the chunk as one array or record by record. */
    private static void addFory(String name, String title, Family family, References references) {
        for (ForyPeer.Scope scope : ForyPeer.Scope.values()) {
            boolean records = scope == ForyPeer.Scope.RECORD;
            for (Numbers numbers : Numbers.values()) {
                boolean fixed = numbers == Numbers.FIXED_WIDTH;
                add(
                        name + (fixed ? "-fixed" : "") + (records ? "-records" : ""),
                        title + (fixed ? ", fixed-width numbers" : "") + (records ? ", record by record" : ""),
                        family,
                        (peer, set) -> new ForyPeer(peer, set, references, numbers, scope));
            }
        }
    }

    private static void addKryo(String name, String title, Family family, boolean references) {
        add(name, title, family, (peer, set) -> new KryoPeer(peer, set, references, Scope.CHUNK));
        add(
                name + "-records",
                title + ", record by record",
                family,
                (peer, set) -> new KryoPeer(peer, set, references, Scope.RECORD));
    }

    /** Raw images where the direct engine may not use all instructions of the processor; the JVM's own code may. */
    private static void addRawOn(String instructions, String title, Family family) {
        KINDS.put(
                "heapspan-raw-" + instructions,
                new Kind(
                        "Heapspan raw, trusted, " + title,
                        family,
                        List.of("-Dheapspan.cpu=" + instructions),
                        (name, set) -> HeapspanPeer.of(name, Encoding.RAW, false)));
    }

    /** The names of all peers in the order of the report. */
    public static List<String> names() {
        return new ArrayList<>(KINDS.keySet());
    }

    /** The peer's name for people. */
    public static String title(String name) {
        return kind(name).title;
    }

    /** The family that the peer belongs to. */
    public static Family family(String name) {
        return kind(name).family;
    }

    /** What a JVM must be started with to run the peer, besides what all peers get; JVMs without do something else in its name. */
    public static List<String> jvmOptions(String name) {
        return kind(name).jvmOptions;
    }

    /**
     * A new peer of this name for the data set.
     *
     * @throws IllegalArgumentException if there is none of this name; the message lists the names
     */
    public static Peer create(String name, DataSet set) {
        return kind(name).maker.apply(name, set);
    }

    private static Kind kind(String name) {
        Kind kind = KINDS.get(name);
        if (kind == null) {
            throw new IllegalArgumentException("no peer '" + name + "'; there are " + names());
        }
        return kind;
    }
}
