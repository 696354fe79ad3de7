package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/** What an application found, by name: a line each in a file for whoever started it. */
final class Results {
    private final Map<String, String> lines = new TreeMap<>();

    void put(String name, Object value) {
        lines.put(name, String.valueOf(value).replace('\n', ' '));
    }

    /** Puts how many there are and a checksum of their texts, whatever their order. */
    void putAll(String name, Collection<?> values) {
        put(name, digest(values));
    }

    static String digest(Collection<?> values) {
        CRC32 checksum = new CRC32();
        values.stream().map(String::valueOf).sorted().forEach(text -> {
            checksum.update(text.getBytes(StandardCharsets.UTF_8));
            checksum.update('\n');
        });
        return values.size() + " " + Long.toHexString(checksum.getValue());
    }

    void write(String file) {
        try {
            Files.write(
                    Path.of(file),
                    lines.entrySet().stream()
                            .map(line -> line.getKey() + "=" + line.getValue())
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
