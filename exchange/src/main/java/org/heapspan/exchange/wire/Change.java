package org.heapspan.exchange.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.heapspan.TypeRegistry;

/** What changes at servers that replicate it. Its first byte says which kind it is; a number that was used once keeps its meaning. */
public sealed interface Change {
    /** Of a key, whose former group is freed: the kind that each version reads. */
    byte KEY = 1;

    /** Types. */
    byte TYPES = 2;

    /** Of a key, with what it needs, and what becomes of its former group. */
    byte KEY_AND_GROUPS = 3;

    /** A group without a key. */
    byte GROUP = 4;

    /** A group is freed. */
    byte FREED = 5;

    /** Writes it with its kind. */
    void write(BodyWriter body);

    /** The bytes of the change. */
    default ByteBuffer write() {
        BodyWriter body = new BodyWriter();
        write(body);
        return body.written();
    }

    /** Reads a change that fills a buffer. */
    static Change read(ByteBuffer bytes) throws MalformedFrameException {
        BodyReader body = new BodyReader(bytes);
        byte kind = body.octet();
        Change read = switch (kind) {
            case KEY -> new OfKey(KeyRecord.read(body.rest()));
            case TYPES ->
                new TypesAdded(new UUID(body.longNumber(), body.longNumber()), TypeDescriptions.readAll(body));
            case KEY_AND_GROUPS -> OfKey.read(body);
            case GROUP -> new GroupAdded(GroupRecord.read(body));
            case FREED -> new GroupFreed(body.longNumber());
            default ->
                throw new MalformedFrameException("a change has the unknown kind " + kind
                        + "; it may be of a newer version, which all servers need");
        };
        body.finish();
        return read;
    }

    /**
     * A key leads to a group, or is removed.
     *
     * @param record the key
     * @param keepsFormer whether the group stays that the key led to before: others need it
     * @param needed addresses of groups that the new group needs
     */
    record OfKey(KeyRecord record, boolean keepsFormer, List<Long> needed) implements Change {
        /** Takes a copy. */
        public OfKey {
            needed = List.copyOf(needed);
        }

        /** A key whose groups nobody else needs. */
        public OfKey(KeyRecord record) {
            this(record, false, List.of());
        }

        private static OfKey read(BodyReader body) throws MalformedFrameException {
            boolean keepsFormer = body.flag();
            List<Long> needed = GroupRecord.readNeeded(body);
            return new OfKey(KeyRecord.read(body.rest()), keepsFormer, needed);
        }

        @Override
        public void write(BodyWriter body) {
            if (keepsFormer || !needed.isEmpty()) {
                body.number(KEY_AND_GROUPS);
                body.flag(keepsFormer);
                GroupRecord.writeNeeded(body, needed);
            } else {
                body.number(KEY);
            }
            body.rest(record.write());
        }
    }

    /** A group is there that no key leads to. */
    record GroupAdded(GroupRecord group) implements Change {
        @Override
        public void write(BodyWriter body) {
            body.number(GROUP);
            group.write(body);
        }
    }

    /** Nobody needs a group any more. */
    record GroupFreed(long address) implements Change {
        @Override
        public void write(BodyWriter body) {
            body.number(FREED);
            body.number(address);
        }
    }

    /** Types get the next numbers of a registry. The first change names the registry, and may have no types. */
    record TypesAdded(UUID registry, List<TypeRegistry.Type> types) implements Change {
        /** Takes a copy. */
        public TypesAdded {
            types = List.copyOf(types);
        }

        @Override
        public void write(BodyWriter body) {
            body.number(TYPES);
            body.number(registry.getMostSignificantBits());
            body.number(registry.getLeastSignificantBits());
            TypeDescriptions.writeAll(body, types);
        }
    }
}
