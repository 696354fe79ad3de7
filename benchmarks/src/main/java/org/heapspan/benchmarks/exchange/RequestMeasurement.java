package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.heapspan.exchange.GlobalHeap;

/** Measures how many requests a server answers that may use one core only, which the threads of the client can use as well. */
final class RequestMeasurement {
    static final String RATE = "requests, 1,000 per second: ";
    static final String RATE_OF_CORE = "requests, 1,000 per second of processor time: ";
    static final String FIND = "`find`";
    static final String OPEN = "`open` and `release`";
    static final List<String> CALLS = List.of(FIND, OPEN);
    static final String SERVER = "server";

    private static final Path TASKSET = Path.of("/usr/bin/taskset");

    private static final int THREADS = 8;
    private static final int KEYS = 100;
    private static final long ROUND_MILLIS = 1_000;
    private static final int WARM_UP_ROUNDS = 5;

    private final ExchangeFigures figures;
    private final int rounds;

    RequestMeasurement(ExchangeFigures figures, int rounds) {
        this.figures = figures;
        this.rounds = rounds;
    }

    /** What gives a program one core; nothing if the system has no such command. */
    static List<String> oneCore() {
        return Files.isExecutable(TASKSET) ? List.of(TASKSET.toString(), "-c", "0") : List.of();
    }

    private interface Call {
        void make(String key);
    }

    void run(GlobalHeap heap, ProcessHandle server) throws IOException, InterruptedException {
        if (oneCore().isEmpty()) {
            figures.run().software.add("The server was not bound to one core: there is no " + TASKSET);
        }
        for (int i = 0; i < KEYS; i++) {
            heap.put(key(i), "value");
        }
        measure(FIND, server, heap::find);
        measure(OPEN, server, key -> heap.open(key, String.class).release());
    }

    private static String key(int number) {
        return "request/" + number;
    }

    private void measure(String name, ProcessHandle server, Call call) throws IOException, InterruptedException {
        LongAdder made = new LongAdder();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicBoolean ends = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int first = i;
            Thread thread = new Thread(
                    () -> {
                        for (int next = first; !ends.get(); next++) {
                            call.make(key(next % KEYS));
                            made.increment();
                        }
                    },
                    "requests");
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((ended, e) -> failure.set(e));
            thread.start();
            threads.add(thread);
        }
        double[] rates = new double[rounds];
        double[] ratesOfCore = new double[rounds];
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            long start = System.nanoTime();
            long processorNanos = processorNanos(server);
            long before = made.sum();
            TimeUnit.MILLISECONDS.sleep(ROUND_MILLIS);
            long count = made.sum() - before;
            double nanos = System.nanoTime() - start;
            double used = processorNanos(server) - processorNanos;
            if (round >= 0) {
                rates[round] = count * 1e6 / nanos;
                ratesOfCore[round] = count * 1e6 / used;
            }
        }
        ends.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new IOException("a request failed, so there are no figures of " + name, failure.get());
        }
        figures.add(RATE + name, SERVER, rates);
        figures.add(RATE_OF_CORE + name, SERVER, ratesOfCore);
    }

    private static long processorNanos(ProcessHandle process) throws IOException {
        return process.info()
                .totalCpuDuration()
                .orElseThrow(() -> new IOException("the system does not tell the processor time of the server"))
                .toNanos();
    }
}
