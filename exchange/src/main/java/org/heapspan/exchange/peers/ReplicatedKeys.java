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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyChange;
import org.heapspan.exchange.wire.KeyRecord;
import org.jspecify.annotations.Nullable;

/** The keys that several servers have in common, and the last changes by their numbers. Knows of no time and no chance. Thread-safe. */
final class ReplicatedKeys {
    /** As many numbered changes are remembered. */
    static final int MOST_OUTCOMES = 100_000;

    private static final int FORMAT = 1;
    private static final int MOST_RECORD_BYTES = 1 << 20;

    private final Map<String, KeyRecord> keys = new TreeMap<>();
    private final NavigableMap<Long, KeyRecord> byAddress = new TreeMap<>();
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
     * @param former what the key led to before, or null
     */
    record Effect(boolean counts, @Nullable KeyRecord former) {}

    synchronized Effect apply(KeyChange change) {
        KeyRecord record = change.record();
        if (record == null) {
            run = change.run();
            sequence = 0;
            return new Effect(true, null);
        }
        if (change.run() != run || change.sequence() != sequence + 1) {
            return new Effect(false, null);
        }
        sequence++;
        GroupDescription group = record.group();
        KeyRecord former = group == null ? keys.remove(record.name()) : keys.put(record.name(), record);
        index(former, record);
        if (change.number() != null) {
            outcomes.put(change.number(), group == null ? 0 : group.version());
        }
        return new Effect(true, former);
    }

    private void index(@Nullable KeyRecord former, KeyRecord record) {
        if (former != null && former.group() != null) {
            byAddress.remove(former.group().address());
        }
        if (record.group() != null) {
            byAddress.put(record.group().address(), record);
        }
    }

    /** The key that leads to the group at an address, or null. */
    synchronized @Nullable KeyRecord at(long address) {
        return byAddress.get(address);
    }

    /** Addresses and lengths of the groups of all keys. */
    synchronized NavigableMap<Long, Long> ranges() {
        NavigableMap<Long, Long> ranges = new TreeMap<>();
        byAddress.forEach((address, key) -> ranges.put(address, key.reservedBytes()));
        return ranges;
    }

    /** The last group that begins below an address, or null. */
    synchronized @Nullable KeyRecord below(long address) {
        Map.Entry<Long, KeyRecord> found = byAddress.lowerEntry(address);
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

    synchronized List<KeyRecord> keys() {
        return new ArrayList<>(keys.values());
    }

    synchronized void save(Path file) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeInt(FORMAT);
            out.writeLong(run);
            out.writeLong(sequence);
            out.writeInt(keys.size());
            for (KeyRecord key : keys.values()) {
                ByteBuffer bytes = key.write();
                out.writeInt(bytes.remaining());
                while (bytes.hasRemaining()) {
                    out.writeByte(bytes.get());
                }
            }
            out.writeInt(outcomes.size());
            for (Map.Entry<UUID, Long> outcome : outcomes.entrySet()) {
                out.writeLong(outcome.getKey().getMostSignificantBits());
                out.writeLong(outcome.getKey().getLeastSignificantBits());
                out.writeLong(outcome.getValue());
            }
        }
    }

    synchronized void load(Path file) throws IOException {
        keys.clear();
        byAddress.clear();
        outcomes.clear();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            int format = in.readInt();
            if (format != FORMAT) {
                throw new IOException(file + " has format " + format + ", expected " + FORMAT);
            }
            run = in.readLong();
            sequence = in.readLong();
            int keyCount = in.readInt();
            for (int i = 0; i < keyCount; i++) {
                int length = in.readInt();
                if (length < 0 || length > MOST_RECORD_BYTES) {
                    throw new IOException(file + " has a key of " + length + " bytes");
                }
                byte[] bytes = new byte[length];
                in.readFully(bytes);
                KeyRecord key = KeyRecord.read(ByteBuffer.wrap(bytes));
                keys.put(key.name(), key);
                index(null, key);
            }
            int outcomeCount = in.readInt();
            for (int i = 0; i < outcomeCount; i++) {
                UUID number = new UUID(in.readLong(), in.readLong());
                outcomes.put(number, in.readLong());
            }
        }
    }
}
