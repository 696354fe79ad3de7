package org.heapspan.benchmarks;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.heapspan.h2.H2Sequence;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapOptions;

/**
 * The program behind {@code ./dev bench h2}: what a second heap costs the Java heap and its collector, and how fast its elements are read,
 * against a copy of the same bytes, against elements that are cached as Kryo's bytes, and against the device.
 */
public final class SecondHeapReport {
    private static final String HELP = """
            Measures the second heap in one JVM; HEAPSPAN_JAVA_OPTS sets its heap, such as -Xmx2g.

              --megabytes=512       images in the second heap
              --rounds=5            repetitions, of which medians are shown
              --dir=PATH            where the files are (default: the folder for temporary files)
            """;

    private static final Label LABEL = Label.of(1);
    private static final int ROWS_OF_BLOCK = 1000;

    private long megabytes = 512;
    private int rounds = 5;
    private Path directory = Path.of(System.getProperty("java.io.tmpdir"));

    private SecondHeapReport() {}

    /** What is cached: a point with a name, as jobs of machine learning have. */
    static final class Row {
        long id;
        double[] features;
        String name;
        int clicks;

        Row() {}

        Row(long id) {
            this.id = id;
            features = new double[10];
            Arrays.setAll(features, i -> id + i / 10.0);
            name = "row " + id;
            clicks = (int) (id % 97);
        }
    }

    /** Measures and prints; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        SecondHeapReport report = new SecondHeapReport();
        for (String argument : arguments) {
            if (argument.startsWith("--megabytes=")) {
                report.megabytes = Long.parseLong(argument.substring(12));
            } else if (argument.startsWith("--rounds=")) {
                report.rounds = Integer.parseInt(argument.substring(9));
            } else if (argument.startsWith("--dir=")) {
                report.directory = Path.of(argument.substring(6));
            } else {
                System.out.print(HELP);
                System.exit(argument.equals("--help") ? 0 : 2);
            }
        }
        MachineNote.describe(List.of()).forEach(line -> System.out.println("* " + line));
        System.out.printf(
                Locale.ROOT,
                "* Java heap: %d MB, %s%n%n",
                Runtime.getRuntime().maxMemory() >> 20,
                ManagementFactory.getGarbageCollectorMXBeans().get(0).getName());
        System.out.println("| what | figure |");
        System.out.println("|---|--:|");
        report.measure();
    }

    private void measure() throws Exception {
        long goalBytes = megabytes << 20;
        double[] collectorNothing = collectorMillis();
        long heapBefore = usedBytes();
        try (SecondHeap heap = SecondHeap.open(directory, SecondHeapOptions.capacity(2 * goalBytes))) {
            int blocks = 0;
            List<H2Sequence<Row>> sequences = new ArrayList<>();
            long imageBytes = 0;
            long start = System.nanoTime();
            while (imageBytes < goalBytes) {
                int first = blocks;
                sequences.add(heap.append(LABEL, () -> rows(first, 100)));
                imageBytes += sequences.get(sequences.size() - 1).imageBytes();
                blocks += 100;
            }
            print("appended, made included, GB/s", imageBytes / (double) (System.nanoTime() - start));
            print("images, MB", imageBytes / 1e6);
            print("rows, millions", blocks * (double) ROWS_OF_BLOCK / 1e6);
            long retained = usedBytes() - heapBefore;
            print("Java heap retained, KB", retained / 1e3);
            print("of the images, %", 100.0 * retained / imageBytes);
            fromDevice(heap, sequences, imageBytes);
            double scan = throughput(imageBytes, () -> scan(sequences));
            print("scan from the page cache, GB/s", scan);
            double copy = copyThroughput();
            print("copy of as many bytes (128 KB each, out of 256 MB), GB/s", copy);
            print("scan : copy, %", 100 * scan / copy);
            double rowNanos = imageBytes / scan / blocks / ROWS_OF_BLOCK;
            print("scan, ns a row", rowNanos);
            double kryoNanos = kryoNanos();
            print("elements out of Kryo's bytes, ns a row", kryoNanos);
            print("Kryo : second heap", kryoNanos / rowNanos);
            double[] collectorSecond = collectorMillis();
            print("collections with nothing cached, ms", median(collectorNothing));
            print("collections with the data in the second heap, ms", median(collectorSecond));
            if (imageBytes < Runtime.getRuntime().maxMemory() / 2) {
                List<Row> onJavaHeap = new ArrayList<>();
                rows(0, blocks).forEachRemaining(onJavaHeap::add);
                print("collections with the data on the Java heap, ms", median(collectorMillis()));
                print("its rows, millions", onJavaHeap.size() / 1e6);
            }
        }
    }

    private static void print(String what, double figure) {
        System.out.printf(Locale.ROOT, "| %s | %.3g |%n", what, figure);
    }

    private static Iterator<Row> rows(int firstBlock, int blocks) {
        long from = (long) firstBlock * ROWS_OF_BLOCK;
        return Stream.iterate(new Row(from), row -> new Row(row.id + 1))
                .limit((long) blocks * ROWS_OF_BLOCK)
                .iterator();
    }

    private static long scan(List<H2Sequence<Row>> sequences) {
        long sum = 0;
        for (H2Sequence<Row> sequence : sequences) {
            for (Row row : sequence.elements()) {
                sum += row.clicks;
            }
        }
        return sum;
    }

    // ---------------------------------------------------------------- speed

    /** GB/s, the median. */
    private double throughput(long bytes, LongSupplier work) {
        double[] figures = new double[rounds];
        for (int i = 0; i < rounds + 1; i++) {
            long start = System.nanoTime();
            consume(work.getAsLong());
            long nanos = System.nanoTime() - start;
            if (i > 0) {
                figures[i - 1] = bytes / (double) nanos;
            }
        }
        return median(figures);
    }

    private double copyThroughput() {
        ByteBuffer source = ByteBuffer.allocateDirect(256 << 20);
        byte[] target = new byte[128 << 10];
        return throughput(source.capacity(), () -> {
            long sum = 0;
            for (int at = 0; at < source.capacity(); at += target.length) {
                source.get(at, target);
                sum += target[1];
            }
            return sum;
        });
    }

    private double kryoNanos() {
        Kryo kryo = new Kryo();
        kryo.register(Row.class);
        kryo.register(double[].class);
        Output output = new Output(1 << 20, -1);
        int count = 100 * ROWS_OF_BLOCK;
        rows(0, 100).forEachRemaining(row -> kryo.writeClassAndObject(output, row));
        byte[] bytes = output.toBytes();
        return count == 0
                ? 0
                : bytes.length
                        / throughput(bytes.length, () -> {
                            Input input = new Input(bytes);
                            long sum = 0;
                            for (int i = 0; i < count; i++) {
                                sum += ((Row) kryo.readClassAndObject(input)).clicks;
                            }
                            return sum;
                        })
                        / count;
    }

    @SuppressWarnings("unused") // That nobody reads it is not known to the compiler.
    private static volatile long consumed;

    private static void consume(long value) {
        consumed = value;
    }

    private static double median(double[] figures) {
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    // ---------------------------------------------------------------- device

    /** Before anything is read through the mapping, as what is mapped stays in the page cache. */
    private void fromDevice(SecondHeap heap, List<H2Sequence<Row>> sequences, long imageBytes) throws Exception {
        List<Path> files = filesOf();
        if (files.isEmpty() || heap.statistics().regionsInUse() == 0) {
            return;
        }
        forget(files);
        long start = System.nanoTime();
        for (Path file : files) {
            run("dd", "if=" + file, "of=/dev/null", "bs=1M", "count=" + (imageBytes / files.size() >> 20));
        }
        double sequential = imageBytes / (double) (System.nanoTime() - start);
        forget(files);
        start = System.nanoTime();
        consume(scan(sequences));
        double scan = imageBytes / (double) (System.nanoTime() - start);
        print("dd from the device, GB/s", sequential);
        print("first scan from the device, GB/s", scan);
        print("scan : dd, %", 100 * scan / sequential);
    }

    /** The files have no names, but this process has them open. */
    private static List<Path> filesOf() throws IOException {
        Path open = Path.of("/proc/" + ProcessHandle.current().pid() + "/fd");
        if (!Files.isDirectory(open)) {
            return List.of();
        }
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(open)) {
            for (Path file : all.toList()) {
                if (Files.isSymbolicLink(file)
                        && Files.readSymbolicLink(file).toString().contains("heapspan-h2-")) {
                    files.add(file);
                }
            }
        }
        return files;
    }

    private static void forget(List<Path> files) throws Exception {
        run("sync");
        for (Path file : files) {
            run("dd", "if=" + file, "iflag=nocache", "count=0");
        }
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed");
        }
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
                    Row[] kept = new Row[100_000];
                    for (int i = 0; i < 5_000_000; i++) {
                        kept[i % kept.length] = new Row(i);
                    }
                    System.gc();
                    consume(kept[1].id);
                    return collectorTime() - before;
                })
                .toArray();
    }
}
