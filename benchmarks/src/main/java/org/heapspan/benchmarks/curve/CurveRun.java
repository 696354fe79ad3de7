package org.heapspan.benchmarks.curve;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.data.SizedSet;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;

/** Main class of the JVMs that {@link CurveReport} starts: one peer on one shape of data, over numbers of elements and of threads. */
public final class CurveRun {
    private static final int WARM_UP_WINDOWS = 6;

    /**
     * So long are encode and decode each called before the first size, with an object of so many elements. Else the smallest objects, which
     * come first, would be measured while their code is being compiled.
     */
    private static final long FIRST_WARM_UP_NANOS = 1_000_000_000;

    private static final int FIRST_WARM_UP_ELEMENTS = 100;

    /** So many figures of each number of elements a JVM prints. */
    static final int WINDOWS = 7;

    @SuppressWarnings("UnusedVariable") // Where results go, so that the compiler cannot drop the work.
    private static volatile Object sink;

    private final String set;
    private final String peer;
    private final long windowNanos;

    private CurveRun(String set, String peer, long windowNanos) {
        this.set = set;
        this.peer = peer;
        this.windowNanos = windowNanos;
    }

    /**
     * Prints a line for each number of elements and of threads: both, then bytes and nanoseconds, or what failed.
     *
     * @param arguments set, peer, milliseconds of a window, numbers of elements, of these the one for threads, numbers of threads
     */
    public static void main(String[] arguments) throws Exception {
        CurveRun run = new CurveRun(arguments[0], arguments[1], Long.parseLong(arguments[2]) * 1_000_000);
        int[] sizes = numbers(arguments[3]);
        run.warmUp(Math.min(FIRST_WARM_UP_ELEMENTS, Arrays.stream(sizes).max().orElse(1)));
        for (int elements : sizes) {
            run.measure(elements, 1);
        }
        for (int threads : numbers(arguments[5])) {
            run.measure(Integer.parseInt(arguments[4]), threads);
        }
    }

    private static int[] numbers(String text) {
        return text.isEmpty()
                ? new int[0]
                : Arrays.stream(text.split(",", -1)).mapToInt(Integer::parseInt).toArray();
    }

    /** What one thread works with: peers are not for several. */
    private final class Worker {
        private final Peer own = Peers.create(peer, new SizedSet(set, 1));
        private final Object root;
        private final byte[] encoded;

        Worker(SizedSet data) {
            root = data.root();
            own.encodeOne(root);
            encoded = own.encoded();
            Object copy = own.decodeOne(encoded);
            if (!data.same(root, copy)) {
                throw new IllegalStateException("the copy is another one");
            }
        }

        void encode() {
            own.encodeOne(root);
            sink = own;
        }

        void decode() {
            sink = own.decodeOne(encoded);
        }
    }

    private void warmUp(int elements) {
        Worker worker;
        try {
            worker = new Worker(new SizedSet(set, elements));
        } catch (RuntimeException | StackOverflowError e) {
            // The peer cannot do this; the figures say so.
            return;
        }
        for (Consumer<Worker> call : List.<Consumer<Worker>>of(Worker::encode, Worker::decode)) {
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < FIRST_WARM_UP_NANOS) {
                call.accept(worker);
            }
        }
    }

    private void measure(int elements, int threads) throws Exception {
        DataSet data = new SizedSet(set, elements);
        List<Worker> workers = new ArrayList<>();
        try {
            for (int i = 0; i < threads; i++) {
                workers.add(new Worker((SizedSet) data));
            }
        } catch (RuntimeException | StackOverflowError e) {
            System.out.println(elements + "\t" + threads + "\tfails: "
                    + e.getClass().getSimpleName() + ": "
                    + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            return;
        }
        System.gc();
        String encode = windows(workers, Worker::encode);
        String decode = windows(workers, Worker::decode);
        System.out.println(
                elements + "\t" + threads + "\t" + workers.get(0).encoded.length + "\t" + encode + "\t" + decode);
    }

    private String windows(List<Worker> workers, Consumer<Worker> call) throws Exception {
        List<Double> nanos = new ArrayList<>();
        for (int window = 0; window < WARM_UP_WINDOWS + WINDOWS; window++) {
            double each = window(workers, call);
            if (window >= WARM_UP_WINDOWS) {
                nanos.add(each);
            }
        }
        return nanos.stream()
                .map(each -> String.format(Locale.ROOT, "%.1f", each))
                .collect(Collectors.joining(" "));
    }

    /** Has all workers call for the length of a window; returns nanoseconds for each call of any of them. */
    private double window(List<Worker> workers, Consumer<Worker> call) throws Exception {
        if (workers.size() == 1) {
            long[] calls = {0};
            long nanos = calls(workers.get(0), call, calls);
            return (double) nanos / calls[0];
        }
        CyclicBarrier begin = new CyclicBarrier(workers.size());
        AtomicLong callsOfAll = new AtomicLong();
        AtomicLong longestNanos = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (Worker worker : workers) {
            Thread thread = new Thread(() -> {
                try {
                    begin.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                long[] calls = {0};
                long nanos = calls(worker, call, calls);
                callsOfAll.addAndGet(calls[0]);
                longestNanos.accumulateAndGet(nanos, Math::max);
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return longestNanos.doubleValue() / callsOfAll.doubleValue();
    }

    /** Calls until the window is over, in batches so short calls do not wait for the clock; returns how long that took. */
    private long calls(Worker worker, Consumer<Worker> call, long[] calls) {
        long begin = System.nanoTime();
        long batch = 1;
        while (true) {
            for (long i = 0; i < batch; i++) {
                call.accept(worker);
            }
            calls[0] += batch;
            long nanos = System.nanoTime() - begin;
            if (nanos >= windowNanos) {
                return nanos;
            }
            // About a hundredth of the window.
            batch = Math.max(1, calls[0] * windowNanos / nanos / 100);
        }
    }
}
