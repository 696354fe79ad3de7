package org.heapspan.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A task with one input, for stages of the program in plain C. */
class TestTask implements TaskHost {
    final Map<Long, NativeBatch> lent = new HashMap<>();
    final Map<Long, Long> accumulated = new HashMap<>();
    final Map<Integer, String> outputs = new TreeMap<>();
    final Map<Long, ByteArrayOutputStream> spills = new HashMap<>();
    long reservedBytes;
    private final List<String> input;
    private final List<String> emitted = new ArrayList<>();
    private Deque<String> unread;
    private static final long FREE_STORAGE_BYTES = 123_456_789_012L;

    private long last;
    private final NativeBatch broadcast = NativeBatch.copyOf("value of 7".getBytes(StandardCharsets.UTF_8));

    /** Makes a stage, in this process or in another. */
    interface Opener {
        RunningStage open(StageTask task, TaskHost host);
    }

    TestTask(String... input) {
        this.input = List.of(input);
        unread = new ArrayDeque<>(this.input);
    }

    List<String> run(Opener opener, long kernel, String captures, int partition) {
        return run(opener, kernel, captures.getBytes(StandardCharsets.UTF_8), partition, 0);
    }

    /** Runs a stage to its end. Returns what it emitted. */
    List<String> run(Opener opener, long kernel, byte[] captures, int partition, int outputPartitions) {
        try (broadcast;
                NativeBatch memory = NativeBatch.copyOf(captures);
                RunningStage stage = opener.open(
                        new StageTask(
                                kernel, "map, filter", partition, 3, 1, outputPartitions, memory, FREE_STORAGE_BYTES),
                        this)) {
            while (stage.advance()) {
                // What it emits is taken down.
            }
        }
        return emitted;
    }

    private static String text(long address, long sizeBytes) {
        return new String(NativeBatch.bytesAt(address, sizeBytes), StandardCharsets.UTF_8);
    }

    @Override
    public long nextBatch(int number) {
        assertThat(number).isZero();
        String next = unread.poll();
        if (next == null) {
            return -1;
        }
        lent.put(++last, NativeBatch.copyOf(next.getBytes(StandardCharsets.UTF_8)));
        return last;
    }

    @Override
    public long batchAddress(long batch) {
        return lent.get(batch).address();
    }

    @Override
    public long batchSizeBytes(long batch) {
        return lent.get(batch).sizeBytes();
    }

    @Override
    public void releaseBatch(long batch) {
        lent.remove(batch).close();
    }

    @Override
    public void rewindInput(int number) {
        unread = new ArrayDeque<>(input);
    }

    @Override
    public void emitBatch(long address, long sizeBytes) {
        try (NativeBatch batch = NativeBatch.adopt(address, sizeBytes)) {
            emitted.add(text(batch.address(), sizeBytes));
        }
    }

    @Override
    public void writeMapOutput(int partition, long address, long sizeBytes) {
        outputs.merge(partition, text(address, sizeBytes), String::concat);
    }

    @Override
    public boolean reserveMemory(long sizeBytes) {
        boolean granted = sizeBytes < 1 << 30;
        reservedBytes += granted ? sizeBytes : 0;
        return granted;
    }

    @Override
    public void releaseMemory(long sizeBytes) {
        reservedBytes -= sizeBytes;
    }

    @Override
    public long createSpill() {
        spills.put(++last, new ByteArrayOutputStream());
        return last;
    }

    @Override
    public void writeSpill(long spill, long address, long sizeBytes) {
        spills.get(spill).writeBytes(NativeBatch.bytesAt(address, sizeBytes));
    }

    /** The program reads a spill at once. */
    @Override
    public void readSpill(long spill, long address, long sizeBytes) {
        byte[] bytes = spills.get(spill).toByteArray();
        assertThat(sizeBytes).isEqualTo(bytes.length);
        try (NativeBatch copy = NativeBatch.copyOf(bytes)) {
            BoundaryLibrary.buffer(address, bytes.length).put(copy.buffer(0, bytes.length));
        }
    }

    @Override
    public void deleteSpill(long spill) {
        spills.remove(spill);
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public long broadcastAddress(long number) {
        assertThat(number).isEqualTo(7);
        return broadcast.address();
    }

    @Override
    public long broadcastSizeBytes(long number) {
        return broadcast.sizeBytes();
    }

    @Override
    public void accumulate(long accumulator, long bits) {
        accumulated.put(accumulator, bits);
    }
}
