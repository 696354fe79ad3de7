package org.heapspan.spark.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.heapspan.HeapspanException;
import org.heapspan.h2.SecondHeapOptions;
import org.heapspan.spark.HeapspanPlugin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the user is told of a folder: key, value, what is wrong, what to do. */
@Tag("once")
final class HeapFolderTest {
    private static final SecondHeapOptions OPTIONS = SecondHeapOptions.capacity(64 << 20);

    @TempDir
    Path directory;

    private static void isRefused(String value, String reason) {
        assertThatThrownBy(() -> HeapFolder.of(value).open(OPTIONS).close())
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("spark.heapspan.h2.dir is '" + value + "', where no second heap can be: ")
                .hasMessageContaining(reason)
                .hasMessageEndingWith("; name a folder on this host that the executor can create or write to");
    }

    @Test
    void folderIsMade() {
        Path folder = directory.resolve("a").resolve("b");
        HeapFolder place = HeapFolder.of(folder.toString());
        assertThat(place.path()).isEqualTo(folder);
        assertThat(place.totalBytes()).isGreaterThanOrEqualTo(place.usableBytes());
        place.open(OPTIONS).close();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void fileInItsPlaceIsNamed() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        isRefused(file.toString(), file + " is not a folder");
        isRefused(file.resolve("below").toString(), file + " is not a folder");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/proc/heapspan", "/proc/self/heapspan"})
    void impossibleFolderIsNamed(String folder) {
        isRefused(folder, folder);
    }

    @Test
    void folderInWhichEverybodyReplacesFilesIsNamed() throws IOException {
        Files.setAttribute(directory, "unix:mode", 0777);
        isRefused(directory.toString(), "mode 777");
    }

    @Test
    void memoryOfTheMachineIsRecognised() throws IOException {
        assertThat(new HeapFolder(directory, "tmpfs", 1, 1).isMemory()).isTrue();
        assertThat(new HeapFolder(directory, "ext4", 1, 1).isMemory()).isFalse();
        Path shared = Path.of("/dev/shm");
        assumeThat(Files.isDirectory(shared)
                        && Files.getFileStore(shared).type().equals("tmpfs"))
                .as("does not apply: no tmpfs")
                .isTrue();
        List<String> warnings = new ArrayList<>();
        Logger logger = (Logger) LogManager.getLogger(HeapspanPlugin.class);
        AbstractAppender appender = new AbstractAppender("warnings", null, null, false, Property.EMPTY_ARRAY) {
            @Override
            public void append(LogEvent event) {
                if (event.getLevel().equals(Level.WARN)) {
                    warnings.add(event.getMessage().getFormattedMessage());
                }
            }
        };
        appender.start();
        Level before = logger.getLevel();
        logger.addAppender(appender);
        logger.setLevel(Level.WARN);
        try {
            assertThat(HeapFolder.of(shared.toString()).isMemory()).isTrue();
        } finally {
            logger.setLevel(before);
            logger.removeAppender(appender);
        }
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("spark.heapspan.h2.dir is '/dev/shm', a tmpfs", "Name a folder on a disk");
    }
}
