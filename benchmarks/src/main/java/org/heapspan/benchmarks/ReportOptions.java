package org.heapspan.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peers;

/** What {@link CodecReport} shall do. */
record ReportOptions(
        List<String> sets,
        List<String> peers,
        List<Call> calls,
        List<Jdk> jdks,
        List<String> collectors,
        int forks,
        int closeForks,
        int warmUpIterations,
        int iterations,
        int iterationMillis,
        boolean add,
        boolean render,
        boolean publish) {
    private static final int QUICK_FORKS = 1;
    private static final int DEFAULT_FORKS = 3;
    private static final int DEFAULT_CLOSE_FORKS = 5;

    /**
     * Reads the command line.
     *
     * @throws IllegalArgumentException if an option, a data set, a peer or a JDK does not exist; the message says which
     */
    static ReportOptions parse(String[] arguments) {
        List<String> sets = DataSets.all().stream().map(DataSet::name).toList();
        List<String> peers = Peers.names();
        List<Call> calls = List.of(Call.values());
        List<String> jdkNames = List.of("25");
        List<String> collectors = List.of("G1");
        boolean quick = false;
        int forks = 0;
        int closeForks = DEFAULT_CLOSE_FORKS;
        boolean add = false;
        boolean render = false;
        boolean publish = false;
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String option = equals < 0 ? argument : argument.substring(0, equals);
            List<String> values = equals < 0
                    ? List.of()
                    : List.of(argument.substring(equals + 1).split(",", -1));
            switch (option) {
                case "--sets" -> sets = values;
                case "--peers" -> peers = values;
                case "--calls" ->
                    calls = values.stream()
                            .map(value -> Call.valueOf(value.toUpperCase(Locale.ROOT)))
                            .toList();
                case "--jdk" -> jdkNames = values;
                case "--gc" -> collectors = values;
                case "--quick" -> quick = true;
                case "--forks" -> forks = Integer.parseInt(String.join("", values));
                case "--closeForks" -> closeForks = Integer.parseInt(String.join("", values));
                case "--add" -> add = true;
                case "--render" -> render = true;
                case "--publish" -> publish = true;
                default -> throw new IllegalArgumentException("no option '" + argument + "'");
            }
        }
        sets.forEach(DataSets::named);
        peers.forEach(Peers::family);
        List<Jdk> jdks = new ArrayList<>();
        if (!render) {
            jdkNames.forEach(name -> jdks.add(Jdk.named(name)));
        }
        if (forks == 0) {
            forks = quick ? QUICK_FORKS : DEFAULT_FORKS;
        }
        return new ReportOptions(
                sets,
                peers,
                calls,
                jdks,
                collectors,
                forks,
                closeForks,
                quick ? 4 : 6,
                quick ? 5 : 6,
                quick ? 250 : 500,
                add,
                render,
                publish);
    }

    /** The same for all peers. The heap is touched before the start, so that no iteration pays for new pages. */
    List<String> jvmArguments(String collector) {
        List<String> jvmArguments =
                new ArrayList<>(List.of("-Xms4g", "-Xmx4g", "-XX:+AlwaysPreTouch", "-XX:+Use" + collector + "GC"));
        String data = System.getProperty("heapspan.data");
        if (data != null) {
            jvmArguments.add("-Dheapspan.data=" + data);
        }
        return jvmArguments;
    }
}
