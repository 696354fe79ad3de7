package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.Optional;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.streaming.Durations;
import org.apache.spark.streaming.StreamingContext;
import org.apache.spark.streaming.api.java.JavaPairDStream;
import org.apache.spark.streaming.api.java.JavaStreamingContext;
import org.apache.spark.streaming.receiver.Receiver;
import scala.Tuple2;

/**
 * Counts words that a receiver has, and dies before it has processed the last of them: {@code results folder}. Started again, it goes on with the state and
 * the received words that the first life left in files.
 */
@SuppressWarnings("deprecation") // DStreams are, and there are programs with them.
public final class StreamFilesApplication {
    private static final int MOST_SECONDS = 120;

    /** After so many batches the files of the first words are written. */
    private static final int BATCHES = 4;

    private StreamFilesApplication() {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        Path folder = Path.of(arguments[1]);
        String checkpoint = folder.resolve("checkpoint").toString();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            Executors.tellSerializers(context, results);
            JavaStreamingContext streaming;
            if (Files.exists(folder.resolve("first life"))) {
                streaming = new JavaStreamingContext(new StreamingContext(checkpoint, context.sc()));
            } else {
                streaming = new JavaStreamingContext(context, Durations.seconds(1));
                streaming.checkpoint(checkpoint);
                count(streaming, folder.toString());
            }
            streaming.start();
            results.put("counts", awaitText(folder.resolve("second life")));
            streaming.stop(false, false);
        }
        results.write(arguments[0]);
    }

    private static void count(JavaStreamingContext streaming, String folder) {
        JavaPairDStream<String, Integer> counts = streaming
                .receiverStream(new Words(folder))
                .mapToPair(word -> new Tuple2<>(word, 1))
                .updateStateByKey(
                        (List<Integer> more, Optional<Integer> before) -> Optional.of(before.orElse(0) + more.size()));
        counts.checkpoint(Durations.seconds(1));
        counts.foreachRDD(batch -> tell(batch, Path.of(folder)));
    }

    private static void tell(JavaPairRDD<String, Integer> batch, Path folder) throws IOException {
        Map<String, Integer> counts = new TreeMap<>(batch.collectAsMap());
        if (counts.containsKey("last")) {
            if (!Files.exists(folder.resolve("first life"))) {
                Files.writeString(folder.resolve("first life"), counts.toString());
                Runtime.getRuntime().halt(0);
            }
            Files.writeString(folder.resolve("being written"), counts.toString());
            Files.move(folder.resolve("being written"), folder.resolve("second life"));
        } else if (counts.containsKey("first")) {
            Files.writeString(folder.resolve("batch " + System.nanoTime()), "");
        }
    }

    private static String awaitText(Path file) throws IOException, InterruptedException {
        for (int i = 0; i < MOST_SECONDS * 10 && !Files.exists(file); i++) {
            Thread.sleep(100);
        }
        return Files.readString(file);
    }

    /** Has words in its first life only. */
    private static final class Words extends Receiver<String> {
        private static final long serialVersionUID = 1L;

        private final String folder;

        Words(String folder) {
            super(StorageLevel.MEMORY_ONLY_SER());
            this.folder = folder;
        }

        @Override
        public void onStart() {
            if (!Files.exists(Path.of(folder, "first life"))) {
                Thread thread = new Thread(this::receive, "words");
                thread.setDaemon(true);
                thread.start();
            }
        }

        private void receive() {
            try {
                store(List.of("first", "any", "any").iterator());
                while (batches() < BATCHES) {
                    Thread.sleep(100);
                }
                store(List.of("any", "last").iterator());
            } catch (IOException | InterruptedException e) {
                reportError("no words", e);
            }
        }

        private long batches() throws IOException {
            try (var files = Files.list(Path.of(folder))) {
                return files.filter(file -> file.getFileName().toString().startsWith("batch "))
                        .count();
            }
        }

        @Override
        public void onStop() {}
    }
}
