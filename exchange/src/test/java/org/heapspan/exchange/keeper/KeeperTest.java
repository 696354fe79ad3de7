package org.heapspan.exchange.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class KeeperTest {
    private static final int CHUNK = 64 << 10;
    private static final byte[] ID = new byte[16];
    private static final byte[] OTHER_ID = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

    @TempDir
    Path base;

    private Keeper keeper(byte[] id) throws IOException {
        return new Keeper(base, id, new Chunks(CHUNK), null);
    }

    private static byte[] read(Keeper keeper, long address, int length) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        keeper.forEachPiece(address, length, (file, offset, pieceBytes) -> {
            ByteBuffer piece = ByteBuffer.allocate((int) pieceBytes);
            while (piece.hasRemaining() && file.read(piece, offset + piece.position()) >= 0) {}
            bytes.write(piece.array());
        });
        return bytes.toByteArray();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** As where a quota is used up, or files may not be that long (ulimit -f). */
    @Test
    void nothingIsLeftOfAFileThatCannotBeMade() throws Exception {
        JavaProcess.Result result = JavaProcess.of(LimitedFiles.class)
                .within(List.of("sh", "-c", "ulimit -f 1000; exec \"$@\"", "sh"))
                .options("-XX:-UsePerfData", "-Xshare:auto")
                .arguments(base.toString())
                .run()
                .succeeded();
        assertThat(result.value("failures")).isEqualTo("20");
        assertThat(result.value("open")).isEqualTo("0");
        assertThat(result.value("files")).isEqualTo("0");
    }

    @Test
    void bytesOfAGroupCrossChunks() throws IOException {
        byte[] content = new byte[3 * CHUNK];
        new Random(1).nextBytes(content);
        try (Keeper keeper = keeper(ID)) {
            keeper.prepare(7L * CHUNK + 4096, content.length);
            keeper.write(7L * CHUNK + 4096, ByteBuffer.wrap(content));
            assertThat(read(keeper, 7L * CHUNK + 4096, content.length)).isEqualTo(content);
            assertThat(names(keeper.folder()))
                    .containsExactly(
                            "chunk-0000000000000007",
                            "chunk-0000000000000008",
                            "chunk-0000000000000009",
                            "chunk-000000000000000a",
                            "lock",
                            "server");
        }
        assertThat(names(base)).isEmpty();
    }

    @Test
    void filesAreOfTheirOwnerAlone() throws IOException {
        try (Keeper keeper = keeper(ID)) {
            keeper.prepare(CHUNK, 1);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(keeper.folder())))
                    .isEqualTo("rwx------");
            for (String name : names(keeper.folder())) {
                assertThat(PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(keeper.folder().resolve(name))))
                        .isEqualTo("rw-------");
            }
        }
    }

    @Test
    void freedBytesAreGoneAndAFileGoesWithItsLastGroup() throws IOException {
        try (Keeper keeper = keeper(ID)) {
            keeper.prepare(CHUNK, 8192);
            keeper.write(CHUNK, ByteBuffer.wrap(new byte[] {1, 2, 3}));
            keeper.free(CHUNK, 3);
            keeper.drop(1);
            assertThat(names(keeper.folder())).containsExactly("lock", "server");
            assertThatThrownBy(() -> keeper.write(CHUNK, ByteBuffer.allocate(1)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void moreThanTheDeviceHasIsRefused() throws IOException {
        try (Keeper keeper = keeper(ID)) {
            assertThatThrownBy(() -> keeper.prepare(CHUNK, 1L << 60))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the device of " + keeper.folder());
        }
    }

    @Test
    void foldersOfKilledServersAreDeletedAndOthersStay() throws IOException {
        Path stale = Files.createDirectory(base.resolve(ChunkFolder.name(OTHER_ID)));
        List<String> identity = new ArrayList<>(ChunkFolder.identity(OTHER_ID));
        identity.set(2, "0 0");
        own(Files.write(stale.resolve("server"), identity));
        own(Files.createFile(stale.resolve("lock")));
        own(Files.write(stale.resolve(ChunkFolder.fileName(3)), new byte[10]));
        Path ofSomebody = Files.createDirectory(base.resolve("heapspan-exchange-of-somebody"));
        Files.write(ofSomebody.resolve("server"), new byte[1]);
        try (Keeper keeper = keeper(ID)) {
            assertThat(names(base))
                    .containsExactlyInAnyOrder(ofSomebody.getFileName().toString(), name(keeper));
            try (Keeper second = keeper(OTHER_ID)) {
                assertThat(names(base)).hasSize(3).contains(name(keeper), name(second));
            }
        }
        assertThat(names(base)).containsExactly(ofSomebody.getFileName().toString());
    }

    @Test
    void bothFoldersOfAKilledServerAreDeleted() throws IOException {
        Path other = Files.createDirectory(base.resolve("other"));
        Path first;
        Path second;
        try (Keeper keeper =
                Keeper.withOverflow(Files.createDirectory(base.resolve("one")), other, OTHER_ID, new Chunks(CHUNK))) {
            first = keeper.folder();
            second = ChunkFolder.overflow(first);
            assertThat(second).isEqualTo(other.resolve(ChunkFolder.name(OTHER_ID)));
            assertThat(ChunkFolder.isReachable(second, OTHER_ID)).isTrue();
            long chunk = new Chunks(CHUNK).firstOverflow() + 3;
            keeper.prepare(chunk * CHUNK, 3);
            keeper.write(chunk * CHUNK, ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertThat(read(keeper, chunk * CHUNK, 3)).containsExactly(1, 2, 3);
            assertThat(names(second)).contains(ChunkFolder.fileName(chunk));
        }
        assertThat(names(first.getParent())).isEmpty();
        assertThat(names(other)).isEmpty();

        for (Path folder : List.of(first, second)) {
            Files.createDirectory(folder);
            List<String> identity = new ArrayList<>(ChunkFolder.identity(OTHER_ID));
            identity.set(2, "0 0");
            own(Files.write(folder.resolve("server"), identity));
            own(Files.createFile(folder.resolve("lock")));
        }
        own(Files.writeString(first.resolve("overflow"), second.toString()));
        assertThat(StaleFolders.delete(first.getParent())).isEqualTo(1);
        assertThat(names(first.getParent())).isEmpty();
        assertThat(names(other)).isEmpty();
    }

    private static String name(Keeper keeper) {
        return keeper.folder().getFileName().toString();
    }

    private static Path own(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aFolderWhereOthersReplaceFilesIsRefused() throws IOException {
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> keeper(ID)).isInstanceOf(IOException.class).hasMessageContaining("mode 777");
    }

    /** In a folder such as /dev/shm each user can make one with any name. */
    @Test
    void aFolderOfAnotherUserIsNotTakenForThatOfTheLastServer() throws IOException {
        Path foreign = Files.createDirectory(base.resolve(ChunkFolder.name(OTHER_ID)));
        for (String marker : List.of(ChunkFolder.PEER_FILE, KeyJournal.FILE)) {
            Files.createFile(foreign.resolve(marker));
        }
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rwxrwxrwx"));
        assumeTrue(isGivenAway(foreign), "does not apply: only root can give a folder to another user");
        assertThatThrownBy(() -> Keeper.ofPeer(base, ID, new Chunks(CHUNK)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("belongs to");

        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxrwxr-x"));
        Path ofPeer;
        try (Keeper keeper = Keeper.ofPeer(base, ID, new Chunks(CHUNK))) {
            ofPeer = keeper.folder();
            assertThat(ofPeer).isNotEqualTo(foreign);
        }
        try (Keeper keeper = Keeper.ofPeer(base, OTHER_ID, new Chunks(CHUNK))) {
            assertThat(keeper.folder()).isEqualTo(ofPeer);
        }
        byte[] third = ID.clone();
        third[0] = 1;
        try (Keeper keeper = new Keeper(base, third, new Chunks(CHUNK), Duration.ZERO)) {
            assertThat(keeper.folder()).isNotIn(foreign, ofPeer);
        }
        assertThat(names(foreign)).containsExactly(KeyJournal.FILE, ChunkFolder.PEER_FILE);
    }

    private static boolean isGivenAway(Path folder) {
        try {
            Files.setAttribute(folder, "unix:uid", 12_345);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A server may name any path. */
    @Test
    void onlyTheFolderOfThisServerIsWithinReach() throws IOException {
        try (Keeper keeper = keeper(ID)) {
            Path folder = keeper.folder();
            assertThat(ChunkFolder.isReachable(folder, ID)).isTrue();
            assertThat(ChunkFolder.isReachable(folder, OTHER_ID)).isFalse();
            assertThat(ChunkFolder.isReachable(Path.of("/"), ID)).isFalse();
            assertThat(ChunkFolder.isReachable(Path.of("/nowhere").resolve(folder.getFileName()), ID))
                    .isFalse();
            assertThat(ChunkFolder.isReachable(folder.getFileName(), ID)).isFalse();

            Path link = base.resolve("link").resolve(folder.getFileName());
            Files.createDirectory(link.getParent());
            Files.createSymbolicLink(link, folder);
            assertThat(ChunkFolder.isReachable(link, ID)).isFalse();

            Path server = folder.resolve("server");
            byte[] identity = Files.readAllBytes(server);
            Files.setPosixFilePermissions(server, PosixFilePermissions.fromString("rw-r-----"));
            assertThat(ChunkFolder.isReachable(folder, ID)).isFalse();
            own(server);
            Files.write(server, Arrays.copyOfRange(identity, 3, identity.length));
            assertThat(ChunkFolder.isReachable(folder, ID)).isFalse();
            Files.write(server, identity);
            assertThat(ChunkFolder.isReachable(folder, ID)).isTrue();
        }
    }
}
