package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.benchmarks.Statistics;
import org.heapspan.exchange.GlobalHeap;

/** How long one call takes with an object of 1 KB. Clients take turns, so that all of them find the server and the machine in the same state. */
final class CallMeasurement {
    static final List<String> CALLS = List.of("put", "get", "remove");
    static final String SHARED = "shared memory";
    static final String TCP = "TCP";

    /** Of the calls of a round, in microseconds. */
    static final String MEDIAN = "call, median, us: ";

    static final String TAIL = "call, 99 %, us: ";

    private static final int CALLS_IN_ROUND = 500;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final ExchangeFigures figures;
    private final int rounds;
    private final byte[] value = new byte[1024];
    private final long[] nanos = new long[CALLS_IN_ROUND];

    CallMeasurement(ExchangeFigures figures, int rounds) {
        this.figures = figures;
        this.rounds = rounds;
    }

    private final class Client {
        private final GlobalHeap heap;
        private final String way;
        private final double[][] median = new double[CALLS.size()][rounds];
        private final double[][] tail = new double[CALLS.size()][rounds];

        Client(GlobalHeap heap, String way) {
            this.heap = heap;
            this.way = way;
        }

        /** A round that counts, or one of the warm-up, whose figures the next one replaces. */
        void measure(int round) throws IOException {
            for (int call = 0; call < CALLS.size(); call++) {
                for (int i = 0; i < CALLS_IN_ROUND; i++) {
                    long start = System.nanoTime();
                    call(heap, CALLS.get(call), "call/" + i, value);
                    nanos[i] = System.nanoTime() - start;
                }
                double[] micros = Arrays.stream(nanos)
                        .mapToDouble(each -> each / 1e3)
                        .sorted()
                        .toArray();
                median[call][round] = Statistics.median(micros);
                tail[call][round] = micros[CALLS_IN_ROUND * 99 / 100];
            }
        }

        void report() {
            for (int call = 0; call < CALLS.size(); call++) {
                figures.add(MEDIAN + CALLS.get(call), way, median[call]);
                figures.add(TAIL + CALLS.get(call), way, tail[call]);
            }
        }
    }

    void run(GlobalHeap shared, GlobalHeap tcp) throws IOException {
        List<Client> clients = new ArrayList<>(List.of(new Client(shared, SHARED), new Client(tcp, TCP)));
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < WARM_UP_NANOS) {
            for (Client client : clients) {
                client.measure(0);
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (Client client : clients) {
                client.measure(round);
            }
            Collections.reverse(clients);
        }
        clients.forEach(Client::report);
    }

    static void call(GlobalHeap heap, String call, String key, byte[] value) throws IOException {
        switch (call) {
            case "put" -> heap.put(key, value);
            case "get" -> {
                byte[] read = heap.get(key, byte[].class);
                if (read == null || read.length != value.length) {
                    throw new IOException("another value than was put");
                }
            }
            default -> heap.remove(key);
        }
    }
}
