package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Hosts;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** A server on one host, a keeper on another, each with clients: JVMs in network namespaces. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class SeveralHostsTest {
    private static final int SERVER = 0;
    private static final int OTHER = 1;
    private static final String SERVER_URL = "heapspan://" + Hosts.ADDRESSES.get(SERVER) + ":7077";
    private static final String KEEPER_URL = "heapspan://127.0.0.1:7078";
    private static final int MEGABYTES = 3_000_000;
    private static final int LESS_THAN_LEASE_SECONDS = 2;

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();
    private Hosts hosts;
    private Path secret;

    @BeforeEach
    void begin() throws Exception {
        try {
            hosts = new Hosts();
        } catch (Hosts.UnavailableException e) {
            throw new TestAbortedException(e.getMessage(), e);
        }
        secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef-hosts");
        Files.createDirectory(folder.resolve("of-server"));
        Files.createDirectory(folder.resolve("of-keeper"));
    }

    @AfterEach
    void end() throws Exception {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        if (hosts != null) {
            hosts.close();
        }
    }

    private Process start(int host, int timeoutSeconds, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(hosts.prefix(host));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-Dheapspan.exchange.secret=" + secret,
                "-Dheapspan.exchange.timeout=" + timeoutSeconds,
                "-cp",
                JavaProcess.testClassPath(),
                ProcessRole.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(process);
        return process;
    }

    private Process server() throws IOException {
        Process process = start(
                SERVER,
                Eventually.MOST_SECONDS,
                "serve-at",
                Hosts.ADDRESSES.get(SERVER),
                "7077",
                folder.resolve("of-server").toString());
        assertThat(process.inputReader().readLine()).isEqualTo(SERVER_URL);
        return process;
    }

    /**
     * Starts a keeper. On a busy machine it may have to be started again.
     *
     * @param timeoutSeconds how long it waits for its server
     */
    private Process keeper(int timeoutSeconds) throws Exception {
        List<Process> started = new ArrayList<>();
        Eventually.holds("the keeper has joined the server", () -> {
            started.add(
                    0,
                    start(
                            OTHER,
                            timeoutSeconds,
                            "serve-at",
                            "0.0.0.0",
                            "7078",
                            folder.resolve("of-keeper").toString(),
                            SERVER_URL));
            return "heapspan://0.0.0.0:7078".equals(started.get(0).inputReader().readLine());
        });
        return started.get(0);
    }

    private final class Client {
        private final BufferedReader answers;
        private final BufferedWriter commands;

        Client(int host, String url, boolean sharesMemory) throws IOException {
            Process process = start(host, Eventually.MOST_SECONDS, "obey", url);
            answers = process.inputReader();
            commands = process.outputWriter();
            assertThat(answers.readLine()).isEqualTo("shares memory: " + sharesMemory);
        }

        String does(String command) throws IOException {
            commands.write(command + "\n");
            commands.flush();
            return answers.readLine();
        }
    }

    private static void kill(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private List<String> chunksOfKeeper() {
        List<String> found = new ArrayList<>();
        for (File of : folder.resolve("of-keeper").toFile().listFiles()) {
            for (String file : of.list()) {
                if (file.startsWith("chunk-")) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    @Test
    void aKeeperServesItsHostWhateverFails() throws Exception {
        Process server = server();
        Process keeper = keeper(LESS_THAN_LEASE_SECONDS);
        Client atServer = new Client(SERVER, SERVER_URL, true);
        Client first = new Client(OTHER, KEEPER_URL, true);
        Client second = new Client(OTHER, KEEPER_URL, true);

        // One transfer for all of the host.
        assertThat(atServer.does("put k " + MEGABYTES)).isEqualTo("1");
        long before = hosts.receivedBytes(OTHER);
        assertThat(first.does("get k")).isEqualTo("" + MEGABYTES);
        assertThat(second.does("get k")).isEqualTo("" + MEGABYTES);
        assertThat(second.does("open k")).isEqualTo("opened");
        assertThat(hosts.receivedBytes(OTHER) - before).isBetween((long) MEGABYTES, MEGABYTES + MEGABYTES / 5L);
        assertThat(second.does("put l " + MEGABYTES)).isEqualTo("1");
        assertThat(atServer.does("get l")).isEqualTo("" + MEGABYTES);

        // A cut network, for less than a lease.
        hosts.connect(false);
        assertThat(first.does("get k")).isEqualTo("UNREACHABLE");
        assertThat(second.does("read k")).isEqualTo("" + MEGABYTES);
        hosts.connect(true);
        Eventually.holds("the network is back", () -> first.does("get k").equals("" + MEGABYTES));

        // What is removed goes everywhere, when nobody uses it.
        assertThat(atServer.does("remove k")).isEqualTo("true");
        assertThat(first.does("get k")).isEqualTo("KEY_MISSING");
        assertThat(second.does("read k")).isEqualTo("" + MEGABYTES);
        assertThat(second.does("release k")).isEqualTo("released");
        assertThat(first.does("remove l")).isEqualTo("true");
        Eventually.holds("no copies", () -> chunksOfKeeper().isEmpty());

        assertThat(atServer.does("put m " + MEGABYTES)).isEqualTo("1");
        kill(keeper);
        assertThat(first.does("get m")).isEqualTo("UNREACHABLE");
        keeper(LESS_THAN_LEASE_SECONDS);
        assertThat(first.does("get m")).isEqualTo("" + MEGABYTES);

        kill(server);
        assertThat(first.does("get m")).isEqualTo("UNREACHABLE");
        server();
        Eventually.holds(
                "the keeper has joined again", () -> first.does("get m").equals("KEY_MISSING"));
        assertThat(first.does("put m 200")).isEqualTo("1");
        assertThat(atServer.does("get m")).isEqualTo("200");
    }

    @Test
    void aSlowNetworkThatLosesPacketsIsSurvived() throws Exception {
        try {
            hosts.disturb(SERVER, "20ms", "2%");
            hosts.disturb(OTHER, "20ms", "2%");
        } catch (Hosts.UnavailableException e) {
            throw new TestAbortedException("does not apply: " + e.getMessage(), e);
        }
        server();
        // Two packets of a new connection may be lost, each of which is sent again after seconds.
        keeper(Eventually.MOST_SECONDS);
        Client atServer = new Client(SERVER, SERVER_URL, true);
        Client client = new Client(OTHER, KEEPER_URL, true);
        for (int i = 0; i < 5; i++) {
            assertThat(atServer.does("put k" + i + " " + MEGABYTES)).isEqualTo("1");
            assertThat(client.does("get k" + i)).isEqualTo("" + MEGABYTES);
            assertThat(client.does("put l" + i + " " + MEGABYTES)).isEqualTo("1");
        }
    }
}
