package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.heapspan.testing.Hosts;

/** Measures what a client gets from a server on another host, beside the same bytes of a file through a bare connection. Hosts are network namespaces. */
final class NetworkMeasurement {
    private static final int SERVER = 0;
    private static final int CLIENT = 1;
    private static final int PORT = 17_177;

    /** What is timed, in this order. */
    enum Way {
        BARE("bare `sendfile`"),
        COPY("`copyImage`"),
        DOUBLES("`get`, doubles"),
        TREEMAP("`get`, one TreeMap of 64 MB"),
        COPY_WITH_SECRET("`copyImage`, with a secret"),
        DOUBLES_WITH_SECRET("`get`, doubles, with a secret"),
        LOCAL_DOUBLES("local decode, doubles"),
        LOCAL_TREEMAP("local decode, one TreeMap of 64 MB");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** How fast the cable is. */
    enum Cable {
        UNLIMITED("no limit", ""),
        TEN_GIGABIT("10 Gbit/s", "10gbit"),
        ONE_GIGABIT("1 Gbit/s", "1gbit");

        private final String title;
        private final String rate;

        Cable(String title, String rate) {
            this.title = title;
            this.rate = rate;
        }

        String title() {
            return title;
        }

        String measure() {
            return "network, GB/s: " + title;
        }
    }

    private final ExchangeFigures figures;
    private final int rounds;
    private final String secret;

    NetworkMeasurement(ExchangeFigures figures, int rounds, byte[] secret) {
        this.figures = figures;
        this.rounds = rounds;
        this.secret = HexFormat.of().formatHex(secret);
    }

    void run() throws IOException, InterruptedException {
        for (Cable cable : Cable.values()) {
            try (Hosts hosts = new Hosts()) {
                if (!cable.rate.isEmpty()) {
                    hosts.limit(SERVER, cable.rate);
                }
                measure(cable, hosts);
            } catch (Hosts.UnavailableException e) {
                figures.run().software.add("No figures between hosts, " + cable.title + ": " + e.getMessage());
            }
        }
    }

    private void measure(Cable cable, Hosts hosts) throws IOException, InterruptedException {
        String address = Hosts.ADDRESSES.get(SERVER);
        Path file = Files.createTempFile(Path.of("/dev/shm"), "heapspan-bench", ".bytes");
        List<Process> processes = new ArrayList<>();
        try {
            Files.write(file, new byte[ExchangeMeasurement.LINK_BYTES]);
            processes.add(start(hosts, SERVER, "send", address, Integer.toString(PORT), file.toString()));
            processes.add(start(hosts, SERVER, "serve", address, Integer.toString(PORT + 1), ""));
            processes.add(start(hosts, SERVER, "serve", address, Integer.toString(PORT + 2), secret));
            for (Process each : processes) {
                ExchangeMeasurement.line(each);
            }
            Process client =
                    start(hosts, CLIENT, "get", address, Integer.toString(PORT), secret, Integer.toString(rounds));
            processes.add(client);
            for (Way way : Way.values()) {
                figures.add(
                        cable.measure(),
                        way.title(),
                        Arrays.stream(ExchangeMeasurement.line(client).split(",", -1))
                                .mapToDouble(Double::parseDouble)
                                .toArray());
            }
        } finally {
            for (Process each : processes) {
                ExchangeMeasurement.end(each);
            }
            Files.delete(file);
        }
    }

    private static Process start(Hosts hosts, int host, String... arguments) throws IOException {
        return ExchangeMeasurement.start(hosts.prefix(host), NetworkRole.class, List.of(arguments));
    }
}
