package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.heapspan.exchange.metadata.Chunks;

/** A keeper where the system allows no file as long as a chunk. Counts the attempts to make one, and what is left of them. */
final class LimitedFiles {
    private static final int CHUNK = 64 << 20;
    private static final int ATTEMPTS = 20;

    private LimitedFiles() {}

    public static void main(String[] arguments) throws IOException {
        int failures = 0;
        try (Keeper keeper = new Keeper(Path.of(arguments[0]), new byte[16], new Chunks(CHUNK), null)) {
            for (long chunk = 1; chunk <= ATTEMPTS; chunk++) {
                try {
                    keeper.prepare(chunk * CHUNK, 1);
                } catch (IOException e) {
                    failures++;
                }
            }
            System.out.println("failures=" + failures);
            System.out.println("open=" + openChunks());
            System.out.println("files=" + chunks(keeper.folder()));
        }
    }

    private static long openChunks() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(each -> target(each).contains("/" + ChunkFolder.CHUNK_PREFIX))
                    .count();
        }
    }

    private static long chunks(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.getFileName().toString().startsWith(ChunkFolder.CHUNK_PREFIX))
                    .count();
        }
    }

    /** Empty if it was closed meanwhile. */
    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
