package org.heapspan.benchmarks.spark;

import java.util.Locale;

/** A job that there is twice; its workload is {@code twin-} and its option's name. */
enum NativeJob implements Choice {
    WORDS("word_count", UnpackedData.NOVELS),
    RANKS("page_rank", "cnr-2000.txt");

    private final String program;
    private final String data;

    NativeJob(String program, String data) {
        this.program = program;
        this.data = data;
    }

    /** The source in {@code examples/native}, without {@code .cpp}. */
    String program() {
        return program;
    }

    /** The plain file that it reads. */
    String data() {
        return data;
    }

    String workload() {
        return "twin-" + name().toLowerCase(Locale.ROOT);
    }
}
