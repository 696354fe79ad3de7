package org.heapspan.exchange;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.Status;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.testing.Eventually;

/** What the JVMs of {@link SeveralProcessesTest} do. */
final class ProcessRole {
    private ProcessRole() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "serve" -> serve(arguments);
            case "keep" ->
                run(ExchangeServerOptions.port(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0)
                        .withMemory(64 << 20)
                        .withDirectory(Path.of(arguments[1]))
                        .keepingKeys());
            case "clean" ->
                System.out.println(
                        ExchangeServer.clean(ExchangeServerOptions.port(0).withDirectory(Path.of(arguments[1]))));
            case "put" -> put(arguments[1], arguments[2]);
            case "publish" -> publish(arguments[1]);
            case "get" -> get(arguments[1], arguments[2]);
            case "write-stream" -> writeStream(arguments[1], Path.of(arguments[2]));
            case "read-stream" -> readStream(arguments[1], Path.of(arguments[2]));
            case "refuse" -> refuse(arguments[1], arguments[2]);
            case "serve-at" -> serveAt(arguments);
            case "obey" -> obey(arguments[1]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** A port, and a folder unless it is the usual one. */
    private static void serve(String[] arguments) throws Exception {
        ExchangeServerOptions options = ExchangeServerOptions.port(Integer.parseInt(arguments[1]))
                .withMemory(64 << 20)
                .withLease(Duration.ofSeconds(4));
        run(arguments.length > 2 ? options.withDirectory(Path.of(arguments[2])) : options);
    }

    private static void run(ExchangeServerOptions options) throws Exception {
        ExchangeServer server = ExchangeServer.start(options);
        System.out.println(server.url());
        TimeUnit.MINUTES.sleep(5);
        server.close();
    }

    /** Ends without closing anything. */
    private static void put(String url, String key) {
        GlobalHeap heap = GlobalHeap.connect(url);
        heap.put(key, new Model("of another JVM", 5000));
        System.out.println(heap.sharesMemory());
        Runtime.getRuntime().halt(0);
    }

    private static void publish(String url) throws Exception {
        GlobalHeap heap = GlobalHeap.connect(url);
        GroupHandle<Model> handle = heap.publish(new Model("published", 5000));
        System.out.println(handle.address());
        TimeUnit.MINUTES.sleep(5);
        handle.close();
    }

    private static void get(String url, String key) {
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            Model model = heap.get(key, Model.class);
            System.out.println(model.name + " " + model.weights.length + " " + heap.sharesMemory());
        }
    }

    /** Ends without closing the heap. */
    private static void writeStream(String url, Path file) throws Exception {
        GlobalHeap heap = GlobalHeap.connect(url);
        try (ExchangeObjectOutputStream out =
                new ExchangeObjectOutputStream(Files.newOutputStream(file), heap, "stream")) {
            out.writeObject(new Model("of another JVM", 5000));
            out.writeObject("a text");
        }
        System.out.println(heap.sharesMemory());
        Runtime.getRuntime().halt(0);
    }

    private static void readStream(String url, Path file) throws Exception {
        try (GlobalHeap heap = GlobalHeap.connect(url);
                ExchangeObjectInputStream in = new ExchangeObjectInputStream(Files.newInputStream(file), heap)) {
            Model model = (Model) in.readObject();
            System.out.println(
                    model.name + " " + model.weights.length + " " + in.readObject() + " " + heap.sharesMemory());
        }
    }

    /** Reads an object of a class that it does not accept, and for which its heap has no room. */
    private static void refuse(String url, String key) throws Exception {
        byte[][] others = new byte[36][1 << 20];
        AtomicBoolean asked = new AtomicBoolean();
        ObjectInputFilter filter = info -> {
            asked.compareAndSet(false, info.serialClass() == Model.class);
            return info.serialClass() == Model.class ? Status.REJECTED : Status.UNDECIDED;
        };
        GlobalHeapOptions options = Place.OTHER_HOST
                .client()
                .withHeapspan(Heapspan.builder().filter(filter).build());
        try (GlobalHeap heap = GlobalHeap.connect(url, options)) {
            Thread reader = new Thread(
                    () -> {
                        try {
                            heap.get(key, Object[].class);
                        } catch (HeapspanException e) {
                            System.out.println(e.category());
                        }
                    },
                    "reader");
            reader.start();
            Eventually.holds(
                    "the reader waits for the end", () -> asked.get() && reader.getState() == Thread.State.WAITING);
            System.out.println("refused");
            reader.join();
        }
        Reference.reachabilityFence(others);
    }

    /** Address, port and folder, and the server to join unless it is none. */
    private static void serveAt(String[] arguments) throws Exception {
        ExchangeServerOptions options = ExchangeServerOptions.port(Integer.parseInt(arguments[2]))
                .withHost(arguments[1])
                .withMemory(64 << 20)
                .withDirectory(Path.of(arguments[3]))
                .withLease(Duration.ofSeconds(4));
        run(arguments.length > 4 ? options.joining(arguments[4]) : options);
    }

    /** Does what each line of the input says, and answers with a line. */
    private static void obey(String url) throws Exception {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            Map<String, GObject<byte[]>> opened = new HashMap<>();
            System.out.println("shares memory: " + heap.sharesMemory());
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                System.out.println(answer(heap, opened, line.split(" ")));
            }
        }
    }

    private static String answer(GlobalHeap heap, Map<String, GObject<byte[]>> opened, String[] command) {
        String key = command[1];
        try {
            return switch (command[0]) {
                case "put" -> "" + heap.put(key, new byte[Integer.parseInt(command[2])]);
                case "get" -> "" + heap.get(key, byte[].class, Duration.ZERO).length;
                case "remove" -> "" + heap.remove(key);
                case "open" -> {
                    opened.put(key, heap.open(key, byte[].class));
                    yield "opened";
                }
                case "read" -> "" + opened.get(key).read().length;
                case "release" -> {
                    opened.remove(key).release();
                    yield "released";
                }
                default -> throw new IllegalArgumentException(command[0]);
            };
        } catch (ExchangeException e) {
            return e.reason().name();
        }
    }
}
