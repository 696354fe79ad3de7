package org.heapspan.exchange.peers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.heapspan.exchange.wire.Change;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.GroupRecord;
import org.heapspan.exchange.wire.KeyRecord;
import org.heapspan.exchange.wire.LogEntry;
import org.jspecify.annotations.Nullable;

/**
 * What several servers have in common: keys, groups, types, and the last changes by their numbers. Knows of no time and no chance. Thread-safe.
 */
final class ReplicatedKeys {
    /** As many numbered changes are remembered. */
    static final int MOST_OUTCOMES = 100_000;

    private static final int FORMAT = 2;

    /** Of a version that knew of keys only. */
    private static final int FORMAT_OF_KEYS = 1;

    private static final int MOST_RECORD_BYTES = 1 << 20;

    private final Map<String, KeyRecord> keys = new TreeMap<>();

    /** Those of keys, and others. */
    private final NavigableMap<Long, GroupRecord> groups = new TreeMap<>();

    private final ReplicatedTypes types = new ReplicatedTypes();
    private final Map<UUID, Long> outcomes = new Outcomes();
    private long run;
    private long sequence;

    static final class Outcomes extends LinkedHashMap<UUID, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Long> eldest) {
            return size() > MOST_OUTCOMES;
        }
    }

    /**
     * What a change has done.
     *
     * @param counts whether it has
     * @param freed the group that is no more, or null
     */
    record Effect(boolean counts, @Nullable GroupRecord freed) {}

    synchronized Effect apply(LogEntry entry) {
        Change change = entry.change();
        if (change == null) {
            run = entry.run();
            sequence = 0;
            return new Effect(true, null);
        }
        if (entry.run() != run || entry.sequence() != sequence + 1) {
            return new Effect(false, null);
        }
        sequence++;
        if (entry.number() != null && change instanceof Change.OfKey key) {
            GroupDescription group = key.record().group();
            outcomes.put(entry.number(), group == null ? 0 : group.version());
        }
        return new Effect(true, make(change));
    }

    private @Nullable GroupRecord make(Change change) {
        if (change instanceof Change.OfKey key) {
            return make(key);
        } else if (change instanceof Change.GroupAdded added) {
            groups.put(added.group().address(), added.group());
        } else if (change instanceof Change.GroupFreed freed) {
            return groups.remove(freed.address());
        } else if (change instanceof Change.TypesAdded added) {
            types.apply(added);
        }
        return null;
    }

    private @Nullable GroupRecord make(Change.OfKey change) {
        KeyRecord record = change.record();
        GroupDescription group = record.group();
        KeyRecord former = group == null ? keys.remove(record.name()) : keys.put(record.name(), record);
        GroupDescription formerGroup = former == null || change.keepsFormer() ? null : former.group();
        GroupRecord freed = formerGroup == null ? null : groups.remove(formerGroup.address());
        if (group != null) {
            groups.put(group.address(), new GroupRecord(group, record.reservedBytes(), change.needed()));
        }
        return freed;
    }

    /** The group at an address, or null. */
    synchronized @Nullable GroupRecord at(long address) {
        return groups.get(address);
    }

    /** Addresses and lengths of all groups. */
    synchronized NavigableMap<Long, Long> ranges() {
        NavigableMap<Long, Long> ranges = new TreeMap<>();
        groups.forEach((address, group) -> ranges.put(address, group.reservedBytes()));
        return ranges;
    }

    /** The last group that begins below an address, or null. */
    synchronized @Nullable GroupRecord below(long address) {
        Map.Entry<Long, GroupRecord> found = groups.lowerEntry(address);
        return found == null ? null : found.getValue();
    }

    synchronized int count() {
        return keys.size();
    }

    /** The run that has begun last. */
    synchronized long run() {
        return run;
    }

    synchronized @Nullable Long outcome(UUID number) {
        return outcomes.get(number);
    }

    /** What a leader begins with. */
    synchronized Begin begin() {
        return new Begin(
                new ArrayList<>(keys.values()), new ArrayList<>(groups.values()), types.registry(), types.types());
    }

    /** Changes that lead to the same state. */
    private List<Change> changes() {
        List<Change> changes = new ArrayList<>();
        Set<Long> ofKeys = new HashSet<>();
        for (KeyRecord key : keys.values()) {
            GroupDescription group = key.group();
            if (group != null) {
                ofKeys.add(group.address());
                changes.add(new Change.OfKey(key, false, needed(group.address())));
            }
        }
        groups.forEach((address, group) -> {
            if (!ofKeys.contains(address)) {
                changes.add(new Change.GroupAdded(group));
            }
        });
        changes.addAll(types.changes());
        return changes;
    }

    private List<Long> needed(long address) {
        GroupRecord group = groups.get(address);
        return group == null ? List.of() : group.needed();
    }

    /** What a snapshot has. */
    private record State(long run, long sequence, List<Change> changes, Map<UUID, Long> outcomes) {}

    private synchronized State state() {
        return new State(run, sequence, changes(), new LinkedHashMap<>(outcomes));
    }

    /** Writes a snapshot. Readers wait while the state is listed, and not while it is written. */
    void save(Path file) throws IOException {
        State state = state();
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeInt(FORMAT);
            out.writeLong(state.run);
            out.writeLong(state.sequence);
            out.writeInt(state.changes.size());
            for (Change change : state.changes) {
                ByteBuffer bytes = change.write();
                out.writeInt(bytes.remaining());
                while (bytes.hasRemaining()) {
                    out.writeByte(bytes.get());
                }
            }
            out.writeInt(state.outcomes.size());
            for (Map.Entry<UUID, Long> outcome : state.outcomes.entrySet()) {
                out.writeLong(outcome.getKey().getMostSignificantBits());
                out.writeLong(outcome.getKey().getLeastSignificantBits());
                out.writeLong(outcome.getValue());
            }
        }
    }

    synchronized void load(Path file) throws IOException {
        keys.clear();
        groups.clear();
        types.clear();
        outcomes.clear();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            int format = in.readInt();
            if (format != FORMAT && format != FORMAT_OF_KEYS) {
                throw new IOException(file + " has format " + format + ", expected " + FORMAT_OF_KEYS + " or " + FORMAT
                        + "; start the server with the version that has written it, or a later one");
            }
            run = in.readLong();
            sequence = in.readLong();
            int changeCount = in.readInt();
            for (int i = 0; i < changeCount; i++) {
                ByteBuffer bytes = record(file, in);
                make(format == FORMAT_OF_KEYS ? new Change.OfKey(KeyRecord.read(bytes)) : Change.read(bytes));
            }
            int outcomeCount = in.readInt();
            for (int i = 0; i < outcomeCount; i++) {
                UUID number = new UUID(in.readLong(), in.readLong());
                outcomes.put(number, in.readLong());
            }
        }
    }

    private static ByteBuffer record(Path file, DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MOST_RECORD_BYTES) {
            throw new IOException(file + " has a record of " + length + " bytes, expected 0 to " + MOST_RECORD_BYTES);
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
