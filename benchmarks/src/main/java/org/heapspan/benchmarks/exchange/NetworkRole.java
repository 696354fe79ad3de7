package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReference;
import org.heapspan.Heapspan;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;

/** The JVMs of {@link NetworkMeasurement}: who sends a file, servers, and the client that is timed. Ends with its input. */
final class NetworkRole {
    private static final long MEMORY_BYTES = 1L << 30;
    private static final String DOUBLES = "doubles";
    private static final String TREEMAP = "treemap";

    /** So that no decoding is left out as useless. */
    private static final AtomicReference<Object> LAST = new AtomicReference<>();

    private NetworkRole() {}

    public static void main(String[] arguments) throws Exception {
        String address = arguments[1];
        int port = Integer.parseInt(arguments[2]);
        switch (arguments[0]) {
            case "send" -> send(address, port, Path.of(arguments[3]));
            case "serve" -> {
                ExchangeServerOptions options = ExchangeServerOptions.port(port).withHost(address);
                ExchangeReader.serve(
                        arguments[3].isEmpty()
                                ? options.allowingAnyone()
                                : options.withSecret(HexFormat.of().parseHex(arguments[3])),
                        MEMORY_BYTES);
            }
            case "get" -> get(address, port, HexFormat.of().parseHex(arguments[3]), Integer.parseInt(arguments[4]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void send(String address, int port, Path file) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(address, port));
            Thread sender = new Thread(() -> ExchangeMeasurement.sendFiles(listener, file), "bare-sender");
            sender.setDaemon(true);
            sender.start();
            System.out.println("ready");
            System.in.readAllBytes();
        }
    }

    /** Prints a line with the figures of each way. */
    private static void get(String address, int port, byte[] secret, int rounds) throws IOException {
        GlobalHeapOptions options = GlobalHeapOptions.defaults().withoutMapping();
        String url = "heapspan://" + address + ":";
        Object[] doubles = PaperSets.named(DOUBLES).records();
        Object[] treemap = PaperSets.named(PaperSets.NAMES.get(0)).records();
        try (SocketChannel bare = SocketChannel.open(new InetSocketAddress(address, port));
                GlobalHeap open = GlobalHeap.connect(url + (port + 1), options);
                GlobalHeap sealed = GlobalHeap.connect(url + (port + 2), options.withSecret(secret))) {
            ByteBuffer buffer = ByteBuffer.allocate(ExchangeMeasurement.BUFFER_BYTES);
            open.put(DOUBLES, doubles);
            open.put(TREEMAP, treemap);
            sealed.put(DOUBLES, doubles);
            Heapspan heapspan = Heapspan.create();
            byte[] doublesImage = heapspan.encode(doubles);
            byte[] treemapImage = heapspan.encode(treemap);
            for (NetworkMeasurement.Way way : NetworkMeasurement.Way.values()) {
                ExchangeMeasurement.Action action = switch (way) {
                    case BARE -> () -> ExchangeMeasurement.fetch(bare, buffer, ExchangeMeasurement.LINK_BYTES);
                    case COPY -> () -> open.copyImage(DOUBLES, OutputStream.nullOutputStream());
                    case DOUBLES -> () -> LAST.set(open.get(DOUBLES, Object[].class));
                    case TREEMAP -> () -> LAST.set(open.get(TREEMAP, Object[].class));
                    case COPY_WITH_SECRET -> () -> sealed.copyImage(DOUBLES, OutputStream.nullOutputStream());
                    case DOUBLES_WITH_SECRET -> () -> LAST.set(sealed.get(DOUBLES, Object[].class));
                    case LOCAL_DOUBLES -> () -> LAST.set(heapspan.decode(doublesImage, Object[].class));
                    case LOCAL_TREEMAP -> () -> LAST.set(heapspan.decode(treemapImage, Object[].class));
                };
                long sizeBytes = switch (way) {
                    case BARE -> ExchangeMeasurement.LINK_BYTES;
                    case TREEMAP, LOCAL_TREEMAP -> treemapImage.length;
                    default -> doublesImage.length;
                };
                double[] rates = ExchangeMeasurement.gigabytes(sizeBytes, ExchangeMeasurement.millis(rounds, action));
                System.out.println(KeeperMeasurement.line(rates));
            }
        }
    }
}
