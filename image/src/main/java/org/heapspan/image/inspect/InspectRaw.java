package org.heapspan.image.inspect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.raw.RawArrayForm;
import org.heapspan.image.raw.RawChunkHeader;
import org.heapspan.image.raw.RawClass;
import org.heapspan.image.raw.RawClassDescription;
import org.heapspan.image.raw.RawLayout;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.jspecify.annotations.Nullable;

/**
 * Looks into a raw image: walks the copies from header to header, takes account of their classes and hands them on for the tree.
 * What lies beside the copies is counted as a whole. As with {@link InspectWalk} no class is loaded and memory is bounded.
 */
final class InspectRaw {
    private static final int CLASSES_LIMIT = 100_000;
    private static final int CLASS_BYTES_LIMIT = 8 << 20;

    /** More than a chunk has: a patch for each slot, a root and an export for each object. */
    private static final int TABLES_LIMIT_BYTES = 4 << 20;

    private final InspectSource source;
    private @Nullable RawLayout layout;
    private final Map<Long, Use> byClassWord = new HashMap<>();
    private final List<Use> uses = new ArrayList<>();

    /** What is left of an array that goes on in the next chunk. */
    private long longArrayRest;

    private Use longArrayUse = Use.NONE;

    private final InspectRawTree tree;

    /** The objects of the chunk, as far as they have been walked; null if they are not kept. */
    private byte @Nullable [] kept;

    private int keptBytes;

    InspectRaw(InspectSource source, InspectNode tree) {
        this.source = source;
        this.tree = new InspectRawTree(tree);
    }

    /** The objects of one class. */
    private static final class Use {
        static final Use NONE =
                new Use(new RawClassDescription(0, RawArrayForm.describe(Object[].class), 0, new int[0], 0), 0);

        final RawClassDescription described;
        final int sizeBytes;
        long count;
        long bytes;

        Use(RawClassDescription described, int sizeBytes) {
            this.described = described;
            this.sizeBytes = sizeBytes;
        }

        boolean isArray() {
            return described.description().kind() == Kind.OBJECT_ARRAY;
        }

        InspectedImage.ClassUse result() {
            return new InspectedImage.ClassUse(
                    InspectText.className(described.description().name()), count, bytes);
        }

        InspectedImage.Type type() {
            TypeDescription description = described.description();
            List<InspectedImage.Field> fields = new ArrayList<>();
            for (Level level : description.levels()) {
                for (TypeDescription.Field field : level.fields()) {
                    fields.add(new InspectedImage.Field(
                            InspectText.className(level.className()),
                            field.typeName(),
                            InspectText.name(field.name())));
                }
            }
            return new InspectedImage.Type(
                    0,
                    description.kind().name(),
                    "",
                    InspectText.className(description.name()),
                    description.fingerprint(),
                    sizeBytes,
                    List.of(),
                    List.copyOf(fields));
        }
    }

    void run() throws IOException {
        while (!source.atEnd()) {
            if (layout == null) {
                require(RawFormat.LAYOUT_BYTES);
                layout = RawLayout.decode(source.readBytes(RawFormat.LAYOUT_BYTES), 0);
            }
            walkChunk(layout);
            source.skip(source.frameBytesLeft());
        }
    }

    /** Makes the tree of what was walked, up to the first problem if there was one. */
    void buildTree() {
        if (layout != null) {
            tree.build(layout);
        }
    }

    private void require(long sizeBytes) {
        if (sizeBytes > source.frameBytesLeft()) {
            throw source.malformed(
                    "a chunk has " + sizeBytes + " bytes, its frame has " + source.frameBytesLeft() + " left");
        }
    }

    private void walkChunk(RawLayout heap) throws IOException {
        require(RawFormat.HEADER_BYTES);
        byte[] header = source.readBytes(RawFormat.HEADER_BYTES);
        RawChunkHeader chunk = new RawChunkHeader();
        chunk.decode(header, 0);
        require(chunk.tablesEnd() - RawFormat.HEADER_BYTES);
        int classBytes = chunk.objects() - RawFormat.HEADER_BYTES;
        if (classBytes > CLASS_BYTES_LIMIT) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the classes of a chunk have " + classBytes + " bytes, the inspector's limit is "
                            + CLASS_BYTES_LIMIT);
        }
        readClasses(source.readBytes(classBytes));
        kept = tree.keep(chunk);
        keptBytes = 0;
        walkObjects(heap, chunk.objectBytes());
        source.skip(chunk.constantPatches() - chunk.bitmap());
        long tableBytes = chunk.tablesEnd() - chunk.constantPatches();
        if (tableBytes > TABLES_LIMIT_BYTES) {
            source.skip(tableBytes);
            return;
        }
        byte[] tables = source.readBytes((int) tableBytes);
        tree.addRoots(chunk, tables, chunk.constantPatches());
        if (kept != null) {
            tree.addPatches(chunk, tables, chunk.constantPatches());
        }
    }

    /** Reads bytes of objects. */
    private byte[] take(int sizeBytes) throws IOException {
        byte[] bytes = source.readBytes(sizeBytes);
        if (kept != null && sizeBytes <= kept.length - keptBytes) {
            System.arraycopy(bytes, 0, kept, keptBytes, sizeBytes);
            keptBytes += sizeBytes;
        }
        return bytes;
    }

    /** Passes over bytes of objects. */
    private void pass(long sizeBytes) throws IOException {
        if (kept == null || sizeBytes < 0) {
            source.skip(sizeBytes);
        } else {
            byte[] unused = take((int) sizeBytes);
        }
    }

    private void readClasses(byte[] bytes) {
        int[] position = {0};
        while (position[0] < bytes.length) {
            int start = position[0];
            RawClassDescription described = RawClassDescription.decode(bytes, position, bytes.length);
            if (uses.size() >= CLASSES_LIMIT) {
                throw new HeapspanException(
                        Category.LIMIT,
                        "the image describes more than " + CLASSES_LIMIT + " classes, the inspector's limit");
            }
            Use use = new Use(described, position[0] - start);
            uses.add(use);
            byClassWord.put(described.classWord(), use);
            tree.describe(described);
        }
    }

    private void walkObjects(RawLayout heap, long objectBytes) throws IOException {
        int headerBytes = heap.heap().objectHeaderSizeBytes();
        long rest = objectBytes - passLongArray(objectBytes);
        while (rest > 0) {
            if (rest < heap.leastObjectBytes()) {
                throw source.malformed("an object has " + rest + " bytes");
            }
            byte[] header = take(headerBytes);
            Use use = byClassWord.get(heap.classWordAt(header, 0));
            if (use == null) {
                throw source.malformed("an object has a class word that no class of the image has");
            }
            int read = headerBytes;
            long sizeBytes = use.described.instanceBytes();
            if (use.isArray()) {
                int length = (int) ImageFormat.INT.get(take(Integer.BYTES), 0);
                sizeBytes = arrayBytes(heap, use.described.description().name(), length);
                read += Integer.BYTES;
            }
            if (sizeBytes < read) {
                throw source.malformed("an object has " + sizeBytes + " bytes");
            }
            use.count++;
            long here = Math.min(sizeBytes, rest);
            use.bytes += here;
            pass(here - read);
            rest -= here;
            longArrayRest = sizeBytes - here;
            longArrayUse = use;
        }
    }

    private long passLongArray(long objectBytes) throws IOException {
        long part = Math.min(longArrayRest, objectBytes);
        pass(part);
        longArrayUse.bytes += part;
        longArrayRest -= part;
        return part;
    }

    /** Size of an array by the name of its class, such as {@code [I}. */
    private long arrayBytes(RawLayout heap, String name, int length) {
        if (length < 0 || name.length() < 2 || name.charAt(0) != '[') {
            throw source.malformed("an array has length " + length);
        }
        Class<?> component = switch (name.length() == 2 ? name.charAt(1) : 'L') {
            case 'Z' -> boolean.class;
            case 'B' -> byte.class;
            case 'S' -> short.class;
            case 'C' -> char.class;
            case 'I' -> int.class;
            case 'J' -> long.class;
            case 'F' -> float.class;
            case 'D' -> double.class;
            default -> Object.class;
        };
        return RawClass.Array.sizeBytes(heap, component, length);
    }

    /** Adds what was found to the account of everything else. */
    InspectedImage result(InspectedImage compact) {
        List<InspectedImage.Type> types = new ArrayList<>(compact.types());
        uses.forEach(use -> types.add(use.type()));
        List<InspectedImage.ClassUse> classes = uses.stream()
                .filter(use -> use.count > 0)
                .map(Use::result)
                .sorted(Comparator.comparingLong(InspectedImage.ClassUse::bytes)
                        .reversed()
                        .thenComparing(InspectedImage.ClassUse::className))
                .toList();
        InspectedImage.Header header = compact.header();
        RawLayout found = layout;
        return new InspectedImage(
                compact.sizeBytes(),
                new InspectedImage.Header(
                        header.version(),
                        header.checksummed(),
                        header.scope(),
                        header.transientFields(),
                        header.registry(),
                        found == null ? "unknown" : found.describe()),
                compact.frames(),
                types,
                classes,
                0,
                0,
                0,
                0,
                0,
                compact.frames().bodyBytes()
                        - uses.stream().mapToLong(use -> use.bytes).sum(),
                compact.tree(),
                compact.problem());
    }
}
