package org.heapspan.benchmarks.exchange;

import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.heapspan.Encoding;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;
import org.heapspan.exchange.ExchangeObjectOutputStream;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.exchange.GroupHandle;
import org.heapspan.testing.Certificates;

/** Measures the global heap with a server and a reader in JVMs of their own. */
final class ExchangeMeasurement {
    /** Data as of HotCloud, a map and an array, and as of ZCOT. */
    static final List<String> SETS = List.of("treemap", "media", "point", "doubles");

    static final String READ = "read, ms: ";
    static final String LINK = "link, GB/s";
    static final String BARE = "bare `sendfile`";
    static final String FETCH = "`copyImage`, with a secret";
    static final String FETCH_WITHOUT_SECRET = "`copyImage`, without a secret";
    static final String FETCH_WITHIN_TLS = "`copyImage`, TLS without a secret";
    static final String SEND = "send, ms: ";
    static final String EXCHANGE = "exchange";
    private static final String EXCHANGE_RAW = "exchange-raw";

    /** In the order in which the receiver expects them. */
    static final List<String> SENDERS =
            List.of("jdk", "kryo-refs", "kryo", "fory-refs", "fory", EXCHANGE, EXCHANGE_RAW);

    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int LEAST_WARM_UP_ROUNDS = 3;
    private static final int MOST_ROUNDS_OF_PAPERS = 7;
    static final int BUFFER_BYTES = 64 << 10;
    static final int LINK_BYTES = 80_000_000;

    private final ExchangeFigures figures;
    private final int rounds;
    private final byte[] secret = new byte[32];

    ExchangeMeasurement(ExchangeFigures figures, int rounds) {
        this.figures = figures;
        this.rounds = rounds;
        new SecureRandom().nextBytes(secret);
    }

    /** An action that is measured. */
    interface Action {
        void run() throws IOException;
    }

    /** The milliseconds of each round, after a warm-up. */
    static double[] millis(int rounds, Action action) throws IOException {
        long begin = System.nanoTime();
        for (int i = 0; i < LEAST_WARM_UP_ROUNDS || System.nanoTime() - begin < WARM_UP_NANOS; i++) {
            action.run();
        }
        double[] millis = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            long start = System.nanoTime();
            action.run();
            millis[i] = (System.nanoTime() - start) / 1e6;
        }
        return millis;
    }

    static String title(String sender) {
        return switch (sender) {
            case EXCHANGE -> "exchange streams";
            case EXCHANGE_RAW -> "exchange streams, raw";
            default -> Peers.title(sender);
        };
    }

    void run(Set<Part> parts) throws IOException, InterruptedException {
        if (!Collections.disjoint(parts, Set.of(Part.CALLS, Part.FIRST, Part.JVMS, Part.PAPERS, Part.REDIS))) {
            withServer(List.of(), (url, shared, tcp, server) -> {
                if (parts.contains(Part.CALLS)) {
                    new CallMeasurement(figures, rounds).run(shared, tcp);
                }
                if (parts.contains(Part.FIRST)) {
                    firstByte(url, shared);
                }
                GlobalHeapOptions options = GlobalHeapOptions.defaults().withSecret(secret);
                try (GlobalHeap raw = GlobalHeap.connect(url, options.withEncoding(Encoding.RAW))) {
                    if (parts.contains(Part.JVMS)) {
                        jvms(url, shared, tcp, raw);
                    }
                    if (parts.contains(Part.PAPERS)) {
                        for (String set : PaperSets.NAMES) {
                            send(url, set, shared, raw, Math.min(rounds, MOST_ROUNDS_OF_PAPERS));
                        }
                    }
                    if (parts.contains(Part.REDIS)) {
                        new RedisMeasurement(figures, rounds).run(shared, tcp);
                    }
                }
            });
        }
        if (parts.contains(Part.JVMS)) {
            linksWithoutSecret();
        }
        if (parts.contains(Part.METADATA)) {
            withServer(
                    RequestMeasurement.oneCore(),
                    (url, shared, tcp, server) ->
                            new RequestMeasurement(figures, rounds).run(shared, server.toHandle()));
        }
        if (parts.contains(Part.NETWORK)) {
            new NetworkMeasurement(figures, rounds, secret).run();
        }
        if (parts.contains(Part.KEEPERS)) {
            new KeeperMeasurement(figures, rounds, secret).run();
        }
        if (parts.contains(Part.REPLICAS)) {
            new ReplicaMeasurement(figures, rounds, secret).run();
        }
        if (parts.contains(Part.VALUES)) {
            new DeduplicationMeasurement(figures, rounds).run();
        }
    }

    private interface ServerUse {
        void with(String url, GlobalHeap shared, GlobalHeap tcp, Process server)
                throws IOException, InterruptedException;
    }

    /** A server with a secret, and clients through shared memory and without. */
    private void withServer(List<String> prefix, ServerUse use) throws IOException, InterruptedException {
        Process server = start(prefix, "serve");
        try {
            String url = line(server);
            GlobalHeapOptions options = GlobalHeapOptions.defaults().withSecret(secret);
            try (GlobalHeap shared = GlobalHeap.connect(url, options);
                    GlobalHeap tcp = GlobalHeap.connect(url, options.withoutMapping())) {
                use.with(url, shared, tcp, server);
            }
        } finally {
            end(server);
        }
    }

    private void jvms(String url, GlobalHeap shared, GlobalHeap tcp, GlobalHeap raw)
            throws IOException, InterruptedException {
        link(tcp, FETCH);
        for (String set : SETS) {
            read(url, set, shared, raw);
            send(url, set, shared, raw, rounds);
        }
    }

    private void linksWithoutSecret() throws IOException, InterruptedException {
        Process server = start(List.of(), "serve-without-secret");
        try (GlobalHeap tcp =
                GlobalHeap.connect(line(server), GlobalHeapOptions.defaults().withoutMapping())) {
            link(tcp, FETCH_WITHOUT_SECRET);
        } finally {
            end(server);
        }
        linkWithinTls();
        bareLink();
    }

    private void linkWithinTls() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("heapspan-bench");
        Certificates certificates = new Certificates(folder);
        certificates.make("server", "-ext", "san=ip:127.0.0.1");
        Path certificate = certificates.certificate("server");
        Process server = start(
                List.of(),
                "serve-within-tls",
                certificate.toString(),
                certificates.key("server").toString());
        try (GlobalHeap tcp = GlobalHeap.connect(
                line(server),
                GlobalHeapOptions.defaults().withTlsTrust(certificate).withoutMapping())) {
            link(tcp, FETCH_WITHIN_TLS);
        } finally {
            end(server);
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
    }

    private Process start(List<String> prefix, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(arguments[0], HexFormat.of().formatHex(secret)));
        all.addAll(Arrays.asList(arguments).subList(1, arguments.length));
        return start(prefix, ExchangeReader.class, all);
    }

    /**
     * Starts another JVM.
     *
     * @param prefix what runs it on another host; may be empty
     */
    static Process start(List<String> prefix, Class<?> main, List<String> arguments) throws IOException {
        return start(prefix, main, System.getProperty("java.class.path"), arguments);
    }

    /** Starts another JVM that has other classes too. */
    static Process start(List<String> prefix, Class<?> main, String classPath, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 24) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of("-Xmx2g", "-cp", classPath, main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    static String line(Process process) throws IOException {
        String line = process.inputReader().readLine();
        if (line == null) {
            throw new IOException("another JVM of the benchmark has failed; what it said is above");
        }
        return line;
    }

    static void end(Process process) throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private void link(GlobalHeap heap, String way) throws IOException {
        byte[] bytes = new byte[LINK_BYTES];
        OutputStream nowhere = OutputStream.nullOutputStream();
        heap.put("link", bytes);
        double[] fetched = millis(rounds, () -> heap.copyImage("link", nowhere));
        heap.remove("link");
        figures.add(LINK, way, gigabytes(bytes.length, fetched));
    }

    /** The same bytes, from the same kind of file, read into one buffer on the other side. */
    private void bareLink() throws IOException {
        byte[] bytes = new byte[LINK_BYTES];
        Path file = Files.createTempFile(Path.of("/dev/shm"), "heapspan-bench", ".bytes");
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            Files.write(file, bytes);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread sender = new Thread(() -> sendFiles(listener, file), "bare-sender");
            sender.setDaemon(true);
            sender.start();
            try (SocketChannel socket = SocketChannel.open(listener.getLocalAddress())) {
                ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
                figures.add(
                        LINK, BARE, gigabytes(bytes.length, millis(rounds, () -> fetch(socket, buffer, bytes.length))));
            }
        } finally {
            Files.delete(file);
        }
    }

    static void fetch(SocketChannel socket, ByteBuffer buffer, int sizeBytes) throws IOException {
        socket.write(ByteBuffer.allocate(1));
        for (int received = 0; received < sizeBytes; received += buffer.position()) {
            if (socket.read(buffer.clear()) < 0) {
                throw new IOException("the sender has ended");
            }
        }
    }

    static void sendFiles(ServerSocketChannel listener, Path file) {
        try (SocketChannel socket = listener.accept();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (socket.read(ByteBuffer.allocate(1)) > 0) {
                for (long sent = 0; sent < channel.size(); ) {
                    sent += channel.transferTo(sent, channel.size() - sent, socket);
                }
            }
        } catch (IOException e) {
            // The other side has what it needs.
            return;
        }
    }

    static double[] gigabytes(long sizeBytes, double[] millis) {
        return Arrays.stream(millis).map(each -> sizeBytes / each / 1e6).toArray();
    }

    private void read(String url, String set, GlobalHeap shared, GlobalHeap raw)
            throws IOException, InterruptedException {
        Object[] records = DataSets.named(set).records();
        try (GroupHandle<Object> compact = shared.publish(records);
                GroupHandle<Object> rawGroup = raw.publish(records)) {
            Process reader = start(
                    List.of(),
                    "read",
                    url,
                    Long.toString(compact.address()),
                    Long.toString(rawGroup.address()),
                    Integer.toString(rounds));
            try (BufferedReader lines = reader.inputReader()) {
                for (ExchangeReader.Way way : ExchangeReader.Way.values()) {
                    figures.add(READ + set, way.title(), figures(lines, way));
                }
            } finally {
                end(reader);
            }
        }
    }

    /** The next line of a reader: the name of a way, and a figure for each round. */
    private static double[] figures(BufferedReader lines, Enum<?> way) throws IOException {
        String line = String.valueOf(lines.readLine());
        if (!line.startsWith(way + " ")) {
            throw new IOException("the reader said '" + line + "' instead of its figures of " + way);
        }
        return Arrays.stream(line.substring(way.name().length() + 1).split(",", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    private void firstByte(String url, GlobalHeap shared) throws IOException, InterruptedException {
        FirstByteMeasurement.put(shared);
        Process reader = start(List.of(), "first-byte", url, Integer.toString(rounds));
        try (BufferedReader lines = reader.inputReader()) {
            for (FirstByteMeasurement.Way way : FirstByteMeasurement.Way.values()) {
                figures.add(FirstByteMeasurement.MEDIAN, way.title(), figures(lines, way));
            }
        } finally {
            end(reader);
        }
        FirstByteMeasurement.remove(shared);
    }

    /** From the object here to the object there, and one byte back. */
    private void send(String url, String set, GlobalHeap shared, GlobalHeap raw, int times)
            throws IOException, InterruptedException {
        Object[] records = PaperSets.named(set).records();
        Process receiver = start(List.of(), "receive", url, set);
        try {
            int port = Integer.parseInt(line(receiver));
            for (String sender : SENDERS) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    socket.setTcpNoDelay(true);
                    double[] millis;
                    if (sender.startsWith(EXCHANGE)) {
                        millis = send(socket, sender.equals(EXCHANGE_RAW) ? raw : shared, records, times);
                    } else {
                        millis = send(socket, Peers.create(sender, PaperSets.named(set)), records, times);
                    }
                    figures.add(SEND + set, sender, millis);
                }
            }
        } finally {
            end(receiver);
        }
    }

    private double[] send(Socket socket, GlobalHeap heap, Object[] records, int times) throws IOException {
        InputStream answers = socket.getInputStream();
        try (ExchangeObjectOutputStream out = new ExchangeObjectOutputStream(socket.getOutputStream(), heap)) {
            out.flush();
            double[] millis = millis(times, () -> {
                out.reset();
                out.writeBoolean(true);
                out.writeObject(records);
                out.flush();
                await(answers);
            });
            out.writeBoolean(false);
            return millis;
        }
    }

    private double[] send(Socket socket, Peer peer, Object[] records, int times) throws IOException {
        InputStream answers = socket.getInputStream();
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        double[] millis = millis(times, () -> {
            int length = peer.encodeChunk(records);
            ByteBuffer bytes = peer.encodedInPlace();
            out.writeInt(length);
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            await(answers);
        });
        out.writeInt(0);
        return millis;
    }

    private static void await(InputStream answers) throws IOException {
        if (answers.read() != 1) {
            throw new IOException("the receiver has failed; what it said is above");
        }
    }
}
