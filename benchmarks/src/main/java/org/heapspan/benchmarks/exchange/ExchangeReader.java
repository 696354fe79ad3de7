package org.heapspan.benchmarks.exchange;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;
import org.heapspan.exchange.ExchangeObjectInputStream;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;

/** The other JVMs of {@link ExchangeMeasurement}: the server, a reader of groups, a receiver of objects. Ends with its input. */
final class ExchangeReader {
    /** How a group is read. */
    enum Way {
        LOCAL_COMPACT("local decode, compact"),
        SHARED_COMPACT("`at`, shared memory, compact"),
        TCP_COMPACT("`at`, TCP, compact"),
        LOCAL_RAW("local decode, raw"),
        SHARED_RAW("`at`, shared memory, raw");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }

        /** The same without the exchange. */
        Way local() {
            return this == LOCAL_RAW || this == SHARED_RAW ? LOCAL_RAW : LOCAL_COMPACT;
        }
    }

    /** So that no decoding is left out as useless. */
    private static final AtomicReference<Object> LAST = new AtomicReference<>();

    private ExchangeReader() {}

    public static void main(String[] arguments) throws Exception {
        byte[] secret = HexFormat.of().parseHex(arguments[1]);
        switch (arguments[0]) {
            case "serve" -> serve(ExchangeServerOptions.port(0).withSecret(secret));
            case "serve-without-secret" -> serve(ExchangeServerOptions.port(0));
            case "serve-within-tls" ->
                serve(ExchangeServerOptions.port(0).withTls(Path.of(arguments[2]), Path.of(arguments[3])));
            case "read" ->
                read(
                        arguments[2],
                        secret,
                        Long.parseLong(arguments[3]),
                        Long.parseLong(arguments[4]),
                        Integer.parseInt(arguments[5]));
            case "first-byte" -> FirstByteMeasurement.read(arguments[2], secret, Integer.parseInt(arguments[3]));
            case "receive" -> receive(arguments[2], secret, arguments[3]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void serve(ExchangeServerOptions options) throws IOException {
        serve(options, 2L << 30);
    }

    /** Serves until the input ends. */
    static void serve(ExchangeServerOptions options, long memoryBytes) throws IOException {
        try (ExchangeServer server = ExchangeServer.start(options.withMemory(memoryBytes))) {
            System.out.println(server.url());
            System.in.readAllBytes();
        }
    }

    /** Prints one line for each way: its name, and the milliseconds of each round. */
    private static void read(String url, byte[] secret, long compact, long raw, int rounds) throws IOException {
        GlobalHeapOptions options = GlobalHeapOptions.defaults().withSecret(secret);
        Heapspan heapspan = Heapspan.builder().checksum(false).build();
        try (GlobalHeap shared = GlobalHeap.connect(url, options);
                GlobalHeap tcp = GlobalHeap.connect(url, options.withoutMapping())) {
            Object root = shared.at(compact, Object.class);
            byte[] compactBytes = heapspan.encode(root);
            byte[] rawBytes = heapspan.encode(root, Encoding.RAW);
            for (Way way : Way.values()) {
                Supplier<Object> action = switch (way) {
                    case LOCAL_COMPACT -> () -> heapspan.decode(compactBytes, Object.class);
                    case SHARED_COMPACT -> () -> shared.at(compact, Object.class);
                    case TCP_COMPACT -> () -> tcp.at(compact, Object.class);
                    case LOCAL_RAW -> () -> heapspan.decodeTrusted(rawBytes, Object.class);
                    case SHARED_RAW -> () -> shared.at(raw, Object.class);
                };
                double[] millis = ExchangeMeasurement.millis(rounds, () -> LAST.set(action.get()));
                System.out.println(way + " "
                        + DoubleStream.of(millis).mapToObj(Double::toString).collect(Collectors.joining(",")));
            }
        }
    }

    /** Answers each object with a byte, when it is there. */
    private static void receive(String url, byte[] secret, String set) throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                GlobalHeap heap =
                        GlobalHeap.connect(url, GlobalHeapOptions.defaults().withSecret(secret))) {
            System.out.println(listener.getLocalPort());
            for (String sender : ExchangeMeasurement.SENDERS) {
                Socket socket = listener.accept();
                socket.setTcpNoDelay(true);
                sockets.add(socket);
                if (sender.startsWith(ExchangeMeasurement.EXCHANGE)) {
                    receive(socket, heap);
                } else {
                    receive(socket, Peers.create(sender, PaperSets.named(set)));
                }
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static void receive(Socket socket, GlobalHeap heap) throws IOException, ClassNotFoundException {
        try (ExchangeObjectInputStream in = new ExchangeObjectInputStream(socket.getInputStream(), heap)) {
            while (in.readBoolean()) {
                LAST.set(in.readObject());
                socket.getOutputStream().write(1);
            }
        }
    }

    private static void receive(Socket socket, Peer peer) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        for (int length = in.readInt(); length > 0; length = in.readInt()) {
            byte[] bytes = new byte[length];
            in.readFully(bytes);
            LAST.set(peer.decodeChunk(bytes));
            out.write(1);
        }
    }
}
