package org.heapspan.replication;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
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

    private final WholeFile.Device device;

    SnapshotFiles() {
        this(WholeFile::force);
    }

    SnapshotFiles(WholeFile.Device device) {
        this.device = device;
    }

    /**
     * Writes a snapshot, and returns when it survives the loss of power: what it stands for is deleted from the log then.
     *
     * @throws IOException if any of this fails. The log must keep what the snapshot stands for then
     */
    MD5Hash save(Consensus.State state, Path file) throws IOException {
        return WholeFile.write(
                file,
                file.resolveSibling(UNFINISHED),
                state::save,
                unfinished -> {
                    MD5Hash digest = MD5FileUtil.computeMd5ForFile(unfinished.toFile());
                    MD5FileUtil.saveMD5File(file.toFile(), digest);
                    return digest;
                },
                device);
    }

    /** Returns when a snapshot survives the loss of power that was received from the leader, in a folder of its own. */
    void forceReceived(Path file) throws IOException {
        Path folder = WholeFile.folderOf(file);
        device.force(file);
        device.force(folder);
        device.force(WholeFile.folderOf(folder));
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
