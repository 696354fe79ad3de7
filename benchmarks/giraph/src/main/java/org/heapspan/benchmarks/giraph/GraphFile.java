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
import java.util.zip.GZIPInputStream;
import org.tukaani.xz.XZInputStream;

/** Writes a graph as adjacency lists, as the programs read it. */
final class GraphFile {
    private static final String GENERATED = "generated-";

    private final boolean weighted;
    private final SplittableRandom random = new SplittableRandom(5);

    private GraphFile(boolean weighted) {
        this.weighted = weighted;
    }

    /**
     * Writes a graph.
     *
     * @param graph {@code cnr-2000}, {@code ego-Twitter}, or {@code generated-VERTICES-EDGES}, with so many edges of each vertex
     * @param data the folder of the data sets
     */
    static void write(String graph, boolean weighted, Path data, Path target) throws IOException {
        try (BufferedWriter lines = Files.newBufferedWriter(target)) {
            GraphFile file = new GraphFile(weighted);
            if (graph.startsWith(GENERATED)) {
                String[] sizes = graph.substring(GENERATED.length()).split("-", -1);
                file.generate(Integer.parseInt(sizes[0]), Integer.parseInt(sizes[1]), lines);
            } else {
                boolean directed = graph.equals("cnr-2000");
                try (InputStream packed = new BufferedInputStream(Files.newInputStream(
                                data.resolve(directed ? "cnr-2000.txt.xz" : "ego-Twitter-undirected.txt.gz")));
                        InputStream plain = directed ? new XZInputStream(packed) : new GZIPInputStream(packed)) {
                    file.convert(
                            new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8)), directed, lines);
                }
            }
        }
    }

    /** Targets are skewed: a quarter of the vertices has half of them. */
    private void generate(int vertices, int edges, BufferedWriter lines) throws IOException {
        for (int vertex = 0; vertex < vertices; vertex++) {
            StringBuilder line = new StringBuilder().append(vertex);
            for (int i = 0; i < edges; i++) {
                double draw = random.nextDouble();
                append(line, (int) (draw * draw * vertices));
            }
            lines.append(line).append('\n');
        }
    }

    private void convert(BufferedReader edges, boolean directed, BufferedWriter lines) throws IOException {
        List<StringBuilder> lists = new ArrayList<>();
        for (String edge = edges.readLine(); edge != null; edge = edges.readLine()) {
            int tab = edge.indexOf('\t');
            if (tab > 0) {
                int source = Integer.parseInt(edge, 0, tab, 10);
                int target = Integer.parseInt(edge, tab + 1, edge.length(), 10);
                append(list(lists, source), target);
                StringBuilder opposite = list(lists, target);
                if (!directed) {
                    append(opposite, source);
                }
            }
        }
        for (StringBuilder list : lists) {
            if (list != null) {
                lines.append(list).append('\n');
            }
        }
    }

    private static StringBuilder list(List<StringBuilder> lists, int vertex) {
        while (lists.size() <= vertex) {
            lists.add(null);
        }
        if (lists.get(vertex) == null) {
            lists.set(vertex, new StringBuilder().append(vertex));
        }
        return lists.get(vertex);
    }

    private void append(StringBuilder line, int target) {
        line.append(' ').append(target);
        if (weighted) {
            line.append(' ').append(1 + random.nextInt(100));
        }
    }
}
