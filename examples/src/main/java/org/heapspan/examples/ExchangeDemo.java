package org.heapspan.examples;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.GlobalHeap;

/**
 * The demo of the global heap: JVMs share an object through a server, whose status page can be seen meanwhile, and the server is killed. {@code
 * docs/demo.md} describes it. The system property {@code heapspan.chromium} is a browser that makes a picture of the page, and with {@code
 * heapspan.demo.wait} the demo waits until somebody has seen it.
 */
public final class ExchangeDemo {
    private static final int ROUNDS = 10;
    private static final int BROWSER_SECONDS = 60;

    private ExchangeDemo() {}

    /** A catalogue of books, with a list of readers for each. */
    record Book(String title, int year, List<String> readers) implements Serializable {}

    /**
     * Runs the demo.
     *
     * @param arguments how many books (default 50,000); or, in the JVM that this one starts: {@code put}, a server, and how many books
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 3) {
            put(arguments[1], Integer.parseInt(arguments[2]));
            return;
        }
        run(arguments.length == 0 ? 50_000 : Integer.parseInt(arguments[0]));
    }

    private static void run(int books) throws Exception {
        Process server = java("org.heapspan.cli.Main", "serve", "--port", "0", "--memory", "1g", "--page", "0");
        try (BufferedReader lines = server.inputReader()) {
            String line = String.valueOf(lines.readLine());
            System.out.println("heapspan serve: " + line);
            String url = line.substring("serving ".length(), line.indexOf(" with"));
            line = String.valueOf(lines.readLine());
            System.out.println("heapspan serve: " + line);
            String page = line.substring(line.indexOf("http://"));

            Process writer = java(ExchangeDemo.class.getName(), "put", url, Integer.toString(books));
            String done = String.valueOf(writer.inputReader().readLine());
            if (!writer.waitFor(1, TimeUnit.MINUTES) || writer.exitValue() != 0) {
                throw new IOException("the writer has failed; what it said is above");
            }
            System.out.println("A second JVM " + done + " and has ended.");
            try (GlobalHeap heap = GlobalHeap.connect(url)) {
                read(heap, books);
                show(page);
                System.out.println("The server is killed (kill -9).");
                server.destroyForcibly().waitFor();
                try {
                    heap.get("books", TreeMap.class, Duration.ofSeconds(5));
                } catch (ExchangeException e) {
                    System.out.println("get says " + e.reason() + ": " + e.getMessage());
                }
            }
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    /** A picture of the status page if there is a browser, and time to look at it if there is somebody. */
    private static void show(String page) throws IOException, InterruptedException {
        String browser = System.getProperty("heapspan.chromium", "");
        if (!browser.isEmpty()) {
            Path folder = Path.of(System.getProperty("heapspan.root", "."), "build", "demo");
            Path picture = Files.createDirectories(folder).resolve("exchange.png");
            Process process = new ProcessBuilder(
                            browser,
                            "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--hide-scrollbars",
                            "--virtual-time-budget=5000",
                            "--window-size=1400,1300",
                            "--screenshot=" + picture,
                            page)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            boolean made = process.waitFor(BROWSER_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
            process.destroyForcibly();
            System.out.println(
                    made
                            ? "A picture of the status page: "
                                    + String.join(File.separator, "build", "demo", "exchange.png")
                            : "The browser " + browser + " has made no picture of the status page.");
        }
        if (Boolean.getBoolean("heapspan.demo.wait")) {
            System.out.println("Open the status page in a browser, if you like. Enter goes on.");
            System.in.read();
        }
    }

    private static Process java(String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            // Without it, newer JDKs warn about the native library.
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static Map<Integer, Book> catalogue(int books) {
        Map<Integer, Book> catalogue = new TreeMap<>();
        for (int i = 0; i < books; i++) {
            catalogue.put(
                    i, new Book("Book number " + i, 1900 + i % 125, List.of("reader " + i % 977, "reader " + i % 89)));
        }
        return catalogue;
    }

    private static void put(String url, int books) {
        try (GlobalHeap heap = GlobalHeap.connect(url)) {
            heap.put("books", catalogue(books));
            System.out.printf(
                    Locale.ROOT,
                    "has put %,d books, %.1f MB%n",
                    books,
                    heap.find("books").orElseThrow().sizeBytes() / 1e6);
        }
    }

    @SuppressWarnings("BanSerializableRead") // The bytes are our own.
    private static void read(GlobalHeap heap, int books) throws IOException, ClassNotFoundException {
        Map<?, ?> first = heap.get("books", TreeMap.class);
        System.out.println("This JVM gets the same books: " + first.equals(catalogue(books)) + ", from shared memory: "
                + heap.sharesMemory());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(first);
        }
        double getMillis = Double.MAX_VALUE;
        double javaMillis = Double.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            heap.get("books", TreeMap.class);
            long middle = System.nanoTime();
            new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
            getMillis = Math.min(getMillis, (middle - start) / 1e6);
            javaMillis = Math.min(javaMillis, (System.nanoTime() - middle) / 1e6);
        }
        System.out.printf(
                Locale.ROOT,
                "The fastest of %d: get %.1f ms; readObject of Java serialization, from an array, %.1f ms%n",
                ROUNDS,
                getMillis,
                javaMillis);
    }
}
