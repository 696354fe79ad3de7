package org.heapspan.benchmarks.secondheap;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.heapspan.benchmarks.secondheap.RowStore.Block;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapOptions;

/** Takes the figures of {@link SecondHeapReport}, one after the other. */
final class SecondHeapMeasurement {
    /** More than caches hold; more need not fit off the Java heap. */
    private static final int MOST_COPIED_BLOCKS = 32;

    /** Of the stores whose blocks are on the Java heap, and of those that are appended in a round. */
    private static final int FEW_BLOCKS = 8;

    private static final long WARM_UP_NANOS = 3_000_000_000L;

    private final SecondHeapFigures figures;
    private final Path directory;
    private final long goalBytes;
    private final int rounds;
    private final int keyBits;
    private final Row[] rows = Row.block(0);

    SecondHeapMeasurement(SecondHeapFigures figures, Path directory, long goalBytes, int rounds, int keyBits) {
        this.figures = figures;
        this.directory = directory;
        this.goalBytes = goalBytes;
        this.rounds = rounds;
        this.keyBits = keyBits;
    }

    void run() throws IOException, InterruptedException {
        figures.add("collections, ms", "nothing", 1, collectorMillis());
        try (SecondHeap heap = open()) {
            // Codecs and buffers are made, and compiled.
            fill(heap).forEach(Block::close);
            long before = usedBytes();
            List<Block> blocks = fill(heap);
            long imageBytes = blocks.stream().mapToLong(Block::sizeBytes).sum();
            figures.add("rows, millions", RowStore.SECOND_HEAP.title(), 1, blocks.size() * (Row.BLOCK / 1e6));
            figures.add("images, MB", RowStore.SECOND_HEAP.title(), 1, imageBytes / 1e6);
            figures.add("Java heap retained, KB", RowStore.SECOND_HEAP.title(), 1, (usedBytes() - before) / 1e3);
            scans(RowStore.SECOND_HEAP, blocks);
            figures.add("collections, ms", RowStore.SECOND_HEAP.title(), 1, collectorMillis());
            blocks.forEach(Block::close);
            for (RowStore store : RowStore.values()) {
                if (store != RowStore.JAVA_HEAP) {
                    appends(store, heap);
                }
                if (store != RowStore.SECOND_HEAP) {
                    // Copies of as many bytes as the second heap has, so that neither fits better into caches of the
                    // processor.
                    int copies = Math.min(blocks.size(), MOST_COPIED_BLOCKS);
                    scans(store, store(store, heap, store.isCopy() ? copies : FEW_BLOCKS));
                }
            }
            if (goalBytes < Runtime.getRuntime().maxMemory() / 2) {
                int count = (int) (goalBytes / RowStore.IMAGE_BYTES_OF_ROW / Row.BLOCK);
                List<Block> onJavaHeap = store(RowStore.JAVA_HEAP, heap, count);
                figures.add("collections, ms", RowStore.JAVA_HEAP.title(), 1, collectorMillis());
                consume(onJavaHeap.size());
            }
        }
        fromDevice();
    }

    private SecondHeap open() {
        // Twice, since appended rows make room only after a new sequence is complete.
        SecondHeapOptions options = SecondHeapOptions.capacity(2 * goalBytes + (1L << 30));
        return SecondHeap.open(directory, keyBits == 0 ? options : options.withEncryption(keyBits));
    }

    private List<Block> fill(SecondHeap heap) {
        List<Block> blocks = new ArrayList<>();
        long bytes = 0;
        while (bytes < goalBytes) {
            Block block = RowStore.SECOND_HEAP.store(heap, rows);
            blocks.add(block);
            bytes += block.sizeBytes();
        }
        return blocks;
    }

    private List<Block> store(RowStore store, SecondHeap heap, int count) {
        return IntStream.range(0, count).mapToObj(i -> store.store(heap, rows)).toList();
    }

    // ---------------------------------------------------------------- speed

    /** Something that a thread does, of which there are so many. */
    private interface Share {
        long run(int thread, int threads);
    }

    /** Rows a second by the number of threads, each of which takes every so manieth block. */
    private void scans(RowStore store, List<Block> blocks) throws InterruptedException {
        Share scan = (thread, threads) -> {
            long sum = 0;
            for (int i = thread; i < blocks.size(); i += threads) {
                sum += blocks.get(i).scan();
            }
            return sum;
        };
        warmUp(scan);
        for (int threads : SecondHeapFigures.THREADS) {
            double[] rowsASecond = new double[rounds];
            double[] bytesASecond = new double[rounds];
            double bytesOfRow = blocks.get(0).sizeBytes() / (double) Row.BLOCK;
            for (int round = 0; round < rounds; round++) {
                rowsASecond[round] = blocks.size() * (Row.BLOCK * 1e3) / nanos(threads, scan);
                bytesASecond[round] = rowsASecond[round] * bytesOfRow / 1e3;
            }
            figures.add("scan, million rows/s", store.title(), threads, rowsASecond);
            if (store == RowStore.SECOND_HEAP || store.isCopy()) {
                figures.add("scan, GB/s", store.title(), threads, bytesASecond);
            }
        }
    }

    private void appends(RowStore store, SecondHeap heap) throws InterruptedException {
        Block[] made = new Block[FEW_BLOCKS];
        Share append = (thread, threads) -> {
            for (int i = thread; i < made.length; i += threads) {
                made[i] = store.store(heap, rows);
            }
            return 0;
        };
        Share closing = (thread, threads) -> {
            List.of(made).forEach(Block::close);
            return 0;
        };
        warmUp((thread, threads) -> append.run(thread, threads) + closing.run(thread, threads));
        for (int threads : SecondHeapFigures.THREADS) {
            double[] rowsASecond = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                rowsASecond[round] = made.length * (Row.BLOCK * 1e3) / nanos(threads, append);
                closing.run(0, 1);
            }
            figures.add("append, million rows/s", store.title(), threads, rowsASecond);
        }
    }

    /** Until it has been compiled. */
    private static void warmUp(Share work) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < WARM_UP_NANOS) {
            consume(work.run(0, 1));
        }
    }

    /** How long it takes until all threads are done. */
    private static long nanos(int threads, Share work) throws InterruptedException {
        List<Thread> all = IntStream.range(0, threads)
                .mapToObj(thread -> new Thread(() -> consume(work.run(thread, threads))))
                .toList();
        long start = System.nanoTime();
        all.forEach(Thread::start);
        for (Thread each : all) {
            each.join();
        }
        return System.nanoTime() - start;
    }

    @SuppressWarnings("unused") // That nobody reads it is not known to the compiler.
    private static volatile long consumed;

    private static void consume(long value) {
        consumed = value;
    }

    // ---------------------------------------------------------------- device

    /** A heap of its own for each round: what has been read through a mapping stays in the page cache as long as that lives. */
    private void fromDevice() throws IOException, InterruptedException {
        double[] sequential = new double[rounds];
        double[] scan = new double[rounds];
        double[] scanOfFour = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            for (int threads : new int[] {1, 4}) {
                try (SecondHeap heap = open()) {
                    List<Block> blocks = fill(heap);
                    long imageBytes =
                            blocks.stream().mapToLong(Block::sizeBytes).sum();
                    OpenFiles files = OpenFiles.named("heapspan-h2-");
                    if (files.isEmpty()) {
                        return;
                    }
                    if (threads == 1) {
                        files.forget();
                        sequential[round] = imageBytes / (double) files.read(imageBytes);
                    }
                    files.forget();
                    long nanos = nanos(threads, (thread, all) -> {
                        long sum = 0;
                        for (int i = thread; i < blocks.size(); i += all) {
                            sum += blocks.get(i).scan();
                        }
                        return sum;
                    });
                    (threads == 1 ? scan : scanOfFour)[round] = imageBytes / (double) nanos;
                }
            }
        }
        figures.add("first read from the device, GB/s", "dd", 1, sequential);
        figures.add("first read from the device, GB/s", RowStore.SECOND_HEAP.title(), 1, scan);
        figures.add("first read from the device, GB/s", RowStore.SECOND_HEAP.title(), 4, scanOfFour);
    }

    // ---------------------------------------------------------------- collector

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static long collectorTime() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Collections while a program makes objects, keeps some for a while, and collects all once: the same work each time. */
    private double[] collectorMillis() {
        return IntStream.range(0, rounds)
                .mapToDouble(round -> {
                    long before = collectorTime();
                    Row[] kept = new Row[Row.BLOCK];
                    for (int i = 0; i < 50 * kept.length; i++) {
                        kept[i % kept.length] = new Row(i);
                    }
                    System.gc();
                    consume(kept[1].id);
                    return collectorTime() - before;
                })
                .toArray();
    }
}
