package org.heapspan.benchmarks.exchange;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.Folders;
import org.heapspan.benchmarks.Repository;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.testing.Ports;

/** Measures calls of a client whose keys are replicated by three servers, and of one with a single server. All are JVMs on one host. */
final class ReplicaMeasurement {
    static final List<Integer> SIZES = List.of(1 << 10, 8_000_000);

    private static final int SERVERS = 3;
    private static final int LEAST_BYTES_OF_LONG = 1 << 20;
    private static final int CALLS_OF_SHORT = 100;
    private static final int CALLS_OF_LONG = 3;
    private static final int WARM_UP_ROUNDS = 10;

    /** How many servers have the keys. */
    enum Way {
        SINGLE("one server"),
        REPLICATED("three servers");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    static final String NOT_MEASURED = "Replication was not measured: there is no dist/heapspan-replication.jar";

    private final ExchangeFigures figures;
    private final int rounds;
    private final byte[] secret;

    ReplicaMeasurement(ExchangeFigures figures, int rounds, byte[] secret) {
        this.figures = figures;
        this.rounds = rounds;
        this.secret = secret.clone();
    }

    static String measure(int sizeBytes, String call) {
        return String.format(Locale.ROOT, "replicas, us: %s of %,d bytes", call, sizeBytes);
    }

    void run() throws IOException, InterruptedException {
        Path jar = Repository.root().resolve("dist/heapspan-replication.jar");
        if (!Files.exists(jar)) {
            figures.run().software.add(NOT_MEASURED);
            return;
        }
        for (Way way : Way.values()) {
            run(way, jar);
        }
    }

    private void run(Way way, Path jar) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "heapspan-bench");
        List<String> places = new ArrayList<>();
        for (int port : Ports.take(way == Way.SINGLE ? 1 : SERVERS)) {
            places.add("127.0.0.1:" + port);
        }
        String all = String.join(",", places);
        List<Process> servers = new ArrayList<>();
        try {
            for (String place : places) {
                Path own = Files.createDirectory(folder.resolve("server-" + servers.size()));
                servers.add(ExchangeMeasurement.start(
                        List.of(),
                        KeeperRole.class,
                        System.getProperty("java.class.path") + File.pathSeparator + jar,
                        List.of(
                                "replicate",
                                HexFormat.of().formatHex(secret),
                                own.toString(),
                                place.substring(place.indexOf(':') + 1),
                                way == Way.SINGLE ? "" : all)));
            }
            for (Process server : servers) {
                ExchangeMeasurement.line(server);
            }
            try (GlobalHeap heap = GlobalHeap.connect(
                    "heapspan://" + all, GlobalHeapOptions.defaults().withSecret(secret))) {
                for (int sizeBytes : SIZES) {
                    calls(way, heap, sizeBytes);
                }
            }
        } finally {
            for (Process server : servers) {
                ExchangeMeasurement.end(server);
            }
            Folders.delete(folder);
        }
    }

    private void calls(Way way, GlobalHeap heap, int sizeBytes) throws IOException {
        int calls = sizeBytes >= LEAST_BYTES_OF_LONG ? CALLS_OF_LONG : CALLS_OF_SHORT;
        List<String> names = CallMeasurement.CALLS;
        byte[] value = new byte[sizeBytes];
        double[][] micros = new double[names.size()][rounds];
        for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
            for (int call = 0; call < names.size(); call++) {
                long start = System.nanoTime();
                for (int i = 0; i < calls; i++) {
                    CallMeasurement.call(heap, names.get(call), "replicas/" + i, value);
                }
                if (round >= 0) {
                    micros[call][round] = (System.nanoTime() - start) / 1e3 / calls;
                }
            }
        }
        for (int call = 0; call < names.size(); call++) {
            figures.add(measure(sizeBytes, names.get(call)), way.title(), micros[call]);
        }
    }
}
