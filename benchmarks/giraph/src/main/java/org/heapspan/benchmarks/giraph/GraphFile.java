package org.heapspan.benchmarks.giraph;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * A graph as adjacency lists, as the programs read it.
 *
 * @param path of the file
 * @param source the vertex with the most edges, from which paths begin
 * @param directed whether the opposite of an edge can be missing
 */
record GraphFile(Path path, long source, boolean directed) {
    private static final String WEB = "cnr-2000";
    private static final String SOCIAL = "ego-Twitter";
    private static final Pattern GENERATED = Pattern.compile("generated-([1-9]\\d{0,8})-([1-9]\\d{0,4})");
    private static final int MOST_WEIGHT = 100;

    /**
     * Does nothing if there is such a graph.
     *
     * @throws IllegalArgumentException if there is none; the message names all
     */
    static void check(String graph) {
        if (!graph.equals(WEB)
                && !graph.equals(SOCIAL)
                && !GENERATED.matcher(graph).matches()) {
            throw new IllegalArgumentException(
                    "no graph '" + graph + "'; there are: " + WEB + ", " + SOCIAL + ", generated-VERTICES-EDGES");
        }
    }

    /**
     * Writes a graph.
     *
     * @param graph {@code cnr-2000}, {@code ego-Twitter}, or {@code generated-VERTICES-EDGES}, with so many edges of each vertex
     * @param weighted whether a weight follows each neighbor
     * @param data the folder of the data sets
     */
    static GraphFile write(String graph, boolean weighted, Path data, Path target) throws IOException {
        Writer writer = new Writer(weighted);
        try (BufferedWriter lines = Files.newBufferedWriter(target)) {
            var sizes = GENERATED.matcher(graph);
            if (sizes.matches()) {
                writer.generate(Integer.parseInt(sizes.group(1)), Integer.parseInt(sizes.group(2)), lines);
                return new GraphFile(target, 0, true);
            }
            boolean directed = graph.equals(WEB);
            try (InputStream packed = new BufferedInputStream(Files.newInputStream(
                            data.resolve(directed ? "cnr-2000.txt.xz" : "ego-Twitter-undirected.txt.gz")));
                    InputStream plain = directed ? new XZInputStream(packed) : new GZIPInputStream(packed)) {
                long source = writer.convert(
                        new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8)), directed, lines);
                return new GraphFile(target, source, directed);
            }
        }
    }

    /** Edges that a vertex gets, as text. */
    private static final class Neighbors {
        final StringBuilder text;
        int count;

        Neighbors(int vertex) {
            text = new StringBuilder().append(vertex);
        }
    }

    private static final class Writer {
        private final boolean weighted;
        private final SplittableRandom random = new SplittableRandom(5);

        Writer(boolean weighted) {
            this.weighted = weighted;
        }

        /** Targets are skewed: a quarter of the vertices has half of them. */
        void generate(int vertices, int edges, BufferedWriter lines) throws IOException {
            for (int vertex = 0; vertex < vertices; vertex++) {
                Neighbors neighbors = new Neighbors(vertex);
                for (int i = 0; i < edges; i++) {
                    double draw = random.nextDouble();
                    add(neighbors, (int) (draw * draw * vertices));
                }
                lines.append(neighbors.text).append('\n');
            }
        }

        /** Of lines with two numbers; others are comments. Returns the vertex with the most edges. */
        long convert(BufferedReader edges, boolean directed, BufferedWriter lines) throws IOException {
            List<Neighbors> all = new ArrayList<>();
            for (String edge = edges.readLine(); edge != null; edge = edges.readLine()) {
                int tab = edge.indexOf('\t');
                if (tab > 0) {
                    int source = Integer.parseInt(edge, 0, tab, 10);
                    int target = Integer.parseInt(edge, tab + 1, edge.length(), 10);
                    add(of(all, source), target);
                    Neighbors opposite = of(all, target);
                    if (!directed) {
                        add(opposite, source);
                    }
                }
            }
            int first = -1;
            for (int vertex = 0; vertex < all.size(); vertex++) {
                Neighbors neighbors = all.get(vertex);
                if (neighbors != null) {
                    lines.append(neighbors.text).append('\n');
                    if (first < 0 || neighbors.count > all.get(first).count) {
                        first = vertex;
                    }
                }
            }
            return first;
        }

        private static Neighbors of(List<Neighbors> all, int vertex) {
            while (all.size() <= vertex) {
                all.add(null);
            }
            if (all.get(vertex) == null) {
                all.set(vertex, new Neighbors(vertex));
            }
            return all.get(vertex);
        }

        private void add(Neighbors neighbors, int target) {
            neighbors.count++;
            neighbors.text.append(' ').append(target);
            if (weighted) {
                neighbors.text.append(' ').append(1 + random.nextInt(MOST_WEIGHT));
            }
        }
    }
}
