package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.SizeInBytes;
import org.heapspan.exchange.peers.Consensus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot is on the device before anybody relies on it. */
@Tag("once")
final class ChangeMachineTest {
    @TempDir
    Path folder;

    private final Device device = new Device();
    private Path ofSnapshots;

    /** Loses what was not forced, when its power is lost. */
    private static final class Device implements WholeFile.Device {
        final List<String> steps = new ArrayList<>();
        final Set<Object> forced = new HashSet<>();
        int stepsLeft = Integer.MAX_VALUE;

        @Override
        public void force(Path path) throws IOException {
            if (stepsLeft-- == 0) {
                throw new IOException("power lost");
            }
            steps.add(path.getFileName().toString());
            forced.add(Files.readAttributes(path, BasicFileAttributes.class).fileKey());
        }

        void losePower(Path ofSnapshots) throws IOException {
            try (var files = Files.newDirectoryStream(ofSnapshots, "snapshot.*[!5]")) {
                for (Path each : files) {
                    if (!forced.contains(Files.readAttributes(each, BasicFileAttributes.class)
                            .fileKey())) {
                        Files.write(each, new byte[0]);
                    }
                }
            }
        }
    }

    private static class Text implements Consensus.State {
        String text = "";

        @Override
        public boolean apply(long term, ByteBuffer change) {
            text = StandardCharsets.UTF_8.decode(change).toString();
            return true;
        }

        @Override
        public void save(Path file) throws IOException {
            Files.writeString(file, text);
        }

        @Override
        public void load(Path file) throws IOException {
            text = Files.readString(file);
            if (text.isEmpty()) {
                throw new IOException(file + " is empty");
            }
        }

        @Override
        public void leads(boolean leads) {
            throw new UnsupportedOperationException();
        }
    }

    @BeforeEach
    void nameFolder() {
        ofSnapshots = folder.resolve("group/sm");
    }

    /** A server of which Ratis asks no more than its name. */
    private static RaftServer named() {
        return (RaftServer) Proxy.newProxyInstance(
                RaftServer.class.getClassLoader(),
                new Class<?>[] {RaftServer.class},
                (proxy, method, arguments) -> RaftPeerId.valueOf("peer"));
    }

    private ChangeMachine machine(Text text) throws IOException {
        boolean isNew = !Files.exists(ofSnapshots);
        Files.createDirectories(folder.resolve("group"));
        RaftStorage storage = RaftStorage.newBuilder()
                .setDirectory(folder.resolve("group").toFile())
                .setOption(isNew ? RaftStorage.StartupOption.FORMAT : RaftStorage.StartupOption.RECOVER)
                .setStorageFreeSpaceMin(SizeInBytes.ONE_KB)
                .build();
        storage.initialize();
        // The folder is not locked for the next one.
        storage.close();
        ChangeMachine machine = new ChangeMachine(text, new SnapshotFiles(device));
        machine.initialize(named(), RaftGroupId.randomId(), storage);
        return machine;
    }

    private static void takeSnapshot(ChangeMachine machine, String of, int index) throws IOException {
        LogEntryProto entry = LogEntryProto.newBuilder()
                .setTerm(1)
                .setIndex(index)
                .setStateMachineLogEntry(StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFromUtf8(of)))
                .build();
        machine.applyTransaction(TransactionContext.newBuilder()
                .setStateMachine(machine)
                .setServerRole(RaftPeerRole.FOLLOWER)
                .setLogEntry(entry)
                .build());
        machine.takeSnapshot();
    }

    @Test
    void aSnapshotIsForcedBeforeItGetsItsName() throws IOException {
        takeSnapshot(machine(new Text()), "all", 7);
        assertThat(device.steps).containsExactly("snapshot.new", "sm");
        assertThat(ofSnapshots.resolve("snapshot.1_7")).hasContent("all");
        device.losePower(ofSnapshots);
        Text read = new Text();
        machine(read);
        assertThat(read.text).isEqualTo("all");
    }

    @Test
    void aSnapshotIsThereAfterThePowerWasLostAtAnyStepOfTheNextOne() throws IOException {
        for (int step = 0; step < 2; step++) {
            ChangeMachine machine = machine(new Text());
            takeSnapshot(machine, "former " + step, 10 * step + 1);
            device.stepsLeft = step;
            assertThatThrownBy(() -> takeSnapshot(machine, "next", 1_000)).hasMessage("power lost");
            device.stepsLeft = Integer.MAX_VALUE;
            device.losePower(ofSnapshots);
            Text read = new Text();
            machine(read);
            assertThat(read.text).isEqualTo(step == 0 ? "former 0" : "next");
        }
    }

    @Test
    void aSnapshotOfTheLeaderIsForcedBeforeItIsUsed() throws IOException {
        ChangeMachine machine = machine(new Text() {
            @Override
            public void load(Path file) throws IOException {
                super.load(file);
                device.steps.add("used");
            }
        });
        machine.pause();
        Files.writeString(ofSnapshots.resolve("snapshot.2_9"), "received");
        machine.reinitialize();
        assertThat(device.steps).containsExactly("snapshot.2_9", "sm", "group", "used");
    }

    /** A full device fails each change from then on. */
    @Test
    void aLogThatFailsIsToldOnceWithWhatToDo() throws IOException {
        ChangeMachine machine = machine(new Text());
        try (SaidOfLog said = new SaidOfLog()) {
            IOException full = new IOException("No space left on device");
            machine.event().notifyLogFailed(full, LogEntryProto.getDefaultInstance());
            machine.event().notifyLogFailed(new IOException("log already failed", full), null);
            assertThat(said.messages())
                    .singleElement()
                    .asString()
                    .startsWith("the log of changes in " + folder.resolve("group"))
                    .contains("could not be written: No space left on device. ")
                    .contains("stores no changes any more until it is started again")
                    .contains("delete other files there");
        }
    }
}
