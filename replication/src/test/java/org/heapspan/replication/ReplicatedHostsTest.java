package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Hosts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** Two servers on one host and one on another, in network namespaces: the side with the majority goes on, and the other one says nothing wrong. */
@Tag("soak")
@Timeout(Eventually.TEST_SECONDS)
final class ReplicatedHostsTest {
    private static final List<Integer> HOST_OF_SERVER = List.of(0, 0, 1);
    private static final List<String> PLACES = List.of(
            Hosts.ADDRESSES.get(0) + ":7081", Hosts.ADDRESSES.get(0) + ":7082", Hosts.ADDRESSES.get(1) + ":7083");
    private static final String ALL = String.join(",", PLACES);

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();
    private Hosts hosts;
    private List<String> properties;

    @BeforeEach
    void begin() throws Exception {
        try {
            hosts = new Hosts();
        } catch (Hosts.UnavailableException e) {
            throw new TestAbortedException("does not apply: " + e.getMessage(), e);
        }
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef-hosts");
        properties = List.of("-Dheapspan.exchange.secret=" + secret);
        List<Process> servers = new ArrayList<>();
        for (int i = 0; i < PLACES.size(); i++) {
            int host = HOST_OF_SERVER.get(i);
            Process server = PeerProcess.start(
                    hosts.prefix(host),
                    properties,
                    Files.createDirectory(folder.resolve("peer-" + i)),
                    Hosts.ADDRESSES.get(host),
                    7081 + i,
                    ALL);
            servers.add(server);
            processes.add(server);
        }
        for (int i = 0; i < PLACES.size(); i++) {
            PeerProcess.await(servers.get(i), folder.resolve("peer-" + i));
        }
    }

    @AfterEach
    void end() throws Exception {
        for (Process each : processes) {
            each.destroyForcibly().waitFor();
        }
        if (hosts != null) {
            hosts.close();
        }
    }

    private final class Client {
        private final BufferedReader answers;
        private final BufferedWriter commands;

        Client(int host, String places) throws IOException {
            Process process = PeerProcess.startClient(hosts.prefix(host), properties, "heapspan://" + places);
            processes.add(process);
            answers = process.inputReader();
            commands = process.outputWriter();
        }

        String does(String command) throws IOException {
            commands.write(command + "\n");
            commands.flush();
            return answers.readLine();
        }

        /** A change whose answer is lost may have been made. */
        void sets(String command, String value) throws Exception {
            Eventually.holds("key k has value " + value, () -> {
                does(command + " k " + value);
                return value.equals(does("get k"));
            });
        }

        void seesAtLast(String value) throws Exception {
            Eventually.holds("key k has value " + value, () -> value.equals(does("get k")));
        }
    }

    @Test
    void onlyTheSideWithTheMajorityAnswers() throws Exception {
        Client near = new Client(0, ALL);
        Client far = new Client(1, ALL);
        Client farOnly = new Client(1, PLACES.get(2));
        near.sets("put", "0");
        for (int round = 1; round <= 4; round++) {
            far.seesAtLast(Integer.toString(round - 1));
            hosts.connect(false);
            near.sets("replace", Integer.toString(round));
            // If that server has led until now, it must not tell the former value.
            assertThat(farOnly.does("get k")).startsWith("failed: ");
            assertThat(far.does("put of-the-far-side/" + round + " x")).startsWith("failed: ");
            hosts.connect(true);
            far.seesAtLast(Integer.toString(round));
            if (round == 2) {
                // Messages that are late or lost change nothing but the time that it takes.
                disturb();
            }
        }
    }

    private void disturb() throws IOException, InterruptedException {
        try {
            hosts.disturb(1, "20ms", "2%");
        } catch (Hosts.UnavailableException e) {
            // The rest of the test does not need it.
            return;
        }
    }
}
