package org.heapspan.benchmarks.flink;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.heapspan.flink.HeapspanKryoSerializer;
import org.heapspan.flink.HeapspanTypeInformation;

/**
 * Compares Heapspan's serializer with those of Flink: bytes of a record, and nanoseconds to write, to read and to copy it. Records are
 * written one by one into one buffer. Prints a table in Markdown. {@code ./dev bench flink} runs it.
 */
public final class SerializerReport {
    private static final int WARM_UP_ROUNDS = 3000;
    private static final int ROUNDS = 2000;

    private SerializerReport() {}

    /**
     * Measures.
     *
     * @param arguments none
     * @throws IOException if a serializer fails
     */
    public static void main(String[] arguments) throws IOException {
        System.out.println("| record | serializer | bytes | write, ns | read, ns | copy, ns |");
        System.out.println("|---|---|--:|--:|--:|--:|");
        measure("numbers", Records.readings(), Records.Reading.class);
        measure("line item", Records.lineItems(), Records.LineItem.class);
        measure("order with items", Records.orders(), Records.Order.class);
    }

    private static <T> void measure(String name, List<T> records, Class<T> type) throws IOException {
        for (Map.Entry<String, TypeSerializer<T>> peer : peers(type).entrySet()) {
            System.out.println(new Run<>(records, peer.getValue()).row(name, peer.getKey()));
        }
    }

    private static <T> Map<String, TypeSerializer<T>> peers(Class<T> type) {
        SerializerConfig plain = new SerializerConfigImpl();
        SerializerConfigImpl replaced = new SerializerConfigImpl();
        replaced.addDefaultKryoSerializer(Object.class, HeapspanKryoSerializer.class);
        Map<String, TypeSerializer<T>> peers = new LinkedHashMap<>();
        TypeInformation<T> own = TypeInformation.of(type);
        if (!(own instanceof GenericTypeInfo)) {
            peers.put("Flink's POJO", own.createSerializer(plain));
        }
        peers.put("Flink's Kryo", new GenericTypeInfo<>(type).createSerializer(plain));
        peers.put("Heapspan by configuration", new GenericTypeInfo<>(type).createSerializer(replaced));
        peers.put("Heapspan", HeapspanTypeInformation.of(type).createSerializer(plain));
        return peers;
    }

    /** Measures a serializer. */
    private static final class Run<T> {
        private final List<T> records;
        private final TypeSerializer<T> serializer;
        private final DataOutputSerializer target = new DataOutputSerializer(1 << 16);
        private final DataInputDeserializer source = new DataInputDeserializer();

        // A result that nobody looks at need not be computed.
        private int seen;

        Run(List<T> records, TypeSerializer<T> serializer) {
            this.records = records;
            this.serializer = serializer;
        }

        String row(String record, String peer) throws IOException {
            double write = median(this::write);
            int sizeBytes = target.length();
            double read = median(this::read);
            double copy = median(this::copy);
            return String.format(
                    Locale.ROOT,
                    "| %s | %s | %.1f | %.0f | %.0f | %.0f |",
                    record,
                    peer,
                    (double) sizeBytes / records.size(),
                    write,
                    read,
                    copy);
        }

        private interface Pass {
            void run() throws IOException;
        }

        /** The median time for a record, in nanoseconds. */
        private double median(Pass pass) throws IOException {
            long[] times = new long[ROUNDS];
            for (int round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
                long start = System.nanoTime();
                pass.run();
                if (round >= 0) {
                    times[round] = System.nanoTime() - start;
                }
            }
            Arrays.sort(times);
            return (double) times[ROUNDS / 2] / records.size();
        }

        private void write() throws IOException {
            target.clear();
            for (T record : records) {
                serializer.serialize(record, target);
            }
        }

        private void read() throws IOException {
            source.setBuffer(target.getSharedBuffer(), 0, target.length());
            for (int i = 0; i < records.size(); i++) {
                T record = serializer.deserialize(source);
                seen += record == null ? 1 : 0;
            }
            if (seen != 0 || source.available() != 0) {
                throw new IllegalStateException(seen + " records are missing");
            }
        }

        private void copy() {
            for (T record : records) {
                seen += serializer.copy(record) == null ? 1 : 0;
            }
        }
    }
}
