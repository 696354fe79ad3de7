package org.heapspan.benchmarks.flink;

import java.io.IOException;
import java.util.List;
import org.apache.flink.FlinkVersion;
import org.heapspan.benchmarks.Arguments;
import org.heapspan.benchmarks.FlinkFigures;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.Publication;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.RunNote;

/** The program behind {@code ./dev bench flink}: compares Heapspan's serializer with those of Flink, one record at a time. */
public final class SerializerReport {
    private static final String HELP = """
            Compares serializers for Flink, one record at a time, each in JVMs of its own. Writes build/bench/flink.json and flink.md.

              --jdk=25              its home is in JAVA25_HOME (JAVA17_HOME)
              --gc=G1               collector
              --forks=3             JVMs for each figure
              --render              measure nothing, only write the table anew
              --publish             copy table and figures to docs/
            """;

    private static final Publication PUBLICATION = FlinkFigures.PUBLICATION;

    private String jdkName = "25";
    private String collector = "G1";
    private int forks = 3;
    private final PublishOptions output = new PublishOptions();

    private SerializerReport() {}

    /** Measures and prints a table; the arguments are those of {@code --help}. */
    public static void main(String[] arguments) throws Exception {
        SerializerReport report = new SerializerReport();
        Arguments.read(arguments, HELP, report::takes);
        report.output.run(PUBLICATION, () -> report.measure(arguments));
    }

    private boolean takes(String name, String value) {
        switch (name) {
            case "--jdk" -> jdkName = value;
            case "--gc" -> collector = value;
            case "--forks" -> forks = Integer.parseInt(value);
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    private FlinkFigures measure(String[] arguments) throws IOException, InterruptedException {
        Jdk jdk = Jdk.named(jdkName);
        // A run takes about as much memory as the heap has: without the touch its figures are those of page faults.
        List<String> options = List.of(
                "-Xms1g",
                "-Xmx1g",
                "-XX:+AlwaysPreTouch",
                "-XX:+Use" + collector + "GC",
                "--add-opens=java.base/java.util=ALL-UNNAMED");
        FlinkFigures figures = new FlinkFigures();
        figures.run = RunNote.begin("flink", arguments, List.of(jdk));
        figures.run.software.add("Flink " + FlinkVersion.current());
        figures.run.software.add("JVM options: " + String.join(" ", options));
        for (int fork = 1; fork <= forks; fork++) {
            for (RecordKind kind : RecordKind.values()) {
                for (Peer peer : Peer.values()) {
                    if (peer.takes(kind.type())) {
                        figures.add(
                                kind.title(),
                                peer.title(),
                                jdk.run(options, SerializerRun.class, kind.name(), peer.name())
                                        .strip());
                        System.out.printf("[%d/%d] %s, %s%n", fork, forks, kind.title(), peer.title());
                    }
                }
            }
        }
        figures.run.end();
        return figures;
    }
}
