package org.heapspan.replication;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;

/** A server that is a process of its own, to be killed and stopped. */
final class PeerProcess {
    private PeerProcess() {}

    /** Folder, port, all servers. */
    public static void main(String[] arguments) throws Exception {
        ExchangeServer server = ExchangeServer.start(ExchangeServerOptions.port(Integer.parseInt(arguments[1]))
                .withDirectory(Path.of(arguments[0]))
                .withMemory(1L << 30)
                .withTimeout(Duration.ofSeconds(5))
                .replicating(arguments[2]));
        System.out.println(server.url());
        TimeUnit.MINUTES.sleep(10);
        server.close();
    }

    static Process start(Path folder, int port, String peers) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                PeerProcess.class.getName(),
                folder.toString(),
                Integer.toString(port),
                peers));
        Process process = new ProcessBuilder(command)
                .redirectError(
                        folder.resolveSibling(folder.getFileName() + ".log").toFile())
                .start();
        return process;
    }

    /** Waits until it listens. */
    static void await(Process process) throws IOException {
        BufferedReader said = process.inputReader();
        if (said.readLine() == null) {
            throw new IOException("a server has ended before it was started");
        }
    }
}
