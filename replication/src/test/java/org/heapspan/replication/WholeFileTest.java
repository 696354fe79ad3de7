package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file gets its name when all that belongs to it is there. */
@Tag("once")
final class WholeFileTest {
    @TempDir
    Path folder;

    private final List<String> steps = new ArrayList<>();
    private Path file;
    private Path unfinished;

    @BeforeEach
    void name() {
        file = folder.resolve("file");
        unfinished = folder.resolve("unfinished");
    }

    private void write(String text, String failing) throws IOException {
        WholeFile.write(
                file,
                unfinished,
                made -> Files.writeString(made, text),
                made -> take("use", made, failing),
                path -> take("force", path, failing));
    }

    private String take(String what, Path path, String failing) throws IOException {
        String step = what + " " + (path.equals(folder) ? "folder" : path.getFileName());
        if (step.equals(failing)) {
            throw new IOException(step + " has failed");
        }
        steps.add(step + ", " + (Files.exists(file) ? Files.readString(file) : "nothing") + " has the name");
        return step;
    }

    @Test
    void aFileIsForcedThenUsedThenNamed() throws IOException {
        write("text", "");
        assertThat(steps)
                .containsExactly(
                        "force unfinished, nothing has the name",
                        "use unfinished, nothing has the name",
                        "force folder, text has the name");
        assertThat(unfinished).doesNotExist();
    }

    @Test
    void theFormerFileStaysIfTheNextOneIsNotWhole() throws IOException {
        write("former", "");
        for (String failing : List.of("force unfinished", "use unfinished")) {
            assertThatThrownBy(() -> write("next", failing)).hasMessage(failing + " has failed");
            assertThat(file).hasContent("former");
            assertThat(unfinished).doesNotExist();
        }
    }
}
