package org.heapspan.benchmarks.secondheap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Files that have no names any more, but that this process has open; where there is {@code /proc}. */
final class OpenFiles {
    private static final long SEGMENT_BYTES = 1L << 30;

    private final List<Path> files;

    private OpenFiles(List<Path> files) {
        this.files = files;
    }

    /** Those whose names had this in them. */
    static OpenFiles named(String part) throws IOException {
        Path open = Path.of("/proc/" + ProcessHandle.current().pid() + "/fd");
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(open)) {
            try (Stream<Path> all = Files.list(open)) {
                for (Path file : all.toList()) {
                    if (Files.isSymbolicLink(file)
                            && Files.readSymbolicLink(file).toString().contains(part)) {
                        files.add(file);
                    }
                }
            }
        }
        return new OpenFiles(files);
    }

    boolean isEmpty() {
        return files.isEmpty();
    }

    /** Takes them out of the page cache, as far as nothing has been read through a mapping. */
    void forget() throws IOException, InterruptedException {
        run("sync");
        for (Path file : files) {
            run("dd", "if=" + file, "iflag=nocache", "count=0");
        }
    }

    /** Reads what was written first, with {@code dd}; how many nanoseconds that takes. */
    long read(long bytes) throws IOException, InterruptedException {
        long start = System.nanoTime();
        long left = bytes;
        for (Path file : files) {
            long of = Math.min(left, SEGMENT_BYTES);
            run("dd", "if=" + file, "of=/dev/null", "bs=1M", "count=" + (of >> 20));
            left -= of;
        }
        return System.nanoTime() - start;
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " failed");
        }
    }
}
