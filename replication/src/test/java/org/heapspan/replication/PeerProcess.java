package org.heapspan.replication;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.ExchangeException;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.testing.JavaProcess;

/** A server or a keeper that is a process of its own, to be killed and stopped, or a client that does what it is told. */
final class PeerProcess {
    private static final String CLIENT = "client";
    private static final String KEEPER = "keeper";

    private PeerProcess() {}

    /** Folder, host, port, all servers. Or that it is a keeper: folder, port, and the servers. Or that it is a client, and its servers. */
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals(CLIENT)) {
            obey(arguments[1]);
            return;
        }
        if (arguments[0].equals(KEEPER)) {
            serve(ExchangeServerOptions.port(Integer.parseInt(arguments[2]))
                    .withDirectory(Path.of(arguments[1]))
                    .withMemory(1L << 30)
                    .withTimeout(Duration.ofSeconds(5))
                    .joining(arguments[3]));
            return;
        }
        serve(ExchangeServerOptions.port(Integer.parseInt(arguments[2]))
                .withHost(arguments[1])
                .withDirectory(Path.of(arguments[0]))
                .withMemory(1L << 30)
                .withTimeout(Duration.ofSeconds(5))
                .replicating(arguments[3]));
    }

    private static void serve(ExchangeServerOptions options) throws IOException, InterruptedException {
        ExchangeServer server = ExchangeServer.start(options);
        System.out.println(server.url());
        TimeUnit.MINUTES.sleep(10);
        server.close();
    }

    /** Commands: {@code put KEY VALUE}, {@code replace KEY VALUE}, {@code get KEY}. The answer to each is a line. */
    private static void obey(String url) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split(" ", -1);
            try (GlobalHeap heap =
                    GlobalHeap.connect(url, GlobalHeapOptions.defaults().withTimeout(Duration.ofSeconds(4)))) {
                System.out.println(
                        switch (words[0]) {
                            case "put" -> heap.put(words[1], words[2]);
                            case "replace" ->
                                heap.replace(
                                        words[1],
                                        words[2],
                                        heap.find(words[1]).orElseThrow().version());
                            default -> heap.get(words[1], String.class, Duration.ZERO);
                        });
            } catch (ExchangeException e) {
                System.out.println("failed: " + e.reason());
            }
        }
    }

    private static List<String> command(List<String> prefix, List<String> properties, List<String> arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-Dheapspan.exchange.election=" + System.getProperty("heapspan.exchange.election", "300"),
                "-Dheapspan.exchange.snapshot=200"));
        command.addAll(properties);
        command.addAll(List.of("-cp", JavaProcess.testClassPath(), PeerProcess.class.getName()));
        command.addAll(arguments);
        return command;
    }

    static Process start(Path folder, int port, String peers) throws IOException {
        return start(List.of(), List.of(), folder, "127.0.0.1", port, peers);
    }

    /**
     * Starts a server.
     *
     * @param prefix what runs a command on its host
     */
    static Process start(List<String> prefix, List<String> properties, Path folder, String host, int port, String peers)
            throws IOException {
        return new ProcessBuilder(
                        command(prefix, properties, List.of(folder.toString(), host, Integer.toString(port), peers)))
                .redirectError(log(folder).toFile())
                .start();
    }

    /** Starts a keeper of servers that replicate their keys. */
    static Process startKeeper(Path folder, int port, String url) throws IOException {
        return new ProcessBuilder(
                        command(List.of(), List.of(), List.of(KEEPER, folder.toString(), Integer.toString(port), url)))
                .redirectError(log(folder).toFile())
                .start();
    }

    static Process startClient(List<String> prefix, List<String> properties, String url) throws IOException {
        return new ProcessBuilder(command(prefix, properties, List.of(CLIENT, url)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** What a server that has a folder says about failures. */
    private static Path log(Path folder) {
        return folder.resolveSibling(folder.getFileName() + ".log");
    }

    /** Waits until it listens. */
    static void await(Process process, Path folder) throws IOException {
        BufferedReader said = process.inputReader();
        if (said.readLine() == null) {
            throw new IOException(
                    "a server has ended before it was started; its log says:\n" + Files.readString(log(folder)));
        }
    }
}
