package org.heapspan.benchmarks.exchange;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.heapspan.benchmarks.exchange.KeeperMeasurement.Call;
import org.heapspan.benchmarks.exchange.KeeperMeasurement.Size;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;

/**
 * The other JVMs of {@link KeeperMeasurement}: server and keeper, a client on the server's host, and the client that is timed; and the servers of
 * {@link ReplicaMeasurement}.
 */
final class KeeperRole {
    private static final int WARM_UP_ROUNDS = 15;
    private static final long MEMORY_BYTES = 1L << 30;

    private KeeperRole() {}

    public static void main(String[] arguments) throws Exception {
        byte[] secret = HexFormat.of().parseHex(arguments[1]);
        switch (arguments[0]) {
            case "serve" -> {
                ExchangeServerOptions options = ExchangeServerOptions.port(Integer.parseInt(arguments[4]))
                        .withHost(arguments[3])
                        .withDirectory(Path.of(arguments[2]))
                        .withSecret(secret);
                ExchangeReader.serve(arguments[5].isEmpty() ? options : options.joining(arguments[5]), MEMORY_BYTES);
            }
            case "replicate" -> {
                ExchangeServerOptions options = ExchangeServerOptions.port(Integer.parseInt(arguments[3]))
                        .withHost("127.0.0.1")
                        .withDirectory(Path.of(arguments[2]))
                        .withSecret(secret);
                ExchangeReader.serve(
                        arguments[4].isEmpty() ? options : options.replicating(arguments[4]), MEMORY_BYTES);
            }
            case "put" -> put(arguments[2], secret);
            case "call" ->
                call(arguments[2], secret, Boolean.parseBoolean(arguments[3]), Integer.parseInt(arguments[4]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static BufferedReader input() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }

    /** Puts the objects of a round for each line. */
    private static void put(String url, byte[] secret) throws IOException {
        BufferedReader lines = input();
        try (GlobalHeap heap =
                GlobalHeap.connect(url, GlobalHeapOptions.defaults().withSecret(secret))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Size size = Size.valueOf(line);
                byte[] value = new byte[size.sizeBytes()];
                for (int i = 0; i < size.count(); i++) {
                    heap.put("near/" + i, value);
                }
                System.out.println("done");
            }
        }
    }

    private static void call(String url, byte[] secret, boolean maps, int rounds) throws IOException {
        GlobalHeapOptions options = GlobalHeapOptions.defaults().withSecret(secret);
        BufferedReader answers = input();
        Call[] calls = Call.values();
        try (GlobalHeap heap = GlobalHeap.connect(url, maps ? options : options.withoutMapping())) {
            for (Size size : Size.values()) {
                double[][] micros = new double[calls.length][rounds];
                byte[] value = new byte[size.sizeBytes()];
                for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
                    System.out.println(size);
                    if (!"done".equals(answers.readLine())) {
                        throw new IOException("the client on the server's host has ended");
                    }
                    for (int call = 0; call < calls.length; call++) {
                        long start = System.nanoTime();
                        for (int i = 0; i < size.count(); i++) {
                            call(heap, calls[call], i, value);
                        }
                        if (round >= 0) {
                            micros[call][round] = (System.nanoTime() - start) / 1e3 / size.count();
                        }
                    }
                    for (int i = 0; i < size.count(); i++) {
                        heap.remove("near/" + i);
                    }
                }
                System.out.println("measured");
                Arrays.stream(micros).map(KeeperMeasurement::line).forEach(System.out::println);
            }
        }
    }

    private static void call(GlobalHeap heap, Call call, int number, byte[] value) throws IOException {
        switch (call) {
            case PUT -> heap.put("far/" + number, value);
            case REMOVE -> heap.remove("far/" + number);
            default -> {
                byte[] read = heap.get("near/" + number, byte[].class);
                if (read == null || read.length != value.length) {
                    throw new IOException("another value than was put");
                }
            }
        }
    }
}
