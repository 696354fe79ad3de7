package org.heapspan.benchmarks.data;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tukaani.xz.XZInputStream;

/**
 * Reads JSON files out of {@code json.tar.xz}, which lies in the folder named by the system property {@code heapspan.data}
 * or in {@code ../shared/data} next to the repository.
 */
final class JsonFiles {
    private static final String ARCHIVE = "json.tar.xz";
    private static final int BLOCK_BYTES = 512;
    private static final int NAME_BYTES = 100;
    private static final int SIZE_OFFSET = 124;
    private static final int SIZE_BYTES = 12;

    private JsonFiles() {}

    /** The parsed file of this name in the archive. */
    static JsonNode read(String name) {
        Path archive = folder().resolve(ARCHIVE);
        try {
            return new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS).readTree(extract(archive, name));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot read " + name + " from " + archive + "; docs/data.md says where it comes from", e);
        }
    }

    private static Path folder() {
        String configured = System.getProperty("heapspan.data");
        if (configured != null) {
            return Path.of(configured);
        }
        // Benchmarks start in the root of the repository or in a module of it.
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            Path data = folder.resolveSibling("shared").resolve("data");
            if (Files.exists(data.resolve(ARCHIVE))) {
                return data;
            }
        }
        throw new IllegalStateException(
                "no ../shared/data/" + ARCHIVE + " found from " + start + " upwards; set -Dheapspan.data=FOLDER");
    }

    private static byte[] extract(Path archive, String name) throws IOException {
        try (InputStream file = Files.newInputStream(archive);
                InputStream tar = new BufferedInputStream(new XZInputStream(file))) {
            byte[] header = new byte[BLOCK_BYTES];
            while (tar.readNBytes(header, 0, BLOCK_BYTES) == BLOCK_BYTES) {
                long sizeBytes = octal(header);
                if (name(header).equals(name)) {
                    return tar.readNBytes(Math.toIntExact(sizeBytes));
                }
                tar.skipNBytes((sizeBytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES);
            }
        }
        throw new EOFException("no such file in the archive");
    }

    private static String name(byte[] header) {
        return new String(header, 0, NAME_BYTES, StandardCharsets.US_ASCII).replace("\0", "");
    }

    private static long octal(byte[] header) {
        String digits = new String(header, SIZE_OFFSET, SIZE_BYTES, StandardCharsets.US_ASCII)
                .replace("\0", "")
                .trim();
        return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
    }
}
