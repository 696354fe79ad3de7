package org.heapspan.tests.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * A heap dump in HotSpot's binary format (HPROF 1.0.2, {@code src/hotspot/share/services/heapDumper.cpp}), in which objects are looked
 * up by their ids. Identifiers are addresses; the file is mapped and may have up to 2 GB.
 */
final class HeapDump {
    private static final int TEXT = 0x01;
    private static final int LOAD_CLASS = 0x02;
    private static final int DUMP = 0x0C;
    private static final int DUMP_SEGMENT = 0x1C;

    private static final int CLASS = 0x20;
    private static final int INSTANCE = 0x21;
    private static final int OBJECT_ARRAY = 0x22;
    private static final int PRIMITIVE_ARRAY = 0x23;

    private static final int TYPE_OBJECT = 2;
    /** Sizes of the values of a type; of references that of ids. */
    private static final int[] TYPE_BYTES = {0, 0, 8, 0, 1, 2, 4, 8, 1, 2, 4, 8};

    private static final int ID_BYTES = 8;

    private final ByteBuffer file;
    private final Map<Long, String> texts = new HashMap<>();
    private final Map<Long, String> classNames = new HashMap<>();
    private final Map<Long, ClassShape> classes = new HashMap<>();
    private final List<Long> roots = new ArrayList<>();
    private final Offsets objects = new Offsets();

    /** What a class dump says; `offset` is where it begins. */
    private record ClassShape(long superclass, List<FieldShape> fields, long[] references) {}

    private record FieldShape(String name, int type) {}

    /** From ids to places in the file: an open hash table. */
    private static final class Offsets {
        private long[] ids = new long[1 << 16];
        private int[] offsets = new int[1 << 16];
        private boolean[] visited = {};
        private int count;

        void put(long id, int offset) {
            if (2 * count > ids.length) {
                long[] oldIds = ids;
                int[] oldOffsets = offsets;
                ids = new long[2 * oldIds.length];
                offsets = new int[ids.length];
                for (int i = 0; i < oldIds.length; i++) {
                    if (oldIds[i] != 0) {
                        int place = place(oldIds[i]);
                        ids[place] = oldIds[i];
                        offsets[place] = oldOffsets[i];
                    }
                }
            }
            int place = place(id);
            count += ids[place] == 0 ? 1 : 0;
            ids[place] = id;
            offsets[place] = offset;
        }

        private int place(long id) {
            int place = (int) (id * 0x9E3779B97F4A7C15L >>> 32) & ids.length - 1;
            while (ids[place] != 0 && ids[place] != id) {
                place = place + 1 & ids.length - 1;
            }
            return place;
        }

        /** -1 if there is no such object. */
        int get(long id) {
            int place = place(id);
            return ids[place] == 0 ? -1 : offsets[place];
        }

        boolean visit(long id) {
            if (visited.length != ids.length) {
                visited = new boolean[ids.length];
            }
            int place = place(id);
            boolean first = !visited[place];
            visited[place] = true;
            return first;
        }
    }

    /** Reads the tables of a dump. */
    HeapDump(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path)) {
            file = channel.map(MapMode.READ_ONLY, 0, channel.size());
        }
        int letter;
        do {
            // The name of the format ends with 0.
            letter = file.get();
        } while (letter != 0);
        if (file.getInt() != ID_BYTES) {
            throw new IOException("ids of another size than " + ID_BYTES);
        }
        file.getLong();
        while (file.hasRemaining()) {
            int tag = file.get();
            file.getInt();
            int end = file.getInt() + file.position();
            if (tag == TEXT) {
                long id = file.getLong();
                byte[] bytes = new byte[end - file.position()];
                file.get(bytes);
                texts.put(id, new String(bytes, StandardCharsets.UTF_8));
            } else if (tag == LOAD_CLASS) {
                file.getInt();
                long id = file.getLong();
                file.getInt();
                classNames.put(id, String.valueOf(texts.get(file.getLong())).replace('/', '.'));
            } else if (tag == DUMP || tag == DUMP_SEGMENT) {
                while (file.position() < end) {
                    readPart();
                }
            }
            file.position(end);
        }
    }

    private void readPart() throws IOException {
        int offset = file.position();
        int tag = file.get() & 0xff;
        switch (tag) {
            case 0xff, 0x05, 0x07 -> root(0);
            case 0x01 -> root(ID_BYTES);
            case 0x02, 0x03, 0x08 -> root(8);
            case 0x04, 0x06 -> root(4);
            case CLASS -> readClass();
            case INSTANCE -> {
                objects.put(file.getLong(), offset);
                skip(4 + ID_BYTES);
                skip(file.getInt());
            }
            case OBJECT_ARRAY -> {
                objects.put(file.getLong(), offset);
                skip(4);
                int length = file.getInt();
                skip(ID_BYTES + length * ID_BYTES);
            }
            case PRIMITIVE_ARRAY -> {
                objects.put(file.getLong(), offset);
                skip(4);
                int length = file.getInt();
                skip(length * TYPE_BYTES[file.get()]);
            }
            default -> throw new IOException("part 0x" + Integer.toHexString(tag) + " at " + offset + " is not known");
        }
    }

    private void root(int moreBytes) {
        roots.add(file.getLong());
        skip(moreBytes);
    }

    private void skip(int bytes) {
        file.position(file.position() + bytes);
    }

    private void readClass() {
        long id = file.getLong();
        file.getInt();
        long[] references = new long[4];
        for (int i = 0; i < references.length; i++) {
            references[i] = file.getLong(); // superclass, loader, signers, protection domain
        }
        skip(2 * ID_BYTES + 4);
        int constants = file.getShort();
        for (int i = 0; i < constants; i++) {
            file.getShort();
            skip(TYPE_BYTES[file.get()]);
        }
        int statics = file.getShort() & 0xffff;
        int count = references.length;
        references = Arrays.copyOf(references, count + statics);
        for (int i = 0; i < statics; i++) {
            file.getLong();
            int type = file.get();
            if (type == TYPE_OBJECT) {
                references[count++] = file.getLong();
            } else {
                skip(TYPE_BYTES[type]);
            }
        }
        List<FieldShape> fields = new ArrayList<>();
        for (int i = file.getShort() & 0xffff; i > 0; i--) {
            String name = texts.get(file.getLong());
            fields.add(new FieldShape(name, file.get()));
        }
        classes.put(id, new ClassShape(references[0], fields, Arrays.copyOf(references, count)));
    }

    int objectCount() {
        return objects.count;
    }

    /**
     * Follows references from the roots; what cannot be reached may refer to what is no longer there.
     *
     * @param visitor takes the id of each object that can be reached
     * @throws AssertionError if a reference leads to no object of the dump
     */
    void walk(LongConsumer visitor) {
        long[] pending = new long[1024];
        int count = 0;
        List<Long> start = new ArrayList<>(roots);
        for (ClassShape each : classes.values()) {
            for (long reference : each.references) {
                start.add(reference);
            }
        }
        for (long root : start) {
            if (root != 0 && known(root, 0, -1) && objects.visit(root)) {
                pending = Arrays.copyOf(pending, count == pending.length ? 2 * count : pending.length);
                pending[count++] = root;
            }
        }
        long[] references = new long[16];
        while (count > 0) {
            long id = pending[--count];
            visitor.accept(id);
            int length = referenceCount(id);
            references = length > references.length ? new long[length] : references;
            readReferences(id, references);
            pending = count + length > pending.length ? Arrays.copyOf(pending, 2 * (count + length)) : pending;
            for (int i = 0; i < length; i++) {
                long target = references[i];
                if (target != 0 && known(target, id, i) && objects.visit(target)) {
                    pending[count++] = target;
                }
            }
        }
    }

    /** Whether an id is that of an object and not of a class; fails if it is neither. */
    private boolean known(long id, long holder, int index) {
        if (objects.get(id) >= 0) {
            return true;
        }
        if (!classNames.containsKey(id)) {
            throw new AssertionError("reference " + index + " of " + (holder == 0 ? "a root" : classOf(holder))
                    + " leads to 0x" + Long.toHexString(id) + ", where the dump has no object");
        }
        return false;
    }

    private int referenceCount(long id) {
        int offset = objects.get(id);
        return switch (file.get(offset)) {
            case OBJECT_ARRAY -> file.getInt(offset + 1 + ID_BYTES + 4);
            case INSTANCE -> {
                int fields = 0;
                for (long type = classIdOf(id); type != 0; type = shape(type).superclass) {
                    for (FieldShape each : shape(type).fields) {
                        fields += each.type == TYPE_OBJECT ? 1 : 0;
                    }
                }
                yield fields;
            }
            default -> 0;
        };
    }

    private void readReferences(long id, long[] references) {
        int offset = objects.get(id);
        int count = 0;
        if (file.get(offset) == OBJECT_ARRAY) {
            int length = file.getInt(offset + 1 + ID_BYTES + 4);
            int at = offset + 1 + ID_BYTES + 4 + 4 + ID_BYTES;
            for (; count < length; count++) {
                references[count] = file.getLong(at + ID_BYTES * count);
            }
        } else if (file.get(offset) == INSTANCE) {
            int at = offset + 1 + ID_BYTES + 4 + ID_BYTES + 4;
            for (long type = classIdOf(id); type != 0; type = shape(type).superclass) {
                for (FieldShape each : shape(type).fields) {
                    if (each.type == TYPE_OBJECT) {
                        references[count++] = file.getLong(at);
                    }
                    at += TYPE_BYTES[each.type];
                }
            }
        }
    }

    private long classIdOf(long id) {
        int offset = objects.get(id);
        return file.getLong(offset + 1 + ID_BYTES + 4 + (file.get(offset) == OBJECT_ARRAY ? 4 : 0));
    }

    private ClassShape shape(long type) {
        ClassShape shape = classes.get(type);
        if (shape == null) {
            throw new AssertionError("an object is of class 0x" + Long.toHexString(type) + " (" + classNames.get(type)
                    + "), which the dump does not describe");
        }
        return shape;
    }

    /** Name of an object's class; of arrays as in class files, of those of primitives only their kind. */
    String classOf(long id) {
        return file.get(objects.get(id)) == PRIMITIVE_ARRAY
                ? "an array of primitives"
                : String.valueOf(classNames.get(classIdOf(id)));
    }

    /** The value of a field, of whichever type; of the subclass if several have one of that name. */
    long field(long id, String name) {
        int at = objects.get(id) + 1 + ID_BYTES + 4 + ID_BYTES + 4;
        for (long type = classIdOf(id); type != 0; type = shape(type).superclass) {
            for (FieldShape each : shape(type).fields) {
                if (each.name.equals(name)) {
                    return switch (TYPE_BYTES[each.type]) {
                        case 1 -> file.get(at);
                        case 2 -> file.getShort(at);
                        case 4 -> file.getInt(at);
                        default -> file.getLong(at);
                    };
                }
                at += TYPE_BYTES[each.type];
            }
        }
        throw new AssertionError("objects of " + classOf(id) + " have no field " + name);
    }

    /** Ids of an array's elements. */
    long[] elements(long id) {
        if (file.get(objects.get(id)) != OBJECT_ARRAY) {
            throw new AssertionError("an object of " + classOf(id) + " is no array of references");
        }
        long[] elements = new long[referenceCount(id)];
        readReferences(id, elements);
        return elements;
    }
}
