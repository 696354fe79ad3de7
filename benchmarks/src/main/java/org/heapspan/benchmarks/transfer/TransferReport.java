package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.MachineNote;
import org.heapspan.benchmarks.Repository;

/**
 * The program behind {@code ./dev bench transfer}: one JVM sends objects to another, over loopback TCP and over a pipe, and each
 * serializer is measured on its latency, its throughput and the processor time that it takes on both sides together.
 */
public final class TransferReport {
    private static final String HELP = """
            Sends objects from one JVM to another, each serializer in JVMs of its own.

              --sets=SETS
              --carriers=CARRIERS
              --channels=tcp,pipe
              --elements=4,16,64,...,65536
              --jdk=25              its home is in JAVA25_HOME (JAVA17_HOME)
              --publish             also as docs/benchmarks-transfer.md

            The tables go to build/bench/transfer.md.
            """;

    /** The best of these is compared with Heapspan; the plain copy is no peer. */
    private static final List<String> RIVALS = List.of("fory-refs", "fory", "kryo-refs", "kryo", "jdk");

    private List<String> sets = TransferSet.NAMES;
    private List<String> carriers = Carrier.NAMES;
    private List<String> channels = List.of("tcp", "pipe");
    private List<String> elements = IntStream.rangeClosed(1, 8)
            .mapToObj(power -> Integer.toString(1 << 2 * power))
            .toList();
    private Jdk jdk = Jdk.named("25");
    private boolean publish;

    private record Figures(long sizeBytes, long latencyNanos, long nanos, long processorNanos) {}

    private TransferReport() {}

    /** Measures and prints tables; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        TransferReport report = new TransferReport();
        for (String argument : arguments) {
            if (!report.takes(argument)) {
                System.out.print(HELP.replace("SETS", String.join(",", TransferSet.NAMES))
                        .replace("CARRIERS", String.join(",", Carrier.NAMES)));
                System.exit(argument.equals("--help") ? 0 : 2);
            }
        }
        report.run();
    }

    private boolean takes(String argument) {
        int equals = argument.indexOf('=');
        List<String> values = equals < 0
                ? List.of()
                : Arrays.asList(argument.substring(equals + 1).split(",", -1));
        switch (equals < 0 ? argument : argument.substring(0, equals)) {
            case "--sets" -> sets = values;
            case "--carriers" -> carriers = values;
            case "--channels" -> channels = values;
            case "--elements" -> elements = values;
            case "--jdk" -> jdk = Jdk.named(values.get(0));
            case "--publish" -> publish = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    private void run() throws IOException, InterruptedException {
        StringBuilder text = new StringBuilder();
        for (String line : MachineNote.describe(List.of(jdk))) {
            text.append("* ").append(line).append('\n');
        }
        for (String channel : channels) {
            for (String set : sets) {
                String table = table(channel, set);
                System.out.println(table);
                text.append(table);
            }
        }
        Path target = Repository.root().resolve("build").resolve("bench").resolve("transfer.md");
        Files.createDirectories(target.getParent());
        Files.writeString(target, text);
        if (publish) {
            Files.writeString(
                    Repository.root().resolve("docs").resolve("benchmarks-transfer.md"),
                    Files.readString(target, StandardCharsets.UTF_8));
        }
    }

    private String table(String channel, String set) throws IOException, InterruptedException {
        Map<String, Map<String, Figures>> byCarrier = new LinkedHashMap<>();
        for (String carrier : carriers) {
            if (Carrier.carries(carrier, set)) {
                System.err.printf("%s, %s, %s%n", channel, set, carrier);
                byCarrier.put(carrier, measure(channel, set, carrier));
            }
        }
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                "%n### %s over %s%n%n| elements | serializer | bytes | latency, us | throughput: us a message | processor, us a message |%n",
                new TransferSet(set, 1).title(), channel.equals("tcp") ? "loopback TCP" : "a pipe"));
        text.append("|--:|---|--:|--:|--:|--:|\n");
        for (String count : elements) {
            for (Map.Entry<String, Map<String, Figures>> each : byCarrier.entrySet()) {
                Figures figures = each.getValue().get(count);
                if (figures != null) {
                    text.append(row(count, each.getKey(), figures, best(byCarrier, count)));
                }
            }
        }
        return text.toString();
    }

    /** The least of each figure among the rivals. */
    private static Figures best(Map<String, Map<String, Figures>> byCarrier, String count) {
        List<Figures> rivals = RIVALS.stream()
                .filter(byCarrier::containsKey)
                .map(each -> byCarrier.get(each).get(count))
                .filter(each -> each != null)
                .toList();
        return new Figures(
                0,
                rivals.stream().mapToLong(Figures::latencyNanos).min().orElse(0),
                rivals.stream().mapToLong(Figures::nanos).min().orElse(0),
                rivals.stream().mapToLong(Figures::processorNanos).min().orElse(0));
    }

    private static String row(String count, String carrier, Figures figures, Figures best) {
        boolean ours = carrier.startsWith("heapspan");
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,d | %s | %s | %s |%n",
                count,
                carrier,
                figures.sizeBytes,
                cell(figures.latencyNanos, best.latencyNanos, ours),
                cell(figures.nanos, best.nanos, ours),
                cell(figures.processorNanos, best.processorNanos, ours));
    }

    /** With the factor to the best rival, in bold where we lose. */
    private static String cell(long nanos, long best, boolean ours) {
        String value = String.format(Locale.ROOT, nanos < 100_000 ? "%.1f" : "%,.0f", nanos / 1e3);
        if (!ours || best == 0) {
            return value;
        }
        String factor = String.format(Locale.ROOT, "%.2fx", (double) best / nanos);
        return value + (best < nanos ? " (**" + factor + "**)" : " (" + factor + ")");
    }

    private Map<String, Figures> measure(String channel, String set, String carrier)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(jdk.home().resolve("bin").resolve("java").toString()));
        if (Integer.parseInt(jdk.name()) >= 24) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        String data = System.getProperty("heapspan.data");
        if (data != null) {
            command.add("-Dheapspan.data=" + data);
        }
        command.addAll(List.of("-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                TransferSender.class.getName(),
                carrier,
                set,
                channel,
                String.join(",", elements)));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            System.err.println(carrier + " failed on " + set + " over " + channel);
        }
        return output.lines()
                .map(line -> line.split(" ", -1))
                .filter(parts -> parts.length == 5)
                .collect(Collectors.toMap(
                        parts -> parts[0],
                        parts -> new Figures(
                                Long.parseLong(parts[1]),
                                Long.parseLong(parts[2]),
                                Long.parseLong(parts[3]),
                                Long.parseLong(parts[4]))));
    }
}
