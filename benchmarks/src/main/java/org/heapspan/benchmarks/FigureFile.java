package org.heapspan.benchmarks;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Figures in files, by the fields of their classes. */
public final class FigureFile {
    private static final ObjectMapper MAPPER = new ObjectMapper()
            .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
            .setVisibility(PropertyAccessor.FIELD, Visibility.ANY)
            .enable(SerializationFeature.INDENT_OUTPUT);

    private FigureFile() {}

    /**
     * Reads a file.
     *
     * @throws IOException if there is none, or it does not hold what the type says
     */
    public static <T> T read(Path json, Class<T> type) throws IOException {
        return MAPPER.readValue(json.toFile(), type);
    }

    /**
     * Reads the figures of a benchmark.
     *
     * @param benchmark its name for {@code ./dev bench}
     * @throws IOException as {@link #read(Path, Class)}; the message says how to measure figures if there are none
     */
    public static <T> T read(Path json, Class<T> type, String benchmark) throws IOException {
        if (!Files.exists(json)) {
            throw new IOException("no figures in " + json + "; './dev bench " + benchmark + "' measures them");
        }
        return read(json, type);
    }

    /**
     * Writes a file, and makes its folder if there is none.
     *
     * @throws IOException if that is not possible
     */
    public static void write(Path json, Object figures) throws IOException {
        Files.createDirectories(json.toAbsolutePath().getParent());
        MAPPER.writeValue(json.toFile(), figures);
    }
}
