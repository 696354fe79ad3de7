package org.heapspan.benchmarks.flink;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * Measures one serializer on one kind of record, in a JVM of its own. Records are written one by one into one buffer. Prints bytes of a record, and
 * nanoseconds to write, to read and to copy one, with tabs between them. If records are groups, these are the shares of one element.
 */
final class SerializerRun<T> {
    private static final int WARM_UP_ROUNDS = 3000;
    private static final int ROUNDS = 2000;

    private final List<T> records;
    private final TypeSerializer<T> serializer;
    private final DataOutputSerializer target = new DataOutputSerializer(1 << 16);
    private final DataInputDeserializer source = new DataInputDeserializer();

    // A result that nobody looks at need not be computed.
    private int seen;

    private SerializerRun(List<T> records, TypeSerializer<T> serializer) {
        this.records = records;
        this.serializer = serializer;
    }

    /** Measures; the arguments are the names of a {@link RecordKind} and of a {@link Peer}. */
    public static void main(String[] arguments) throws IOException {
        measure(RecordKind.valueOf(arguments[0]), Peer.valueOf(arguments[1]));
    }

    private static void measure(RecordKind kind, Peer peer) throws IOException {
        measure(kind.records(), peer.serializer(kind.type()));
    }

    @SuppressWarnings("unchecked") // The type is that of the records.
    private static <T> void measure(List<T> records, TypeSerializer<?> serializer) throws IOException {
        SerializerRun<T> run = new SerializerRun<>(records, (TypeSerializer<T>) serializer);
        double write = run.median(run::write);
        double bytesPerRecord = (double) run.target.length() / Records.COUNT;
        double read = run.median(run::read);
        double copy = run.median(run::copy);
        System.out.printf(Locale.ROOT, "%.1f\t%.1f\t%.1f\t%.1f%n", bytesPerRecord, write, read, copy);
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
        return (double) times[ROUNDS / 2] / Records.COUNT;
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
