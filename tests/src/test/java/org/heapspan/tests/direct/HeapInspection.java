package org.heapspan.tests.direct;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * What {@code jcmd} does to a JVM, from within it: histograms of classes with and without what is garbage, and heap dumps, in which
 * every reference and every graph is looked at.
 */
final class HeapInspection {
    private static final int HISTOGRAMS_PER_DUMP = 6;
    private static final String NODE = StressGraph.Node.class.getName();
    private static final String BRANCH = StressGraph.Branch.class.getName();

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final HotSpotDiagnosticMXBean diagnostics =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    /** One that is there from the beginning to the end. */
    private final StressGraph resident;

    private long histograms;
    private long dumps;
    private long objects;
    private long graphs;

    HeapInspection(StressGraph resident) {
        this.resident = resident;
    }

    void run(BooleanSupplier finished) {
        Path directory = null;
        try {
            directory = Files.createTempDirectory("heapspan-dumps");
            ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
            for (int i = 0; dumps == 0 || !finished.getAsBoolean(); i++) {
                String histogram =
                        command(commands, "gcClassHistogram", i % 2 == 0 ? new String[0] : new String[] {"-all"});
                if (!histogram.contains(NODE)) {
                    throw new AssertionError("no nodes in the histogram:\n"
                            + histogram.lines().limit(50).toList());
                }
                histograms++;
                if (i % HISTOGRAMS_PER_DUMP == 0) {
                    Path file = directory.resolve("dump-" + i + ".hprof");
                    diagnostics.dumpHeap(file.toString(), true);
                    check(new HeapDump(file));
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (JMException e) {
            throw new AssertionError("this JVM has no diagnostic commands", e);
        } finally {
            delete(directory);
        }
        Reference.reachabilityFence(resident);
        System.out.println("histograms=" + histograms);
        System.out.println("dumps=" + dumps);
        System.out.println("dumpedObjects=" + objects);
        System.out.println("dumpedGraphs=" + graphs);
    }

    private String command(ObjectName commands, String name, String... arguments) throws JMException {
        return (String)
                server.invoke(commands, name, new Object[] {arguments}, new String[] {String[].class.getName()});
    }

    private void check(HeapDump dump) {
        long before = graphs;
        dump.walk(id -> {
            if (dump.classOf(id).equals(StressGraph.class.getName())) {
                checkGraph(dump, id);
                graphs++;
            }
        });
        if (graphs == before) {
            throw new AssertionError("no graphs in a dump of " + dump.objectCount() + " objects");
        }
        objects += dump.objectCount();
        dumps++;
    }

    private static void checkGraph(HeapDump dump, long graph) {
        long count = dump.field(graph, "count");
        long array = dump.field(graph, "nodes");
        // A graph that is being read by the portable engine, or made.
        if (array == 0) {
            return;
        }
        long[] nodes = dump.elements(array);
        if (nodes.length != count) {
            throw new AssertionError("a graph of " + count + " nodes has " + nodes.length + " in the dump");
        }
        for (int i = 0; i < nodes.length; i++) {
            if (nodes[i] == 0) {
                return;
            }
            String type = dump.classOf(nodes[i]);
            long number = type.equals(NODE) || type.equals(BRANCH) ? dump.field(nodes[i], "number") : -1;
            // 0: not filled yet.
            if (number != i && number != 0) {
                throw new AssertionError("element " + i + " of a graph's nodes is number " + number + " of " + type);
            }
        }
    }

    private static void delete(Path directory) {
        if (directory == null) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
