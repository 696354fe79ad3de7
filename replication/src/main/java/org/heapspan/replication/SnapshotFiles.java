package org.heapspan.replication;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.util.MD5FileUtil;
import org.heapspan.exchange.peers.Consensus;
import org.jspecify.annotations.Nullable;

/** The snapshots of a peer, as files. A snapshot gets its name when all of it is there, and its digest beside it. */
final class SnapshotFiles {
    /** Not a name of a snapshot. The next one takes it again. */
    private static final String UNFINISHED = "snapshot.new";

    private static final System.Logger LOGGER = System.getLogger(SnapshotFiles.class.getName());

    private final Device device;

    /** What holds the files. Tests have others, which fail. */
    @FunctionalInterface
    interface Device {
        /** Returns when a file, or the names in a folder, survive the loss of power. */
        void force(Path path) throws IOException;
    }

    SnapshotFiles() {
        this(WholeFile::force);
    }

    SnapshotFiles(Device device) {
        this.device = device;
    }

    /**
     * Writes a snapshot, and returns when it survives the loss of power: what it stands for is deleted from the log then.
     *
     * @throws IOException if it could not be written. Then there is no file of this name
     */
    MD5Hash save(Consensus.State state, Path file) throws IOException {
        Path made = file.resolveSibling(UNFINISHED);
        try {
            state.save(made);
            device.force(made);
            MD5Hash digest = MD5FileUtil.computeMd5ForFile(made.toFile());
            MD5FileUtil.saveMD5File(file.toFile(), digest);
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            device.force(folderOf(file));
            return digest;
        } finally {
            Files.deleteIfExists(made);
        }
    }

    /** Returns when a snapshot survives the loss of power that was received from the leader, in a folder of its own. */
    void forceReceived(Path file) throws IOException {
        Path folder = folderOf(file);
        device.force(file);
        device.force(folder);
        device.force(folderOf(folder));
    }

    private static Path folderOf(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent());
    }

    /**
     * Sets a part of a snapshot aside, so that the snapshot before it is used. Former versions wrote a snapshot under its name, and its digest
     * afterwards. The log has everything behind the snapshot before it then.
     *
     * @param state begins with what it can read
     */
    static void setPartsAside(Path folder, Consensus.State state) throws IOException {
        for (Path last = last(folder); last != null && isPart(last, state); last = last(folder)) {
            Path aside = last.resolveSibling(last.getFileName() + ".part");
            Files.move(last, aside, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "a snapshot was written in part only, when this server was ended or its disk was full: the one before"
                            + " it is used; the part is " + aside + ", and can be deleted");
        }
    }

    private static @Nullable Path last(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return null;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> SimpleStateMachineStorage.SNAPSHOT_REGEX
                            .matcher(each.getFileName().toString())
                            .matches())
                    .max(Comparator.comparing(
                            each -> SimpleStateMachineStorage.getTermIndexFromSnapshotFile(each.toFile())))
                    .orElse(null);
        }
    }

    private static boolean isPart(Path file, Consensus.State state) throws IOException {
        if (MD5FileUtil.readStoredMd5ForFile(file.toFile()) != null) {
            return false;
        }
        try {
            state.load(file);
            return false;
        } catch (IOException e) {
            LOGGER.log(System.Logger.Level.WARNING, file + " has no digest, and could not be read", e);
            return true;
        }
    }
}
