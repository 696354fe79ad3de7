package org.heapspan.giraph;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** The graphs and outputs that the authors of LDBC Graphalytics publish to validate an implementation. */
final class ValidationGraphs {
    static final Path ARCHIVE =
            Path.of(System.getProperty("heapspan.data"), "ldbc-graphalytics-validation-graphs.tar.gz");

    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final int BLOCK_BYTES = 512;

    private final Map<String, String> files = new TreeMap<>();

    ValidationGraphs() throws IOException {
        try (InputStream archive = new GZIPInputStream(new BufferedInputStream(Files.newInputStream(ARCHIVE)))) {
            for (byte[] header = archive.readNBytes(BLOCK_BYTES);
                    header.length == BLOCK_BYTES && header[0] != 0;
                    header = archive.readNBytes(BLOCK_BYTES)) {
                String name = text(header, 0, 100);
                int length = Integer.parseInt(text(header, 124, 11).strip(), 8);
                byte[] content = archive.readNBytes(length);
                archive.skipNBytes((BLOCK_BYTES - length % BLOCK_BYTES) % BLOCK_BYTES);
                files.put(
                        name.substring(name.indexOf("validation-graphs/") + "validation-graphs/".length()),
                        new String(content, StandardCharsets.UTF_8));
            }
        }
    }

    private static String text(byte[] header, int offset, int length) {
        String padded = new String(header, offset, length, StandardCharsets.ISO_8859_1);
        int end = padded.indexOf(0);
        return end < 0 ? padded : padded.substring(0, end);
    }

    private List<String[]> words(String file) {
        return files.get(file)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .map(line -> BLANKS.split(line, -1))
                .toList();
    }

    /** Adjacency lists, one for each vertex. */
    List<String> lists(String algorithm, String kind) {
        Map<String, StringBuilder> lists = new TreeMap<>();
        if (algorithm.equals("sssp")) {
            words("sssp/" + kind + "-input.v").forEach(words -> listOf(lists, words[0]));
            for (String[] words : words("sssp/" + kind + "-input.e")) {
                listOf(lists, words[0]).append(' ').append(words[1]).append(' ').append(words[2]);
                listOf(lists, words[1]);
                if (kind.equals("undir")) {
                    listOf(lists, words[1])
                            .append(' ')
                            .append(words[0])
                            .append(' ')
                            .append(words[2]);
                }
            }
        } else {
            for (String[] words : words(algorithm + "/" + kind + "-input")) {
                for (int i = 1; i < words.length; i++) {
                    listOf(lists, words[0]).append(' ').append(words[i]);
                    listOf(lists, words[i]);
                }
                listOf(lists, words[0]);
            }
        }
        List<String> lines = new ArrayList<>();
        lists.values().forEach(list -> lines.add(list.toString()));
        return lines;
    }

    private static StringBuilder listOf(Map<String, StringBuilder> lists, String vertex) {
        return lists.computeIfAbsent(vertex, name -> new StringBuilder().append(name));
    }

    /** What vertices should have as value. */
    Map<Long, String> expected(String algorithm, String kind) {
        Map<Long, String> values = new TreeMap<>();
        for (String[] words : words(algorithm + "/" + kind + "-output")) {
            values.put(Long.parseLong(words[0]), words[1]);
        }
        return values;
    }
}
