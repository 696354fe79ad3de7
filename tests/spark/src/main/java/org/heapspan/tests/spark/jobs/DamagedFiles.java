package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** Jobs whose shuffle files are damaged between the stage that writes and the stage that reads them. */
final class DamagedFiles {
    private static final Pattern DATA_FILE = Pattern.compile("shuffle_(\\d+)_\\d+_0\\.data");

    private final JavaSparkContext context;
    private final Path localFolder;

    DamagedFiles(JavaSparkContext context, Path localFolder) {
        this.context = context;
        this.localFolder = localFolder;
    }

    private interface Damage {
        void on(RandomAccessFile file) throws IOException;
    }

    String flipped() {
        return outcome(file -> {
            long middle = file.length() / 2;
            file.seek(middle);
            int before = file.read();
            file.seek(middle);
            file.write(before ^ 0x10);
        });
    }

    String cutOff() {
        return outcome(file -> file.setLength(file.length() * 2 / 3));
    }

    private String outcome(Damage damage) {
        var grouped = FaultyJob.grouped(new FaultyJob(context).events());
        JavaRDD<String> digests = FaultyJob.digests(grouped);
        // Writes the files, which the next job finds.
        grouped.count();
        for (Path file : files()) {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                damage.on(open);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return FaultyJob.outcome(digests::collect);
    }

    /** One file of those of the latest shuffle. */
    private List<Path> files() {
        try {
            List<Path> data = LocalFiles.below(localFolder).stream()
                    .filter(file -> shuffle(file) >= 0)
                    .toList();
            int latest = data.stream().mapToInt(DamagedFiles::shuffle).max().orElseThrow();
            return data.stream()
                    .filter(file -> shuffle(file) == latest)
                    .sorted()
                    .limit(1)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int shuffle(Path file) {
        Matcher name = DATA_FILE.matcher(file.getFileName().toString());
        return name.matches() ? Integer.parseInt(name.group(1)) : -1;
    }
}
