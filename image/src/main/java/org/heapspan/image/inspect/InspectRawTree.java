package org.heapspan.image.inspect;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.PrintableText;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.raw.RawChunkHeader;
import org.heapspan.image.raw.RawClassDescription;
import org.heapspan.image.raw.RawLayout;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a raw image as a tree. References lead anywhere within a record, so that chunks are kept while they come, as many as
 * {@link #KEPT_LIMIT_BYTES} allow; what lies beyond is named, not shown, as are objects that lie beside the copies. Whatever the bytes
 * say, a place that is none is only a node without contents.
 */
final class InspectRawTree {
    private static final long KEPT_LIMIT_BYTES = 16 << 20;
    private static final int ROOTS_LIMIT = 50_000;
    private static final int TEXT_LIMIT_CHARS = 100;
    private static final String NOT_KEPT = "(beyond the first " + (KEPT_LIMIT_BYTES >> 20) + " MB)";

    private final InspectNode root;
    private final TreeMap<Long, byte[]> chunks = new TreeMap<>();
    private final Map<Long, RawClassDescription> classes = new HashMap<>();

    /** By the place of a slot in the object space, in bytes: what belongs there and is no copy. */
    private final Map<Long, String> patches = new HashMap<>();

    private final List<Long> roots = new ArrayList<>();
    private final Set<Long> shown = new HashSet<>();
    private long keptBytes;

    InspectRawTree(InspectNode root) {
        this.root = root;
    }

    /** Room for the objects of a chunk, to be filled; null if they are not kept. */
    byte @Nullable [] keep(RawChunkHeader chunk) {
        int sizeBytes = chunk.objectBytes();
        if (!root.hasRoom() || sizeBytes < 0 || keptBytes + sizeBytes > KEPT_LIMIT_BYTES) {
            return null;
        }
        keptBytes += sizeBytes;
        byte[] objects = new byte[sizeBytes];
        chunks.put(chunk.firstUnit(), objects);
        return objects;
    }

    void describe(RawClassDescription described) {
        classes.put(described.classWord(), described);
    }

    /** Takes from the tables of a chunk, kept or not, the roots of the records that it ends; the limit is that of nodes. */
    void addRoots(RawChunkHeader chunk, byte[] tables, int start) {
        for (int i = 0; i < chunk.rootCount(); i++) {
            if (roots.size() < ROOTS_LIMIT) {
                roots.add(word(tables, chunk.roots() - start + i * RawFormat.ROOT_BYTES));
            } else {
                root.omit();
            }
        }
    }

    /** Takes from the tables of a chunk that is kept what belongs into slots and is no copy. */
    void addPatches(RawChunkHeader chunk, byte[] tables, int start) {
        long chunkStart = chunk.firstUnit() << RawFormat.UNIT_SHIFT;
        for (int i = 0; i < chunk.constantPatchCount(); i++) {
            int p = chunk.constantPatches() - start + i * RawFormat.CONSTANT_PATCH_BYTES;
            patches.put(chunkStart + (word(tables, p) << RawFormat.BITMAP_SLOT_SHIFT), "a constant");
        }
        for (int i = 0; i < chunk.sidePatchCount(); i++) {
            int p = chunk.sidePatches() - start + i * RawFormat.SIDE_PATCH_BYTES;
            long offset = (long) ImageFormat.LONG.get(tables, p + 2 * Integer.BYTES);
            patches.put((word(tables, p) << RawFormat.UNIT_SHIFT) + offset, "an object beside the copies");
        }
    }

    private static long word(byte[] bytes, int position) {
        return (int) ImageFormat.INT.get(bytes, position) & 0xFFFFFFFFL;
    }

    /** Builds the tree, once all chunks have come. */
    void build(RawLayout layout) {
        int record = 0;
        for (long unit : roots) {
            InspectNode node = InspectNode.element(root, "record " + record++);
            if (node != null) {
                if (unit == 0) {
                    node.value = "(nothing that is a copy)";
                } else {
                    show(layout, node, unit);
                }
            }
        }
    }

    /**
     * A copy.
     *
     * @param bytes the objects of its chunk
     * @param position where it begins in them
     * @param chunkStart where they begin in the object space, in bytes
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Place(byte[] bytes, int position, long chunkStart, RawClassDescription type) {
        boolean has(long offset, int sizeBytes) {
            return offset >= 0 && position + offset + sizeBytes <= bytes.length;
        }
    }

    private @Nullable Place placeOf(RawLayout layout, long unit) {
        Map.Entry<Long, byte[]> chunk = chunks.floorEntry(unit);
        if (chunk == null) {
            return null;
        }
        long position = unit - chunk.getKey() << RawFormat.UNIT_SHIFT;
        byte[] bytes = chunk.getValue();
        // With room for the length of an array.
        if (position + layout.heap().objectHeaderSizeBytes() + Integer.BYTES > bytes.length) {
            return null;
        }
        RawClassDescription type = classes.get(layout.classWordAt(bytes, (int) position));
        return type == null ? null : new Place(bytes, (int) position, chunk.getKey() << RawFormat.UNIT_SHIFT, type);
    }

    private void show(RawLayout layout, InspectNode node, long unit) {
        Place place = placeOf(layout, unit);
        if (place == null) {
            node.value = NOT_KEPT;
            return;
        }
        if (unit > Integer.MAX_VALUE || !shown.add(unit)) {
            node.reference = (int) unit;
            node.value = "-> #" + unit;
            return;
        }
        TypeDescription description = place.type.description();
        node.type = InspectText.className(description.name());
        node.index = (int) unit;
        if (description.kind() == Kind.OBJECT_ARRAY) {
            showArray(layout, node, place);
        } else if (!showValue(layout, node, place)) {
            showFields(layout, node, place);
        }
    }

    /** Shows a string or a box by its value. */
    private boolean showValue(RawLayout layout, InspectNode node, Place place) {
        String name = place.type.description().name();
        List<FieldBlock.Slot> slots = new FieldBlock(place.type.description().levels()).slots;
        if (name.equals("java.lang.String")) {
            String text = text(layout, place, slots);
            node.value = text == null ? NOT_KEPT : InspectText.quoted(text);
            return true;
        }
        if (name.startsWith("java.lang.")
                && slots.size() == 1
                && !isReference(slots.get(0).field().code())) {
            node.value =
                    primitive(slots.get(0).field().code(), place, place.type.offsets()[0]);
            return true;
        }
        return false;
    }

    private @Nullable String text(RawLayout layout, Place string, List<FieldBlock.Slot> slots) {
        int coder = 0;
        Place value = null;
        for (int i = 0; i < slots.size(); i++) {
            int offset = string.type.offsets()[i];
            if (!string.has(offset, Integer.BYTES)) {
                return null;
            }
            int at = string.position + offset;
            switch (slots.get(i).field().name()) {
                case "coder" -> coder = string.bytes[at];
                case "value" -> value = placeOf(layout, word(string.bytes, at));
                default -> {
                    // Its hash code.
                }
            }
        }
        if (value == null || !value.type.description().name().equals("[B")) {
            return null;
        }
        int start = value.position + layout.arrayBase(byte.class);
        long length = word(value.bytes, value.position + layout.heap().objectHeaderSizeBytes());
        boolean latin = coder == 0;
        int most = latin ? TEXT_LIMIT_CHARS : 2 * TEXT_LIMIT_CHARS;
        int shownBytes = (int) Math.min(Math.min(length, most), Math.max(0, value.bytes.length - start));
        // The writers there are, on x86, have the low byte first.
        String text = new String(
                value.bytes, start, shownBytes, latin ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_16LE);
        return shownBytes < length ? text + InspectText.ELLIPSIS : text;
    }

    private void showFields(RawLayout layout, InspectNode node, Place place) {
        List<Level> levels = place.type.description().levels();
        Map<FieldBlock.Slot, Integer> offsets = new HashMap<>();
        for (FieldBlock.Slot slot : new FieldBlock(levels).slots) {
            offsets.put(slot, place.type.offsets()[offsets.size()]);
        }
        for (Level level : levels) {
            for (TypeDescription.Field field : level.fields()) {
                InspectNode child = InspectNode.field(node, InspectText.name(field.name()));
                if (child != null) {
                    int offset = offsets.getOrDefault(new FieldBlock.Slot(level, field), 0);
                    if (isReference(field.code())) {
                        follow(layout, child, place, offset);
                    } else {
                        child.value = primitive(field.code(), place, offset);
                    }
                }
            }
        }
    }

    private void showArray(RawLayout layout, InspectNode node, Place place) {
        String name = place.type.description().name();
        long length = word(place.bytes, place.position + layout.heap().objectHeaderSizeBytes());
        node.value = length + " elements";
        boolean ofReferences = name.length() > 2;
        if (!ofReferences) {
            return;
        }
        int base = layout.arrayBase(Object.class);
        int elementBytes = layout.elementBytes(Object.class);
        for (long i = 0; i < length; i++) {
            InspectNode child = InspectNode.element(node, "[" + i + "]");
            if (child == null) {
                // One is counted already.
                node.omit(length - i - 1);
                return;
            }
            follow(layout, child, place, base + i * elementBytes);
        }
    }

    private void follow(RawLayout layout, InspectNode child, Place holder, long offset) {
        // An array may go on in the chunks that follow.
        long address = holder.chunkStart + holder.position + offset;
        Map.Entry<Long, byte[]> chunk = chunks.floorEntry(address >> RawFormat.UNIT_SHIFT);
        long at = chunk == null ? 0 : address - (chunk.getKey() << RawFormat.UNIT_SHIFT);
        if (chunk == null || at + Integer.BYTES > chunk.getValue().length) {
            child.value = NOT_KEPT;
            return;
        }
        long unit = word(chunk.getValue(), (int) at);
        if (unit != 0) {
            show(layout, child, unit);
        } else {
            child.value = patches.getOrDefault(address, "null");
        }
    }

    private static boolean isReference(char code) {
        return code == TypeDescription.Field.STRING || code == TypeDescription.Field.REFERENCE;
    }

    private static String primitive(char code, Place place, int offset) {
        if (!place.has(offset, sizeOf(code))) {
            return NOT_KEPT;
        }
        int at = place.position + offset;
        byte[] bytes = place.bytes;
        return switch (code) {
            case 'Z' -> Boolean.toString(bytes[at] != 0);
            case 'B' -> Byte.toString(bytes[at]);
            case 'S' -> Short.toString((short) shortAt(bytes, at));
            case 'C' -> "'" + PrintableText.of(Character.toString((char) shortAt(bytes, at))) + "'";
            case 'I' -> Integer.toString((int) ImageFormat.INT.get(bytes, at));
            case 'J' -> Long.toString((long) ImageFormat.LONG.get(bytes, at));
            case 'F' -> Float.toString(Float.intBitsToFloat((int) ImageFormat.INT.get(bytes, at)));
            default -> Double.toString(Double.longBitsToDouble((long) ImageFormat.LONG.get(bytes, at)));
        };
    }

    private static int shortAt(byte[] bytes, int at) {
        return bytes[at] & 0xFF | bytes[at + 1] << 8;
    }

    private static int sizeOf(char code) {
        return switch (code) {
            case 'Z', 'B' -> 1;
            case 'S', 'C' -> 2;
            case 'I', 'F' -> 4;
            default -> 8;
        };
    }
}
