package org.heapspan.spark.broadcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both executors are in this process: a lock of the one is a lock for the other. */
final class SharingFolderTest {
    private static final byte[] BYTES = {1, 2, 3};

    @TempDir
    Path base;

    private final String application = UUID.randomUUID().toString();

    private SharingFolder enter(String executor) throws IOException {
        return SharingFolder.enter(base, application, executor);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void settle(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(120)));
    }

    @Test
    void executorsKnowOfEachOther() throws IOException {
        try (SharingFolder first = enter("1")) {
            assertThat(first.hasOthers()).isFalse();
            try (SharingFolder second = enter("2")) {
                assertThat(first.hasOthers()).isTrue();
                assertThat(second.hasOthers()).isTrue();
            }
            assertThat(first.hasOthers()).isFalse();
        }
        assertThat(base).isEmptyDirectory();
    }

    @Test
    void anExecutorThatComesWhenTheLastOneLeavesHasAFolder() throws Exception {
        for (int i = 0; i < 300; i++) {
            SharingFolder leaving = enter("1");
            CompletableFuture<SharingFolder> coming = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    coming.complete(enter("2"));
                } catch (IOException | RuntimeException e) {
                    coming.completeExceptionally(e);
                }
            });
            thread.start();
            LockSupport.parkNanos(i * 1_000L);
            leaving.close();
            try (SharingFolder folder = coming.get()) {
                assertThat(names(folder.path())).as("attempt %d", i).containsExactly("executor-2");
            }
        }
        assertThat(base).isEmptyDirectory();
    }

    @Test
    void theMarkOfAnExecutorThatComesIsNotDeleted() throws IOException {
        try (SharingFolder folder = enter("1")) {
            folder.write(7, target -> target.write(BYTES));
            SharingFolder.deleteAll(folder.path());
            assertThat(names(folder.path())).containsExactly("executor-1");
        }
    }

    @Test
    void nobodyElseMayRead() throws IOException {
        try (SharingFolder folder = enter("1")) {
            folder.write(7, target -> target.write(BYTES));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.path())))
                    .isEqualTo("rwx------");
            for (String name : List.of("7", "executor-1")) {
                assertThat(PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(folder.path().resolve(name))))
                        .isEqualTo("rw-------");
            }
        }
    }

    @Test
    void aFolderThatOthersMayReadIsRefused() throws IOException {
        Path foreign = Files.createDirectory(base.resolve(SharingFolder.PREFIX + application));
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> enter("1")).isInstanceOf(IOException.class).hasMessageContaining("of this user");
        Path elsewhere = Files.createDirectory(base.resolve("elsewhere"));
        Files.delete(foreign);
        Files.createSymbolicLink(foreign, elsewhere);
        assertThatThrownBy(() -> enter("1")).isInstanceOf(IOException.class).hasMessageContaining("of this user");
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void bytesThatAreNotCompleteAreNotFound() throws IOException {
        try (SharingFolder folder = enter("1")) {
            assertThat(folder.find(7)).isNull();
            assertThatThrownBy(() -> folder.write(7, target -> {
                        target.write(BYTES);
                        assertThat(names(folder.path())).containsExactly("7.new-1", "executor-1");
                        throw new IOException("the other end is gone");
                    }))
                    .hasMessage("the other end is gone");
            assertThat(folder.find(7)).isNull();
            assertThat(names(folder.path())).containsExactly("executor-1");

            assertThat(folder.write(7, target -> target.write(BYTES))).isEqualTo(BYTES.length);
            FileChannel found = folder.find(7);
            assertThat(found).isNotNull();
            assertThat(found.size()).isEqualTo(BYTES.length);
            folder.release(7, found);
            assertThat(folder.find(7)).as("after its last user").isNull();
        }
    }

    @Test
    void oneExecutorHasTheTurn() throws IOException {
        try (SharingFolder first = enter("1");
                SharingFolder second = enter("2")) {
            try (SharingFolder.Turn turn = first.tryTurn(7)) {
                assertThat(turn).isNotNull();
                assertThat(second.tryTurn(7)).isNull();
                try (SharingFolder.Turn other = second.tryTurn(8)) {
                    assertThat(other).isNotNull();
                }
            }
            assertThat(names(first.path())).containsExactly("executor-1", "executor-2");
        }
    }

    @Test
    void whatKilledExecutorsHaveLeftIsDeleted() throws IOException {
        try (SharingFolder folder = enter("1")) {
            Path path = folder.path();
            for (String name : List.of("7", "8", "9.turn", "9.failed", "executor-3", "7.new-3", "7.new-1")) {
                Files.createFile(path.resolve(name));
            }
            folder.sweep(Set.of());
            assertThat(names(path))
                    .as("only what is sure to be unused")
                    .containsExactly("7", "7.new-1", "8", "9.failed", "9.turn", "executor-1", "executor-3");
            for (String name : names(path)) {
                settle(path.resolve(name));
            }
            folder.sweep(Set.of(8L));
            assertThat(names(path)).containsExactly("7.new-1", "8", "executor-1");
        }
        assertThat(base).isEmptyDirectory();
    }

    @Test
    void foldersOfKilledApplicationsAreDeleted() throws IOException {
        Path stale =
                SharingFolder.enter(base, UUID.randomUUID().toString(), "1").path();
        SharingFolder used = SharingFolder.enter(base, UUID.randomUUID().toString(), "1");
        Path other = Files.createDirectory(base.resolve(SharingFolder.PREFIX + "not-an-id"));
        // As if its process had ended.
        Files.delete(stale.resolve("executor-1"));
        Files.createFile(stale.resolve("executor-1"));
        Files.createFile(stale.resolve("12"));
        SharingFolder.deleteStale(base);
        assertThat(stale).as("of an application that may just begin").exists();
        for (Path folder : List.of(stale, used.path(), other)) {
            settle(folder);
        }
        SharingFolder.deleteStale(base);
        assertThat(stale).doesNotExist();
        assertThat(used.path()).exists();
        assertThat(other).exists();
        used.close();
    }

    @Test
    void filesOfOthersStay() throws IOException {
        SharingFolder folder = enter("1");
        // No broadcast has such a number.
        for (String name : List.of("notes.txt", "99999999999999999999")) {
            settle(Files.createFile(folder.path().resolve(name)));
        }
        folder.sweep(Set.of());
        folder.close();
        assertThat(names(folder.path())).containsExactly("99999999999999999999", "notes.txt");
    }
}
