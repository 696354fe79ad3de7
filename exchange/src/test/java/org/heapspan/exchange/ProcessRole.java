package org.heapspan.exchange;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What the JVMs of {@link SeveralProcessesTest} do. */
final class ProcessRole {
    private ProcessRole() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "serve" -> serve(arguments);
            case "keep" ->
                run(ExchangeServerOptions.port(0)
                        .withMemory(64 << 20)
                        .withDirectory(Path.of(arguments[1]))
                        .keepingKeys());
            case "clean" ->
                System.out.println(
                        ExchangeServer.clean(ExchangeServerOptions.port(0).withDirectory(Path.of(arguments[1]))));
            case "put" -> put(arguments[1], arguments[2]);
            case "publish" -> publish(arguments[1]);
            case "get" -> get(arguments[1], arguments[2]);
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
}
