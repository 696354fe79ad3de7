package org.heapspan.benchmarks.spark;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** Stands for the data of the demo where they are missing: as large, of the same form, by random numbers, the same each time. */
final class MadeUpData {
    private static final long SEED = 20231;
    private static final int LINES = 985_000;
    private static final int WORDS_OF_LINE = 14;
    private static final int VOCABULARY = 40_000;
    private static final int EVENTS = 300;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final String[] words = new String[VOCABULARY];

    private MadeUpData() {
        for (int i = 0; i < words.length; i++) {
            StringBuilder word = new StringBuilder();
            // The number in letters, of which frequent words have few.
            for (int rest = i + 26; rest > 0; rest /= 26) {
                word.append((char) ('a' + rest % 26));
            }
            words[i] = word.toString();
        }
    }

    /** Writes what is not there yet. */
    static void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        MadeUpData data = new MadeUpData();
        put(folder.resolve(UnpackedData.NOVELS), data::novels);
        put(folder.resolve(UnpackedData.EVENTS), data::events);
    }

    private interface Text {
        void writeTo(BufferedWriter out) throws IOException;
    }

    private static void put(Path target, Text text) throws IOException {
        UnpackedData.put(target, incomplete -> {
            try (BufferedWriter out = Files.newBufferedWriter(incomplete)) {
                text.writeTo(out);
            }
        });
    }

    private void novels(BufferedWriter out) throws IOException {
        for (int i = 0; i < LINES; i++) {
            out.append(text(WORDS_OF_LINE)).append(".\n");
        }
    }

    /** The n-th word is about 1/n times as frequent as the first, as in a language. */
    private String word() {
        return words[(int) Math.pow(VOCABULARY, random.nextDouble()) - 1];
    }

    private String text(int count) {
        StringBuilder text = new StringBuilder(word());
        for (int i = 1; i < count; i++) {
            text.append(' ').append(word());
        }
        return text.toString();
    }

    private void events(BufferedWriter out) throws IOException {
        out.append("[{\"name\": \"events\", \"examples\": [");
        for (int i = 0; i < EVENTS; i++) {
            out.append(i == 0 ? "" : ",\n")
                    .append("{\"action\": \"opened\", \"sender\": ")
                    .append(user());
            out.append(", \"repository\": {\"id\": ")
                    .append(number())
                    .append(", \"full_name\": \"")
                    .append(text(2));
            out.append("\", \"stargazers_count\": ").append(number()).append(", \"language\": \"Java\"}, ");
            out.append(i % 3 == 0 ? push() : issue(i % 3 == 1 ? "issue" : "pull_request"))
                    .append("}");
        }
        out.append("]}]\n");
    }

    private String number() {
        return String.valueOf(random.nextInt(1_000_000));
    }

    private String user() {
        return "{\"login\": \"" + word() + number() + "\", \"id\": " + number() + ", \"type\": \"User\"}";
    }

    private String issue(String kind) {
        return "\"" + kind + "\": {\"id\": " + number() + ", \"number\": " + number() + ", \"title\": \"" + text(8)
                + "\", \"user\": " + user() + ", \"labels\": [{\"id\": " + number() + ", \"name\": \"" + word()
                + "\", \"color\": \"" + number()
                + "\"}], \"state\": \"open\", \"created_at\": \"2024-05-15T15:20:18Z\","
                + " \"updated_at\": \"2024-05-16T15:20:18Z\", \"head\": {\"label\": \"" + word()
                + "\", \"ref\": \"changes\", \"sha\": \"" + number() + "\"}}, \"comment\": {\"id\": " + number()
                + ", \"user\": " + user() + ", \"body\": \"" + text(20)
                + "\", \"created_at\": \"2024-05-15T15:20:18Z\"}";
    }

    private String push() {
        return "\"ref\": \"refs/heads/main\", \"before\": \"" + number() + "\", \"after\": \"" + number()
                + "\", \"commits\": [{\"id\": \"" + number() + "\", \"message\": \"" + text(12)
                + "\", \"timestamp\": \"2024-05-15T15:20:18Z\", \"author\": {\"name\": \"" + text(2)
                + "\"}, \"added\": [\"" + word() + ".java\"], \"modified\": [\"" + word() + ".java\"]}]";
    }
}
