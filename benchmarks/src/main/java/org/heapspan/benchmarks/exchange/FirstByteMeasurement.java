package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.heapspan.benchmarks.Statistics;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;

/**
 * How long it takes from a call in another JVM until it has the first byte of a long object. Ways take turns, so that all of them find the server and
 * the machine in the same state.
 */
final class FirstByteMeasurement {
    /** Of the calls of a round, in microseconds. */
    static final String MEDIAN = "first byte, median, us";

    static final int SIZE_BYTES = 64 << 20;
    private static final String LONG_KEY = "first-byte/long";
    private static final String SHORT_KEY = "first-byte/short";
    private static final byte[] SHORT = new byte[1024];
    private static final int WARM_UP_ROUNDS = 10;

    /** How the first byte is read. */
    enum Way {
        SHARED("64 MB, shared memory", 200),
        SHARED_FIRST("64 MB, shared memory, first read of a client", 10),
        TCP("64 MB, TCP", 10),
        GET_OF_SHORT("`get` of a whole object of 1 KB, shared memory", 200);

        private final String title;
        private final int callsInRound;

        Way(String title, int callsInRound) {
            this.title = title;
            this.callsInRound = callsInRound;
        }

        String title() {
            return title;
        }
    }

    private FirstByteMeasurement() {}

    /** Stores what the other JVM reads. */
    static void put(GlobalHeap heap) {
        byte[] bytes = new byte[SIZE_BYTES];
        new Random(1).nextBytes(bytes);
        heap.put(LONG_KEY, bytes);
        heap.put(SHORT_KEY, SHORT);
    }

    static void remove(GlobalHeap heap) {
        heap.remove(LONG_KEY);
        heap.remove(SHORT_KEY);
    }

    /** In the other JVM: prints one line for each way: its name, and the figure of each round. */
    static void read(String url, byte[] secret, int rounds) throws IOException {
        GlobalHeapOptions options = GlobalHeapOptions.defaults().withSecret(secret);
        double[][] micros = new double[Way.values().length][rounds];
        try (GlobalHeap shared = GlobalHeap.connect(url, options);
                GlobalHeap tcp = GlobalHeap.connect(url, options.withoutMapping())) {
            for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                for (Way way : Way.values()) {
                    double[] each = new double[way.callsInRound];
                    for (int i = 0; i < way.callsInRound; i++) {
                        each[i] = nanos(way, shared, tcp, url, options) / 1e3;
                    }
                    if (round >= 0) {
                        micros[way.ordinal()][round] = Statistics.median(each);
                    }
                }
            }
        }
        for (Way way : Way.values()) {
            System.out.println(way + " "
                    + DoubleStream.of(micros[way.ordinal()])
                            .mapToObj(Double::toString)
                            .collect(Collectors.joining(",")));
        }
    }

    private static long nanos(Way way, GlobalHeap shared, GlobalHeap tcp, String url, GlobalHeapOptions options)
            throws IOException {
        switch (way) {
            case SHARED:
                return untilFirstByte(shared, true);
            case TCP:
                // All bytes are copied, so that the next call finds the connection free.
                return untilFirstByte(tcp, false);
            case SHARED_FIRST:
                try (GlobalHeap another = GlobalHeap.connect(url, options)) {
                    return untilFirstByte(another, true);
                }
            default:
                long start = System.nanoTime();
                byte[] read = shared.get(SHORT_KEY, byte[].class);
                long nanos = System.nanoTime() - start;
                if (read == null || read.length != SHORT.length) {
                    throw new IOException("another value than was put");
                }
                return nanos;
        }
    }

    private static long untilFirstByte(GlobalHeap heap, boolean ends) throws IOException {
        Clock clock = new Clock(ends);
        long start = System.nanoTime();
        try {
            heap.copyImage(LONG_KEY, clock);
        } catch (EnoughException e) {
            return clock.firstNanos - start;
        }
        return clock.firstNanos - start;
    }

    /** Nobody needs the other bytes. */
    private static final class EnoughException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private static final class Clock extends OutputStream {
        private final boolean ends;
        private boolean hasBegun;
        private long firstNanos;

        Clock(boolean ends) {
            this.ends = ends;
        }

        @Override
        public void write(int value) throws IOException {
            if (!hasBegun) {
                hasBegun = true;
                firstNanos = System.nanoTime();
            }
            if (ends) {
                throw new EnoughException();
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            write(bytes[offset]);
        }
    }
}
