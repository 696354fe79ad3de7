package org.heapspan.benchmarks.spark;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** The data as plain files, which several executors can read in parts; unpacked once. */
final class UnpackedData {
    static final String EVENTS = "octokit-webhooks.json";
    static final String NOVELS = "english-novels-100.txt";
    static final String WIKIPEDIA = "wiki-Vote.txt";
    private static final Map<String, String> FILES = Map.of(
            NOVELS,
            "english-novels-100.txt.xz",
            "cnr-2000.txt",
            "cnr-2000.txt.xz",
            "ego-Twitter-undirected.txt",
            "ego-Twitter-undirected.txt.gz",
            WIKIPEDIA,
            "wiki-Vote.txt.gz",
            "kddcup.data_10_percent",
            "kddcup.data_10_percent.gz",
            "polblogs.graph",
            "polblogs.graph.gz",
            "flights-3m.parquet",
            "flights-3m.parquet",
            EVENTS,
            "json.tar.xz");

    private UnpackedData() {}

    /** All that the jobs read. */
    static Set<String> names() {
        return FILES.keySet();
    }

    /** Whether a folder has all that some plain files are unpacked from. */
    static boolean canUnpack(Path packed, Collection<String> names) {
        return names.stream().allMatch(name -> Files.isReadable(packed.resolve(FILES.get(name))));
    }

    /**
     * Unpacks what is not there yet.
     *
     * @param packed folder with the data as it is handed out
     * @param unpacked folder for plain files
     * @param names of plain files
     * @throws IOException if a packed file is missing or damaged
     */
    static void unpack(Path packed, Path unpacked, Collection<String> names) throws IOException {
        for (String name : names) {
            unpackTimes(packed, unpacked, name, 1);
        }
    }

    /** Unpacks a plain file, so many times one after the other, if it is not there yet. */
    static void unpackTimes(Path packed, Path unpacked, String name, int factor) throws IOException {
        Files.createDirectories(unpacked);
        Path source = packed.resolve(FILES.get(name));
        put(unpacked.resolve(name), target -> {
            if (!Files.isReadable(source)) {
                throw new IOException("no " + source + "; set HEAPSPAN_DATA to the folder of the data (docs/data.md)");
            }
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(target))) {
                for (int i = 0; i < factor; i++) {
                    try (InputStream in = open(source)) {
                        in.transferTo(out);
                    }
                }
            }
        });
    }

    /**
     * Unpacks a graph, so many times in one file, if it is not there yet: an edge a line. No edge connects two of the copies. The vertices of
     * a copy have the numbers behind those of the copy before.
     */
    static void unpackCopies(Path packed, Path unpacked, String name, int copies) throws IOException {
        Path one = unpacked.resolve("one");
        unpackTimes(packed, one, name, 1);
        put(unpacked.resolve(name), target -> copy(one.resolve(name), target, copies));
    }

    /** Of the lines of the original, one that begins with # is none of an edge. */
    static void copy(Path original, Path target, int copies) throws IOException {
        int[][] edges;
        try (Stream<String> lines = Files.lines(original)) {
            edges = lines.filter(line -> !line.startsWith("#"))
                    .map(line -> Stream.of(line.split("\\s+", -1))
                            .mapToInt(Integer::parseInt)
                            .toArray())
                    .toArray(int[][]::new);
        }
        int vertices = 1 + Stream.of(edges).flatMapToInt(IntStream::of).max().orElse(0);
        try (BufferedWriter out = Files.newBufferedWriter(target)) {
            for (int i = 0; i < copies; i++) {
                int first = Math.multiplyExact(i, vertices);
                for (int[] edge : edges) {
                    out.append(Math.addExact(first, edge[0]) + "\t" + Math.addExact(first, edge[1]) + "\n");
                }
            }
        }
    }

    /** Writes a file. */
    @FunctionalInterface
    interface Content {
        void writeTo(Path target) throws IOException;
    }

    /** Writes a file if it does not exist yet. It gets its name when it is complete. */
    static void put(Path target, Content content) throws IOException {
        if (Files.exists(target)) {
            return;
        }
        Path incomplete = target.resolveSibling(target.getFileName() + ".incomplete");
        content.writeTo(incomplete);
        Files.move(incomplete, target, StandardCopyOption.ATOMIC_MOVE);
    }

    private static InputStream open(Path source) throws IOException {
        InputStream file = new BufferedInputStream(Files.newInputStream(source));
        if (source.toString().endsWith(".gz")) {
            return new GZIPInputStream(file);
        }
        if (!source.toString().endsWith(".xz")) {
            return file;
        }
        InputStream plain = new XZInputStream(file);
        if (!source.toString().endsWith(".tar.xz")) {
            return plain;
        }
        TarArchiveInputStream archive = new TarArchiveInputStream(plain);
        for (TarArchiveEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
            if (entry.getName().endsWith("/" + EVENTS)) {
                return archive;
            }
        }
        archive.close();
        throw new IOException("no " + EVENTS + " in " + source);
    }
}
