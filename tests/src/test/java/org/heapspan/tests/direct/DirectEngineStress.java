package org.heapspan.tests.direct;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.vm.Carver;
import org.heapspan.vm.Decline;
import org.heapspan.vm.VirtualMachine;
import org.heapspan.vm.WindowStatistics;

/**
 * Reads raw images while many threads change, lock, hash, keep and drop what they read, and everything else goes on that a JVM does
 * with its heap. Each graph is compared with what was encoded, at once and again when it is let go.
 *
 * <p>Arguments, all optional: {@code seconds=}, {@code threads=}, {@code seed=}, {@code nodes=} of the largest graph, {@code keep=}
 * graphs for each thread, {@code write=} and {@code read=} a folder for images that another JVM makes, and the words {@code virtual}
 * (half of the threads are virtual), {@code gc} (System.gc() all the time), {@code churn} (classes come and go) and {@code inspect}
 * (histograms and heap dumps). Prints {@code key=value} lines; exit code 0 if every graph was right.
 */
public final class DirectEngineStress {
    private static final int MIN_IMAGES = 12;
    private static final int SHARED = 8;
    private static final int MAX_RETIRED = 20;
    private static final int RECORDS_IN_GROUP = 20;
    private static final long REPORT_SECONDS = 10;

    /** What no image that this program makes may be declined for. */
    private static final List<Decline> DEFECTS =
            List.of(Decline.MALFORMED, Decline.UNKNOWN_CLASS, Decline.WRONG_TARGET);

    private final long seed;
    private final int threadCount;
    private final int maxNodes;
    private final int kept;
    private final List<Image> images = new ArrayList<>();
    private final AtomicReferenceArray<Shared> shared = new AtomicReferenceArray<>(SHARED);
    private final ConcurrentLinkedQueue<Shared> retired = new ConcurrentLinkedQueue<>();
    private final AtomicInteger retiredCount = new AtomicInteger();
    private final AtomicLong decoded = new AtomicLong();
    private final AtomicLong compared = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean finished;
    /** Lets objects escape. */
    volatile Object garbage;

    private DirectEngineStress(long seed, int threadCount, int maxNodes, int kept) {
        this.seed = seed;
        this.threadCount = threadCount;
        this.maxNodes = maxNodes;
        this.kept = kept;
    }

    /** An image, and what comes out of it. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Image(byte[] bytes, boolean group, long[] digests) {}

    /** A graph that several threads lock and count in. */
    private static final class Shared {
        final StressGraph graph;
        final AtomicLong touches = new AtomicLong();

        Shared(StressGraph graph) {
            this.graph = graph;
        }

        /** Whether each touch under a lock has left its trace. */
        void check() {
            long found = 0;
            for (StressGraph.Node each : graph.nodes) {
                synchronized (each) {
                    found += each.touched;
                }
            }
            if (found != touches.get()) {
                throw new AssertionError("objects were touched " + touches + " times under their locks, " + found
                        + " times are left of it");
            }
        }
    }

    /** A graph that one thread holds for a while. */
    private static final class Kept {
        final StressGraph graph;
        final long digest;
        final int[] hashes;

        Kept(StressGraph graph, long digest) {
            this.graph = graph;
            this.digest = digest;
            hashes = new int[Math.min(8, graph.count) + 2];
            for (int i = 0; i < hashes.length; i++) {
                hashes[i] = System.identityHashCode(hashed(i));
            }
        }

        private Object hashed(int index) {
            return switch (index) {
                case 0 -> graph;
                case 1 -> graph.nodes;
                default -> graph.nodes[index - 2];
            };
        }

        void check() {
            for (int i = 0; i < hashes.length; i++) {
                if (System.identityHashCode(hashed(i)) != hashes[i]) {
                    throw new AssertionError("an identity hash has changed");
                }
            }
            compare(graph, digest);
        }
    }

    /**
     * Runs.
     *
     * @param arguments see the class
     * @throws Exception when the program cannot be run at all
     */
    public static void main(String[] arguments) throws Exception {
        Arguments options = new Arguments(arguments);
        long seed = options.number("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        Carver carver = VirtualMachine.current().carver();
        System.out.println("carver=" + (carver != null));
        VirtualMachine.current().findings().stream()
                .filter(each -> each.subject().equals("direct engine"))
                .forEach(each -> System.out.println("engine=" + each.why()));
        DirectEngineStress stress = new DirectEngineStress(
                seed, (int) options.number("threads", 64), (int) options.number("nodes", 900), (int)
                        options.number("keep", 3));
        String target = options.text("write");
        if (!target.isEmpty()) {
            stress.writeImages(Path.of(target));
            return;
        }
        stress.makeImages(options.text("read"));
        System.out.println("images=" + stress.images.size());
        stress.run(options, carver);
        stress.report(carver);
        System.exit(stress.failure.get() == null ? 0 : 1);
    }

    private int sizeOf(int index) {
        // Small ones, some that fill a chunk, and one that has several.
        return index % 6 == 5 ? maxNodes : 1 + index * maxNodes / 40;
    }

    private static byte[] image(long seed, int count) {
        return Heapspan.create().encode(StressGraph.make(seed, count, seed % 3 == 0), Encoding.RAW);
    }

    /** For JVMs that have other class words. */
    private void writeImages(Path directory) throws IOException {
        for (int i = 0; i < MIN_IMAGES; i++) {
            Files.write(directory.resolve((seed + i) + "-" + sizeOf(i) + ".hspi"), image(seed + i, sizeOf(i)));
        }
    }

    private void makeImages(String otherImages) throws IOException {
        Heapspan unchecked = Heapspan.builder().checksum(false).build();
        for (int i = 0; i < MIN_IMAGES; i++) {
            long graphSeed = seed + 1000 + i;
            StressGraph graph = StressGraph.make(graphSeed, sizeOf(i), i % 3 == 0);
            Heapspan heapspan = i % 2 == 0 ? Heapspan.create() : unchecked;
            images.add(new Image(heapspan.encode(graph, Encoding.RAW), false, new long[] {graph.digest()}));
        }
        for (boolean sides : new boolean[] {false, true}) {
            GroupWriter writer = unchecked.groupWriter(Encoding.RAW);
            long[] digests = new long[RECORDS_IN_GROUP];
            for (int i = 0; i < RECORDS_IN_GROUP; i++) {
                StressGraph graph = StressGraph.make(seed + 2000 + i, 1 + i * maxNodes / 400, sides);
                digests[i] = graph.digest();
                writer.write(graph);
            }
            images.add(new Image(writer.finish(), true, digests));
        }
        if (!otherImages.isEmpty()) {
            try (var files = Files.list(Path.of(otherImages))) {
                for (Path each : files.sorted().toList()) {
                    String[] parts = String.valueOf(each.getFileName()).split("[-.]", -1);
                    long graphSeed = Long.parseLong(parts[0]);
                    StressGraph graph = StressGraph.make(graphSeed, Integer.parseInt(parts[1]), graphSeed % 3 == 0);
                    images.add(new Image(Files.readAllBytes(each), false, new long[] {graph.digest()}));
                }
            }
        }
    }

    private void run(Arguments options, Carver carver) throws ReflectiveOperationException, InterruptedException {
        long seconds = options.number("seconds", 60);
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threadCount; i++) {
            SplittableRandom random = new SplittableRandom(seed + i);
            boolean virtual = options.has("virtual") && i % 2 == 0;
            workers.add(thread(virtual, () -> work(random, virtual)));
        }
        workers.add(thread(false, () -> litter(options.number("litter", 1) != 0)));
        workers.add(thread(false, this::deflate));
        if (options.has("gc")) {
            workers.add(thread(false, this::collect));
        }
        if (options.has("churn")) {
            LoaderChurn churn = new LoaderChurn(seed, carver);
            workers.add(thread(false, () -> churn.run(() -> finished)));
        }
        if (options.has("inspect")) {
            HeapInspection inspection =
                    new HeapInspection(Heapspan.create().decodeTrusted(image(seed, sizeOf(1)), StressGraph.class));
            workers.add(thread(false, () -> inspection.run(() -> finished)));
        }
        workers.forEach(Thread::start);
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(seconds);
        long nextReport = begin + TimeUnit.SECONDS.toNanos(REPORT_SECONDS);
        while (System.nanoTime() < end && failure.get() == null) {
            TimeUnit.MILLISECONDS.sleep(50);
            if (System.nanoTime() > nextReport) {
                nextReport += TimeUnit.SECONDS.toNanos(REPORT_SECONDS);
                System.out.println("  " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + " s: " + decoded
                        + " graphs, " + collections() + " collections");
            }
        }
        finished = true;
        for (Thread each : workers) {
            each.join();
        }
        retired.forEach(Shared::check);
    }

    /** Threads that are not virtual are daemons, so that a failure ends the program. */
    private Thread thread(boolean virtual, Runnable body) throws ReflectiveOperationException {
        Runnable guarded = () -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        };
        if (virtual) {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod("unstarted", Runnable.class)
                    .invoke(builder, guarded);
        }
        Thread thread = new Thread(guarded);
        thread.setDaemon(true);
        return thread;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Virtual threads are not preempted.
    private void work(SplittableRandom random, boolean virtual) {
        Heapspan heapspan = Heapspan.create();
        Kept[] ring = new Kept[kept];
        while (!finished && failure.get() == null) {
            Image image = images.get(random.nextInt(images.size()));
            if (image.group) {
                readGroup(heapspan, image, random, ring);
            } else {
                use(
                        Objects.requireNonNull(heapspan.decodeTrusted(image.bytes, StressGraph.class)),
                        image.digests[0],
                        random,
                        ring);
            }
            if (random.nextInt(16) == 0) {
                encodeAndDecode(heapspan, random);
            }
            if (virtual) {
                Thread.yield();
            }
        }
        for (Kept each : ring) {
            if (each != null) {
                each.check();
            }
        }
    }

    private void readGroup(Heapspan heapspan, Image image, SplittableRandom random, Kept[] ring) {
        GroupReader reader = heapspan.trustedGroupReader(image.bytes);
        for (long digest : image.digests) {
            use((StressGraph) Objects.requireNonNull(reader.next()), digest, random, ring);
            if (random.nextInt(RECORDS_IN_GROUP) == 0) {
                return; // The rest is dropped unread.
            }
        }
        if (reader.hasNext()) {
            throw new AssertionError("a group has more records than were written");
        }
    }

    private void encodeAndDecode(Heapspan heapspan, SplittableRandom random) {
        StressGraph graph = StressGraph.make(random.nextLong(), 1 + random.nextInt(50), random.nextBoolean());
        byte[] bytes = heapspan.encode(graph, Encoding.RAW);
        compare(Objects.requireNonNull(heapspan.decodeTrusted(bytes, StressGraph.class)), graph.digest());
        decoded.incrementAndGet();
    }

    private static void compare(StressGraph graph, long digest) {
        long actual = graph.digest();
        if (actual != digest) {
            throw new AssertionError("a copy of " + graph.count + " nodes of seed " + graph.seed + " differs: " + actual
                    + ", expected " + digest);
        }
    }

    private void use(StressGraph graph, long digest, SplittableRandom random, Kept[] ring) {
        decoded.incrementAndGet();
        compare(graph, digest);
        compared.incrementAndGet();
        int place = random.nextInt(ring.length);
        switch (random.nextInt(6)) {
            case 0 -> {
                Kept before = ring[place];
                if (before != null) {
                    before.check();
                    compared.incrementAndGet();
                }
                ring[place] = new Kept(graph, digest);
            }
            case 1 -> change(graph, ring[place], random);
            case 2 -> share(graph, random);
            case 3 -> lock(graph, random);
            default -> touchShared(random);
        }
        if (random.nextInt(8) == 0) {
            compare(graph, digest);
        }
    }

    /** New objects into the copy and into an older one, both ways; containers grow. */
    private static void change(StressGraph graph, Kept older, SplittableRandom random) {
        for (int i = 0; i < 8; i++) {
            StressGraph.Node node = graph.nodes[random.nextInt(graph.count)];
            node.scratch = new Object[] {node, new byte[random.nextInt(100)], graph};
            if (older != null) {
                node.scratch = older.graph;
                StressGraph.Node target = older.graph.nodes[random.nextInt(older.graph.count)];
                // Not the whole copy, or each would hold all before it.
                target.scratch = new Object[] {node.text, node.bytes};
                node.scratch = null;
            }
            if (node.list != null) {
                node.list.add(graph);
                node.list.remove(node.list.size() - 1);
            }
            if (node.map != null) {
                StressGraph.Node absent = new StressGraph.Node();
                for (int key = -1; key >= -20; key--) {
                    node.map.put(key, absent);
                }
                for (int key = -1; key >= -20; key--) {
                    if (node.map.remove(key) != absent) {
                        throw new AssertionError("a copied map lost what was put into it");
                    }
                }
            }
        }
    }

    private void share(StressGraph graph, SplittableRandom random) {
        Shared before = shared.getAndSet(random.nextInt(SHARED), new Shared(graph));
        if (before != null && random.nextInt(10) == 0 && retiredCount.incrementAndGet() <= MAX_RETIRED) {
            // Others may still count in it; looked at when all have ended.
            retired.add(before);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Lets others run into the lock.
    private void touchShared(SplittableRandom random) {
        Shared here = shared.get(random.nextInt(SHARED));
        if (here == null) {
            return;
        }
        for (int i = 0; i < 10; i++) {
            // Few objects, so that their locks are fought for.
            StressGraph.Node node = here.graph.nodes[random.nextInt(Math.min(3, here.graph.count))];
            synchronized (node) {
                int before = node.touched;
                if (random.nextInt(50) == 0) {
                    Thread.yield();
                }
                node.touched = before + 1;
                here.touches.incrementAndGet();
                if (random.nextInt(100) == 0) {
                    waitFor(node);
                } else if (random.nextInt(20) == 0) {
                    node.notifyAll();
                }
            }
        }
    }

    @SuppressWarnings("WaitNotInLoop") // For nothing but the wait itself.
    private static void waitFor(Object lock) {
        try {
            lock.wait(1);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts", e);
        }
    }

    /** Locks of an own copy, one within the other, before and after its hash. */
    private static void lock(StressGraph graph, SplittableRandom random) {
        StressGraph.Node node = graph.nodes[random.nextInt(graph.count)];
        synchronized (graph) {
            synchronized (node) {
                Object text = node.text;
                synchronized (text) {
                    int hash = System.identityHashCode(node);
                    synchronized (graph.nodes) {
                        waitFor(graph.nodes);
                    }
                    if (!Thread.holdsLock(node) || hash != System.identityHashCode(node)) {
                        throw new AssertionError("a lock was lost");
                    }
                }
            }
        }
    }

    private void litter(boolean much) {
        Object[] held = new Object[64];
        for (int i = 0; !finished; i++) {
            // Now and then an array that is humongous on G1.
            held[i & 63] = new byte[i % 512 == 0 ? 1 << 20 : 8 << 10];
            garbage = held;
            if (i % (much ? 64 : 4) == 0) {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /** Holds arrays by JNI critical sections: locks the collector on JDK 17 and 21, pins regions of G1 on 22 and later. */
    private void deflate() {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
        byte[] target = new byte[32 << 10];
        while (!finished) {
            byte[] source = new byte[24 << 10];
            Arrays.fill(source, 0, 4000, (byte) System.nanoTime());
            deflater.reset();
            deflater.setInput(source);
            deflater.finish();
            garbage = deflater.deflate(target);
            LockSupport.parkNanos(500_000);
        }
        deflater.end();
    }

    private void collect() {
        while (!finished) {
            System.gc();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private void report(Carver carver) {
        System.out.println("graphs=" + decoded);
        System.out.println("compared=" + compared);
        System.out.println("collections=" + collections());
        if (carver != null) {
            WindowStatistics statistics = carver.statistics();
            Map<Decline, Long> declines = statistics.declines();
            System.out.println("carved=" + carved(statistics));
            System.out.println("declines=" + declines);
            System.out.println("longestMicros=" + statistics.longestNanos() / 1000);
            System.out.println("overMillisecond=" + overMillisecond(statistics));
            for (Decline each : DEFECTS) {
                if (declines.containsKey(each)) {
                    failure.compareAndSet(null, new AssertionError("declined as " + each));
                }
            }
        }
        Throwable e = failure.get();
        if (e != null) {
            e.printStackTrace(System.out);
        }
        System.out.println("ok=" + (e == null));
    }

    /** Windows of 2^20 ns or more. The system suspends threads in windows, too, the more often the more of them there are. */
    private static long overMillisecond(WindowStatistics statistics) {
        List<Long> byLength = statistics.windowsByLength();
        long count = 0;
        for (int i = 20; i < byLength.size(); i++) {
            count += byLength.get(i);
        }
        return count;
    }

    /** Windows out of which objects came. */
    static long carved(WindowStatistics statistics) {
        long declinedInWindows = 0;
        for (Map.Entry<Decline, Long> each : statistics.declines().entrySet()) {
            if (each.getKey() != Decline.TOO_LARGE) {
                declinedInWindows += each.getValue();
            }
        }
        return statistics.windows() - declinedInWindows;
    }
}
