package org.heapspan.exchange.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.heapspan.exchange.keeper.Keeper;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.LogEntry;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that was away gets the bytes of groups, and none of those that are freed meanwhile stay. */
final class KeyBytesTest {
    private static final byte[] BYTES = {1, 2, 3};
    private static final long ADDRESS = 1 << 20;
    private static final long CAPACITY_BYTES = 2 * 4096;

    @TempDir
    Path folder;

    private final ReplicatedKeys keys = new ReplicatedKeys();
    private final Holdings holdings = new Holdings();
    private final List<Long> fetched = new ArrayList<>();
    private Keeper keeper;
    private KeptBytes kept;
    private long sequence;

    @BeforeEach
    void start() throws IOException {
        keeper = Keeper.ofPeer(folder, new byte[16], new Chunks(1 << 20));
        kept = new KeptBytes(keeper, false);
        keys.apply(LogEntry.begin(1));
    }

    @AfterEach
    void end() throws IOException {
        keeper.close();
    }

    private static GroupDescription group(long address) {
        CRC32C checksum = new CRC32C();
        checksum.update(BYTES);
        return new GroupDescription(address, BYTES.length, (int) checksum.getValue(), false, "T", 1);
    }

    private void put(String key, long address) {
        keys.apply(new LogEntry(
                1, ++sequence, null, new Change.OfKey(new KeyRecord(key, group(address), 5, BYTES.length))));
        holdings.need(address);
    }

    private void remove(String key) {
        GroupRecord freed = keys.apply(
                        new LogEntry(1, ++sequence, null, new Change.OfKey(new KeyRecord(key, null, 0, 0))))
                .freed();
        assertThat(freed).isNotNull();
        holdings.freed(freed.address(), freed.reservedBytes());
    }

    private KeyBytes withOthers(Runnable whileFetching) {
        return new KeyBytes(keys, holdings, keeper, kept, CAPACITY_BYTES, group -> {
            fetched.add(group.address());
            whileFetching.run();
            write(group.address());
        });
    }

    private void write(long address) throws RefusedException {
        try {
            keeper.prepare(address, BYTES.length);
            keeper.write(address, ByteBuffer.wrap(BYTES));
        } catch (IOException e) {
            throw new RefusedException(RefusalCode.STORAGE, String.valueOf(e.getMessage()));
        }
    }

    @Test
    void bytesThatAreMissingAreFetchedOnce() {
        put("k", ADDRESS);
        KeyBytes bytes = withOthers(() -> {});
        bytes.fetchMissing();
        bytes.fetchMissing();
        assertThat(fetched).containsExactly(ADDRESS);
        assertThat(holdings.usedBytes()).isEqualTo(4096);
        assertThat(holdings.present(ADDRESS)).isEqualTo(group(ADDRESS));
    }

    @Test
    void bytesThatAreHereAfterARestartAreNotFetched() throws Exception {
        write(ADDRESS);
        put("k", ADDRESS);
        withOthers(() -> {}).fetchMissing();
        assertThat(fetched).isEmpty();
        assertThat(holdings.present(ADDRESS)).isEqualTo(group(ADDRESS));
    }

    @Test
    void aGroupThatIsFreedWhileItIsFetchedTakesNoSpaceAfterwards() {
        put("k", ADDRESS);
        put("gone", 2 * ADDRESS);
        KeyBytes bytes = withOthers(() -> {
            if (fetched.contains(2 * ADDRESS)) {
                remove("gone");
            }
        });
        bytes.fetchMissing();
        bytes.fetchMissing();
        assertThat(fetched).containsExactly(ADDRESS, 2 * ADDRESS);
        assertThat(holdings.usedBytes()).isEqualTo(4096);
        assertThat(holdings.present(2 * ADDRESS)).isNull();
        assertThat(holdings.missing()).isEmpty();
    }

    /** One group that no peer can give does not keep a server from asking again. */
    @Test
    void aFetchThatFailsIsRepeated() {
        put("k", ADDRESS);
        KeyBytes bytes = new KeyBytes(keys, holdings, keeper, kept, CAPACITY_BYTES, group -> {
            fetched.add(group.address());
            if (fetched.size() == 1) {
                throw new RefusedException(RefusalCode.STORAGE, "nobody can be reached");
            }
            write(group.address());
        });
        bytes.fetchMissing();
        assertThat(holdings.missing()).containsExactly(ADDRESS);
        bytes.fetchMissing();
        assertThat(fetched).hasSize(2);
        assertThat(holdings.missing()).isEmpty();
        assertThat(holdings.usedBytes()).isEqualTo(4096);
    }

    /** As after a crash of all hosts, when the last bytes had not been forced to a disk. */
    @Test
    void groupsThatNobodyHasDoNotKeepOthersMissing() {
        for (int i = 1; i <= 7; i++) {
            put("k" + i, i * ADDRESS);
        }
        KeyBytes bytes = new KeyBytes(keys, holdings, keeper, kept, CAPACITY_BYTES, group -> {
            fetched.add(group.address());
            if (group.address() <= 5 * ADDRESS) {
                throw new RefusedException(RefusalCode.STORAGE, "nobody has it");
            }
            write(group.address());
        });
        bytes.fetchMissing();
        bytes.fetchMissing();
        assertThat(holdings.present(6 * ADDRESS)).isEqualTo(group(6 * ADDRESS));
        assertThat(holdings.present(7 * ADDRESS)).isEqualTo(group(7 * ADDRESS));
        assertThat(holdings.missing())
                .containsExactlyInAnyOrder(1 * ADDRESS, 2 * ADDRESS, 3 * ADDRESS, 4 * ADDRESS, 5 * ADDRESS);
    }

    @Test
    void nothingMoreIsAskedForWhileNobodyAnswers() {
        put("k", ADDRESS);
        put("l", 2 * ADDRESS);
        KeyBytes bytes = new KeyBytes(keys, holdings, keeper, kept, CAPACITY_BYTES, group -> {
            fetched.add(group.address());
            throw new RefusedException(RefusalCode.UNREACHABLE, "nobody answers");
        });
        bytes.fetchMissing();
        assertThat(fetched).containsExactly(ADDRESS);
        assertThat(holdings.missing()).containsExactly(ADDRESS, 2 * ADDRESS);
    }

    /** What has no room stays missing, also if its transfer would work, and takes nothing. */
    @Test
    void noMoreIsFetchedThanThereIsRoomFor() throws Exception {
        for (int i = 1; i <= 3; i++) {
            put("k" + i, i * ADDRESS);
        }
        KeyBytes bytes = withOthers(() -> {});
        bytes.fetchMissing();
        assertThat(fetched).containsExactly(ADDRESS, 2 * ADDRESS);
        assertThat(holdings.usedBytes()).isEqualTo(CAPACITY_BYTES);
        assertThat(holdings.missing()).containsExactly(3 * ADDRESS);
        assertThatThrownBy(() -> bytes.require(group(3 * ADDRESS)))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.FULL));
        remove("k1");
        bytes.fetchMissing();
        assertThat(fetched).containsExactly(ADDRESS, 2 * ADDRESS, 3 * ADDRESS);
        assertThat(holdings.missing()).isEmpty();
    }

    private KeyBytes withNobody() {
        return new KeyBytes(keys, holdings, keeper, kept, CAPACITY_BYTES, group -> {
            throw new RefusedException(RefusalCode.STORAGE, "nobody can be reached");
        });
    }

    /** A transfer that fails takes no room. */
    @Test
    void aFetchThatFailsGivesItsRoomBack() {
        put("k", ADDRESS);
        withNobody().fetchMissing();
        assertThat(holdings.usedBytes()).isZero();
    }

    /** As after a restart, where the file of the chunk has the room already. */
    @Test
    void aFetchThatFailsLeavesRoomThatWasTakenBefore() {
        put("k", ADDRESS);
        holdings.takeAll(Map.of(ADDRESS, (long) BYTES.length));
        withNobody().fetchMissing();
        assertThat(holdings.usedBytes()).isEqualTo(4096);
    }
}
