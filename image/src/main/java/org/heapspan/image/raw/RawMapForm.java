package org.heapspan.image.raw;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.codec.MapInsides;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.TypeDescription;
import org.jspecify.annotations.Nullable;

/**
 * Copies JDK maps and sets with their tables, if these are correct in every JVM. The entries are {@linkplain RawMapCopy read once}, and the
 * copy is built from them. Its parts follow one another: the set, the map, its table, its nodes. Nothing else refers to these parts.
 */
final class RawMapForm extends RawInstanceForm {
    /** Maps of up to this size are written at once; larger ones in parts, which may lie in several chunks. */
    private static final int WHOLE_BYTES = 64 << 10;

    private static final int NODES_IN_PART = 1 << 10;

    /** The maps and sets that are copied, each with the map that is in it. */
    private static final Map<Class<?>, Class<?>> MAPS = Map.of(
            HashMap.class, HashMap.class,
            LinkedHashMap.class, LinkedHashMap.class,
            TreeMap.class, TreeMap.class,
            HashSet.class, HashMap.class,
            LinkedHashSet.class, LinkedHashMap.class,
            TreeSet.class, TreeMap.class);

    /** Classes of stable keys, and whether they are copied in this JVM. */
    private static final Map<Class<?>, Boolean> KEYS = new ConcurrentHashMap<>();

    private final boolean sorted;
    private final boolean linked;

    /** Of a set, how its map is copied; else this. */
    private final RawMapForm map;

    private final int mapInSet;
    private final RawInstanceForm node;
    private final @Nullable RawTableForm table;
    private final PartForm parts;

    RawMapForm(RawLayout layout, Class<?> type, TypeDescription description, FieldAccess[] fields) {
        super(layout, type, description, fields, true);
        Class<?> mapType = MAPS.get(type);
        sorted = mapType == TreeMap.class;
        linked = mapType == LinkedHashMap.class;
        if (mapType == type) {
            map = this;
            mapInSet = 0;
            node = nodeForm(layout, type);
            table = sorted ? null : new RawTableForm(layout, MapInsides.HASH_NODE);
        } else {
            map = formOf(mapType);
            mapInSet = (int) (sorted ? MapInsides.MAP_OF_TREE_SET : MapInsides.MAP_OF_HASH_SET);
            node = map.node;
            table = map.table;
        }
        parts = new PartForm(this);
    }

    static boolean handles(Class<?> type) {
        return MAPS.containsKey(type);
    }

    private static RawMapForm formOf(@Nullable Class<?> mapType) {
        Codec codec = mapType == null ? null : BuiltInTypes.codecOf(mapType);
        if (mapType == null || codec == null) {
            throw new IllegalStateException(mapType + " is built in");
        }
        return (RawMapForm) RawForms.of(codec, mapType);
    }

    private static RawInstanceForm nodeForm(RawLayout layout, Class<?> mapType) {
        Class<?> type = mapType == TreeMap.class
                ? MapInsides.TREE_NODE
                : mapType == LinkedHashMap.class ? MapInsides.LINKED_NODE : MapInsides.HASH_NODE;
        TypeDescription description = type == null ? null : RawVetted.describe(type);
        if (type == null || description == null) {
            throw new IllegalStateException("the nodes of a vetted " + mapType + " are vetted");
        }
        return new RawInstanceForm(layout, type, description, ClassFields.targets(type, description), false);
    }

    /** Whether keys of a class are the same in every JVM, and are themselves copied in this one. */
    static boolean copiesKey(Class<?> type) {
        if (!MapInsides.isStableKey(type)) {
            return false;
        }
        Boolean known = KEYS.get(type);
        if (known == null) {
            known = RawVetted.describe(type) != null;
            KEYS.put(type, known);
        }
        return known;
    }

    // ---------------------------------------------------------------- places

    /** Bytes of the copy before its nodes. */
    private long bytesBeforeNodes(RawMapCopy copy) {
        return headBytes() + tableBytes(copy);
    }

    private int headBytes() {
        return map == this ? instanceBytes : instanceBytes + map.instanceBytes;
    }

    private long tableBytes(RawMapCopy copy) {
        return table == null || copy.bins.length == 0 ? 0 : table.sizeBytes(copy.bins.length);
    }

    @Override
    long sizeBytes(Object copy) {
        RawMapCopy of = (RawMapCopy) copy;
        return bytesBeforeNodes(of) + (long) of.count * node.instanceBytes;
    }

    /** Describes the classes of a copy's parts. */
    void noteClasses(RawAddressedWriter writer, RawMapCopy copy) {
        writer.noteClass(this);
        writer.noteClass(map);
        if (tableBytes(copy) > 0 && table != null) {
            writer.noteClass(table);
        }
        if (copy.count > 0) {
            writer.noteClass(node);
        }
    }

    /** Adds a copy that has its place to what is to be written. */
    void queue(RawQueue queue, RawMapCopy copy, long place) {
        locate(copy, place);
        if (sizeBytes(copy) <= WHOLE_BYTES) {
            queue.add(copy, this, place);
            return;
        }
        queue.add(new Part(copy, -1, 0), parts, place);
        if (table != null && copy.bins.length > 0) {
            queue.add(copy, table, place + headBytes());
        }
        for (int first = 0; first < copy.count; first += NODES_IN_PART) {
            int count = Math.min(NODES_IN_PART, copy.count - first);
            queue.add(new Part(copy, first, count), parts, copy.place(first));
        }
    }

    /** Notes where a copy will lie. */
    void locate(RawMapCopy copy, long place) {
        copy.nodesPlace = place + bytesBeforeNodes(copy);
        copy.nodeBytes = node.instanceBytes;
    }

    /** A part of a large copy: nodes, or the map itself if the number of the first is -1. */
    private record Part(RawMapCopy copy, int first, int count) {}

    private static final class PartForm extends RawForm {
        private final RawMapForm whole;

        PartForm(RawMapForm whole) {
            super(Kind.VALUE, null, 0);
            this.whole = whole;
        }

        @Override
        byte[] classBytes() {
            throw new IllegalStateException("parts have the classes of the whole");
        }

        @Override
        long sizeBytes(Object object) {
            Part part = (Part) object;
            return part.first < 0 ? whole.headBytes() : (long) part.count * whole.node.instanceBytes;
        }

        @Override
        boolean isLeaf(Object part) {
            return false;
        }

        @Override
        void write(RawAddressedWriter writer, Object object, int position) {
            Part part = (Part) object;
            if (part.first < 0) {
                whole.writeHead(writer, part.copy, position);
            } else {
                whole.writeNodes(writer, part.copy, part.first, part.count, position);
            }
        }

        @Override
        void forEachReference(Object part, Consumer<Object> visitor) {}
    }

    // ---------------------------------------------------------------- writing

    @Override
    boolean isLeaf(Object map) {
        return false;
    }

    @Override
    void write(RawAddressedWriter writer, Object object, int position) {
        RawMapCopy copy = (RawMapCopy) object;
        writeHead(writer, copy, position);
        if (table != null && copy.bins.length > 0) {
            table.write(writer, copy, position + headBytes());
        }
        writeNodes(writer, copy, 0, copy.count, position + (int) bytesBeforeNodes(copy));
    }

    private void writeHead(RawAddressedWriter writer, RawMapCopy copy, int position) {
        if (map == this) {
            writeMap(writer, copy, position);
            return;
        }
        int mapPosition = position + instanceBytes;
        layout.putHeader(writer.objects(), position, classWord);
        writer.writePlace(position + mapInSet, copy.nodesPlace - tableBytes(copy) - map.instanceBytes);
        map.writeMap(writer, copy, mapPosition);
    }

    private void writeMap(RawAddressedWriter writer, RawMapCopy copy, int position) {
        writer.beginPart(position);
        byte[] objects = writer.objects();
        layout.putHeader(objects, position, classWord);
        if (sorted) {
            ImageFormat.INT.set(objects, position + (int) MapInsides.TREE_SIZE, copy.count);
            writer.writeReference(position + (int) MapInsides.COMPARATOR, copy.comparator);
            if (copy.count > 0) {
                writer.writePlace(position + (int) MapInsides.ROOT, copy.place(0));
            }
            return;
        }
        ImageFormat.INT.set(objects, position + (int) MapInsides.SIZE, copy.count);
        ImageFormat.INT.set(objects, position + (int) MapInsides.THRESHOLD, copy.threshold);
        ImageFormat.INT.set(objects, position + (int) MapInsides.LOAD_FACTOR, copy.loadFactorBits);
        if (copy.count > 0) {
            writer.writePlace(position + (int) MapInsides.TABLE, copy.nodesPlace - tableBytes(copy));
        }
        if (linked) {
            objects[position + (int) MapInsides.ACCESS_ORDER] = (byte) (copy.accessOrder ? 1 : 0);
            if (copy.count > 0) {
                writer.writePlace(position + (int) MapInsides.HEAD, copy.place(0));
                writer.writePlace(position + (int) MapInsides.TAIL, copy.place(copy.count - 1));
            }
        }
    }

    private void writeNodes(RawAddressedWriter writer, RawMapCopy copy, int first, int count, int position) {
        int p = position;
        for (int i = first; i < first + count; i++) {
            writer.beginPart(p);
            layout.putHeader(writer.objects(), p, node.classWord);
            if (sorted) {
                writeTreeNode(writer, copy, i, p);
            } else {
                writeHashNode(writer, copy, i, p);
            }
            p += node.instanceBytes;
        }
    }

    private void writeHashNode(RawAddressedWriter writer, RawMapCopy copy, int i, int position) {
        ImageFormat.INT.set(writer.objects(), position + (int) MapInsides.NODE_HASH, copy.hashes[i]);
        link(writer, copy, position + (int) MapInsides.NODE_NEXT, copy.next[i]);
        if (linked) {
            link(writer, copy, position + (int) MapInsides.NODE_BEFORE, i);
            link(writer, copy, position + (int) MapInsides.NODE_AFTER, i + 2 > copy.count ? 0 : i + 2);
        }
        writeEntry(writer, copy, i, position + (int) MapInsides.NODE_KEY, position + (int) MapInsides.NODE_VALUE);
    }

    private static void writeTreeNode(RawAddressedWriter writer, RawMapCopy copy, int i, int position) {
        writer.objects()[position + (int) MapInsides.TREE_BLACK] = (byte) (copy.black[i] ? 1 : 0);
        link(writer, copy, position + (int) MapInsides.TREE_LEFT, copy.left[i]);
        link(writer, copy, position + (int) MapInsides.TREE_RIGHT, copy.right[i]);
        link(writer, copy, position + (int) MapInsides.TREE_PARENT, copy.parent[i]);
        writeEntry(writer, copy, i, position + (int) MapInsides.TREE_KEY, position + (int) MapInsides.TREE_VALUE);
    }

    /** Writes key and value, as with all references in the order of their places. */
    private static void writeEntry(
            RawAddressedWriter writer, RawMapCopy copy, int i, int keyPosition, int valuePosition) {
        if (keyPosition < valuePosition) {
            writer.writeElement(keyPosition, copy.keys[i], writer.bitsOf(copy.keySlots, i));
            writeValue(writer, copy, i, valuePosition);
        } else {
            writeValue(writer, copy, i, valuePosition);
            writer.writeElement(keyPosition, copy.keys[i], writer.bitsOf(copy.keySlots, i));
        }
    }

    private static void writeValue(RawAddressedWriter writer, RawMapCopy copy, int i, int position) {
        if (copy.setValue == null) {
            writer.writeElement(position, copy.values[i], writer.bitsOf(copy.valueSlots, i));
        } else {
            writer.writeConstant(position, copy.setValue);
        }
    }

    /** Writes a reference to a node by its number, counted from 1. */
    private static void link(RawAddressedWriter writer, RawMapCopy copy, int position, int number) {
        if (number > 0) {
            writer.writePlace(position, copy.place(number - 1));
        }
    }

    @Override
    void forEachReference(Object owner, Consumer<Object> visitor) {
        RawMapCopy copy = RawMapCopy.of(owner, null);
        if (copy != null) {
            copy.forEachReference(visitor);
        }
    }
}
