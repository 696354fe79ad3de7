package org.heapspan.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.vm.CarvePiece;
import org.heapspan.vm.CarveRequest;
import org.heapspan.vm.Carver;
import org.heapspan.vm.CarvingSpace;
import org.heapspan.vm.ClassFacts;
import org.jspecify.annotations.Nullable;

/**
 * The direct engine for raw images: makes the objects of whole chunks at once, where they lie in the image as they do in this
 * JVM. What it declines, {@link RawImageReader} reads object by object, with the same result. Belongs to one reader; not thread-safe.
 */
final class RawCarving {
    /** Smaller objects than this there are none, so that the size of a chunk limits how many it holds, and how long arrays are. */
    private static final int LEAST_OBJECT_BYTES = 8;

    private final CarvingSpace space;
    private final CarveRequest request = new CarveRequest();

    private RawCarving(CarvingSpace space) {
        this.space = space;
    }

    /** The engine for a reader, or null where this JVM has none. */
    static @Nullable RawCarving create() {
        Carver carver = Access.MACHINE.carver();
        return carver == null ? null : new RawCarving(carver.newSpace());
    }

    /** Whether so many bytes of objects are not too many, and cannot hold more than a reader allows. */
    static boolean suits(long objectBytes, Limits limits) {
        Carver carver = Access.MACHINE.carver();
        return carver != null
                && objectBytes <= carver.maxBytes()
                && objectBytes / LEAST_OBJECT_BYTES <= limits.maxObjects()
                && objectBytes <= limits.maxArrayLength();
    }

    /**
     * Makes the objects of chunks that together begin and end a record.
     *
     * @return the roots of all the chunks' records, then all their exports; or null if the direct engine declines
     */
    @Nullable
    Object @Nullable [] carve(RawPieces pieces, Classes classes, List<Object> constants) {
        boolean patched = false;
        for (int i = 0; i < pieces.count(); i++) {
            RawPieces.Piece chunk = pieces.get(i);
            RawChunkHeader header = chunk.header;
            long start = chunk.position();
            CarvePiece piece = request.piece(i);
            piece.objectsOffset = start + header.objects();
            piece.objectBytes = header.objectBytes();
            piece.bitmapOffset = start + header.bitmap();
            piece.constantPatchesOffset = start + header.constantPatches();
            piece.constantPatchCount = header.constantPatchCount();
            piece.rootsOffset = start + header.roots();
            piece.rootCount = header.rootCount();
            piece.exportsOffset = start + header.exports();
            piece.exportCount = header.exportCount();
            patched |= header.constantPatchCount() > 0;
        }
        request.pieceCount = pieces.count();
        request.image = pieces.bytes();
        request.firstUnit = pieces.get(0).header.firstUnit();
        request.constants = patched ? constants.toArray() : null;
        request.classWords = classes.differing;
        request.classWordCount = classes.differing.length / 2;
        try {
            return space.carve(request);
        } finally {
            request.image = null;
            request.constants = null;
        }
    }

    /**
     * Classes of an image all of whose objects lie in it as they do here. Keeps them from being unloaded: a class word is good as
     * long as its class is there.
     */
    static final class Classes {
        private static final long[] NONE = {};

        private final List<RawClass> classes;
        private final Set<Long> words;

        /** Every class on which one of these depends; two of one name would make names mean nothing. */
        private final Map<String, Class<?>> byName;

        private final Set<Class<?>> admittedConstants = new HashSet<>();

        /** Pairs of class words, in the image and here, where the two differ. */
        private final long[] differing;

        private Classes(List<RawClass> classes, Set<Long> words, Map<String, Class<?>> byName, long[] differing) {
            this.classes = classes;
            this.words = words;
            this.byName = byName;
            this.differing = differing;
        }

        static final Classes EMPTY = new Classes(List.of(), Set.of(), Map.of(), NONE);

        /** These and others, or null if one of the others does not lie as here, or two classes have one name. */
        @Nullable
        Classes with(long[] otherWords, RawClass[] others) {
            List<RawClass> allClasses = new ArrayList<>(classes);
            Set<Long> allWords = new HashSet<>(words);
            Map<String, Class<?>> allByName = new HashMap<>(byName);
            long[] pairs = Arrays.copyOf(differing, differing.length + 2 * others.length);
            int count = differing.length;
            for (int i = 0; i < others.length; i++) {
                ClassFacts known = others[i].facts;
                // A word that comes again belonged to a class that was unloaded meanwhile.
                if (known == null || !allWords.add(otherWords[i]) || !others[i].agrees(allByName)) {
                    return null;
                }
                allClasses.add(others[i]);
                if (known.classWord() != otherWords[i]) {
                    pairs[count++] = otherWords[i];
                    pairs[count++] = known.classWord();
                }
            }
            return new Classes(allClasses, allWords, allByName, count == 0 ? NONE : Arrays.copyOf(pairs, count));
        }

        /** Whether a constant is of a class that these mean by its name. */
        boolean admits(Object constant) {
            Class<?> type = constant.getClass();
            if (admittedConstants.contains(type)) {
                return true;
            }
            for (Class<?> each : RawRelations.classes(type, new FieldAccess[0])) {
                Class<?> known = byName.get(each.getName());
                if (known != null && known != each) {
                    return false;
                }
            }
            return admittedConstants.add(type);
        }

        /** The class of an object that lies in a chunk with these. */
        @Nullable
        RawClass of(Object object) {
            for (RawClass each : classes) {
                if (each.type == object.getClass()) {
                    return each;
                }
            }
            return null;
        }
    }

    /**
     * Facts about a class whose objects lie in an image exactly as they do here, or null.
     *
     * @param fields here, in the order of the description's {@link FieldBlock}
     */
    static @Nullable ClassFacts facts(
            RawLayout layout, Class<?> type, RawClassDescription described, @Nullable FieldAccess[] fields) {
        Carver carver = Access.MACHINE.carver();
        RawLayout own = RawLayout.OWN;
        if (carver == null || own == null || !layout.liesLike(own)) {
            return null;
        }
        ClassFacts facts = carver.classFacts(type);
        if (facts == null || facts.instanceBytes() != described.instanceBytes()) {
            return null;
        }
        if (RawRelations.fingerprint(type, fields) != described.relations()) {
            return null;
        }
        if (type.isArray()) {
            return facts;
        }
        var slots = new FieldBlock(described.description().levels()).slots;
        for (int i = 0; i < fields.length; i++) {
            FieldAccess field = fields[i];
            if (field == null
                    || Access.raw().objectFieldOffset(field.field) != described.offsets()[i]
                    || field.code != slots.get(i).code()) {
                return null;
            }
        }
        return facts;
    }
}
