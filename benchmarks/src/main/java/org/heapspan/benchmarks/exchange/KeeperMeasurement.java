package org.heapspan.benchmarks.exchange;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.Folders;
import org.heapspan.testing.Hosts;

/**
 * Measures a client on another host than the server: with a connection to the server, and with a keeper on its own host. The hosts are network
 * namespaces where the system allows it, else one host.
 */
final class KeeperMeasurement {
    private static final int SERVER = 0;
    private static final int OTHER = 1;
    private static final int PORT = 17_077;
    private static final String LOOPBACK = "127.0.0.1";

    /** How the client reaches the objects. */
    enum Way {
        SERVER("server alone"),
        KEEPER("keeper");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** How long the object is, and how many are put in a round. */
    enum Size {
        SHORT(1 << 10, 200),
        LONG(8_000_000, 3);

        private final int sizeBytes;
        private final int count;

        Size(int sizeBytes, int count) {
            this.sizeBytes = sizeBytes;
            this.count = count;
        }

        int sizeBytes() {
            return sizeBytes;
        }

        int count() {
            return count;
        }

        String title() {
            return this == SHORT ? "1 KB" : "8 MB";
        }

        String measure(Call call) {
            return "other host, us: " + title() + ", " + call.title();
        }
    }

    /** What is timed. */
    enum Call {
        PUT("put"),
        FIRST_GET("get of what the server's host has put"),
        NEXT_GET("next get of the same"),
        REMOVE("remove");

        private final String title;

        Call(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    private final ExchangeFigures figures;
    private final int rounds;
    private final String secret;

    KeeperMeasurement(ExchangeFigures figures, int rounds, byte[] secret) {
        this.figures = figures;
        this.rounds = rounds;
        this.secret = HexFormat.of().formatHex(secret);
    }

    void run() throws IOException, InterruptedException {
        try (Hosts hosts = new Hosts()) {
            figures.run().software.add("The other host is a network namespace with a veth pair");
            run(hosts.prefix(SERVER), hosts.prefix(OTHER), Hosts.ADDRESSES.get(SERVER));
        } catch (Hosts.UnavailableException e) {
            figures.run().software.add("The other host is the same one: this system makes no network namespaces");
            run(List.of(), List.of(), LOOPBACK);
        }
    }

    private void run(List<String> near, List<String> far, String address) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "heapspan-bench");
        String serverUrl = "heapspan://" + address + ":" + PORT;
        String keeperUrl = "heapspan://" + LOOPBACK + ":" + (PORT + 1);
        List<Process> processes = new ArrayList<>();
        try {
            processes.add(start(near, "serve", folder, address, Integer.toString(PORT), ""));
            processes.add(start(far, "serve", folder, LOOPBACK, Integer.toString(PORT + 1), serverUrl));
            for (Way way : Way.values()) {
                measure(way, near, far, serverUrl, way == Way.SERVER ? serverUrl : keeperUrl);
            }
        } finally {
            for (Process process : processes) {
                ExchangeMeasurement.end(process);
            }
            Folders.delete(folder);
        }
    }

    private Process start(List<String> prefix, String role, Path folder, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(role, secret, folder.toString()));
        all.addAll(Arrays.asList(arguments));
        Process process = ExchangeMeasurement.start(prefix, KeeperRole.class, all);
        ExchangeMeasurement.line(process);
        return process;
    }

    private void measure(Way way, List<String> near, List<String> far, String serverUrl, String url)
            throws IOException, InterruptedException {
        Process putting = ExchangeMeasurement.start(near, KeeperRole.class, List.of("put", secret, serverUrl));
        Process calling = ExchangeMeasurement.start(
                far,
                KeeperRole.class,
                List.of("call", secret, url, Boolean.toString(way == Way.KEEPER), Integer.toString(rounds)));
        try (BufferedReader lines = calling.inputReader()) {
            for (Size size : Size.values()) {
                for (String line = lines.readLine(); !"measured".equals(line); line = lines.readLine()) {
                    if (line == null) {
                        throw new IOException("another JVM of the benchmark has failed; what it said is above");
                    }
                    // The client asks for objects, and goes on when they are there.
                    putting.outputWriter().append(line).append('\n').flush();
                    ExchangeMeasurement.line(putting);
                    calling.outputWriter().append("done\n").flush();
                }
                for (Call call : Call.values()) {
                    String[] values = String.valueOf(lines.readLine()).split(",", -1);
                    figures.add(
                            size.measure(call),
                            way.title(),
                            Arrays.stream(values)
                                    .mapToDouble(Double::parseDouble)
                                    .toArray());
                }
            }
        } finally {
            ExchangeMeasurement.end(calling);
            ExchangeMeasurement.end(putting);
        }
    }

    /** A line with one figure for each round. */
    static String line(double[] micros) {
        StringBuilder line = new StringBuilder();
        for (double each : micros) {
            line.append(line.isEmpty() ? "" : ",").append(String.format(Locale.ROOT, "%.3f", each));
        }
        return line.toString();
    }
}
