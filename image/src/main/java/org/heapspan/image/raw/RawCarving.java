package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.heapspan.FallbackReason;
import org.heapspan.image.format.Limits;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.Pool;
import org.heapspan.image.statistics.EngineCounters;
import org.heapspan.image.statistics.FallbackCount;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.FieldBlock;
import org.heapspan.vm.CarvePiece;
import org.heapspan.vm.CarveRequest;
import org.heapspan.vm.Carver;
import org.heapspan.vm.CarvingSpace;
import org.heapspan.vm.ClassFacts;
import org.heapspan.vm.Decline;
import org.jspecify.annotations.Nullable;

/**
 * The direct engine for raw images. If a chunk has the heap layout of this JVM, it creates all objects of the chunk at once. {@link
 * RawObjectReader} reads declined chunks object by object, with the same result. Belongs to one reader; not thread-safe.
 */
public final class RawCarving {
    /** Smaller objects than this there are none, so that the size of a chunk limits how many it holds, and how long arrays are. */
    private static final int LEAST_OBJECT_BYTES = 8;

    private static final FallbackCount NO_ENGINE = EngineCounters.fallback(FallbackReason.NO_DIRECT_ENGINE, "");
    private static final FallbackCount LIMITS = EngineCounters.fallback(FallbackReason.LIMITS, "");
    private static final FallbackCount TOO_LARGE = declined(Decline.TOO_LARGE);

    /** Reads nothing, because the portable engine is wanted. */
    static final RawCarving OFF = new RawCarving(null, FallbackCount.INTENDED);

    /** What tests do to an image before it is carved, to see whether it is found. */
    public interface Fault {
        byte[] alter(byte[] image, RawPieces pieces);
    }

    /** Obeyed by engines that are made later. */
    public static volatile @Nullable Fault fault;

    private final @Nullable Fault ownFault = fault;
    private final @Nullable Carver carver;
    private final FallbackCount absence;
    private final CarveRequest request = new CarveRequest();

    /** For all readers: a carving takes one for as long as it lasts, so that there are not many more than threads. */
    private static final Pool<CarvingSpace> SPACES = new Pool<>() {
        @Override
        public CarvingSpace make() {
            // There is one in a JVM, also after it has been switched off.
            return Objects.requireNonNull(EngineCounters.carver, "nothing is carved without a carver")
                    .newSpace();
        }
    };

    private Decline decline = Decline.NONE;

    private RawCarving(@Nullable Carver carver, FallbackCount absence) {
        this.carver = carver;
        this.absence = absence;
    }

    /** The engine for a reader; it carves nothing where this JVM has no carver. */
    static RawCarving create() {
        Carver carver = Access.MACHINE.carver();
        if (carver != null) {
            EngineCounters.carver = carver;
        }
        return new RawCarving(carver, NO_ENGINE);
    }

    private static FallbackCount declined(Decline reason) {
        return EngineCounters.fallback(FallbackReason.DECLINED, reason.name());
    }

    /** Why nothing is carved at all, or null. */
    @Nullable
    FallbackCount absence() {
        return carver == null || carver.switchedOff() != null ? absence : null;
    }

    /** Why so many bytes of objects are too many, or could hold more than a reader allows; or null. */
    @Nullable
    FallbackCount excess(long objectBytes, Limits limits) {
        if (carver == null || objectBytes > carver.maxBytes()) {
            return TOO_LARGE;
        }
        return objectBytes / LEAST_OBJECT_BYTES > limits.maxObjects() || objectBytes > limits.maxArrayLength()
                ? LIMITS
                : null;
    }

    /** Why the latest {@link #carve} was declined. */
    FallbackCount decline() {
        return declined(decline);
    }

    /**
     * Makes the objects of chunks that together begin and end a record.
     *
     * @return the roots of all the chunks' records, then all their exports; or null if the direct engine declines, and
     *     {@link #decline} says why
     */
    @Nullable
    Object @Nullable [] carve(RawPieces pieces, Classes classes, List<Object> constants) {
        boolean patched = false;
        byte[] image = pieces.inOneArray();
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
        request.image = ownFault == null ? image : ownFault.alter(image, pieces);
        request.firstUnit = pieces.get(0).header.firstUnit();
        request.constants = patched ? constants.toArray() : null;
        request.classWords = classes.differing;
        request.classWordCount = classes.differing.length / 2;
        CarvingSpace space = null;
        try {
            space = SPACES.take();
            @Nullable Object[] made = space.carve(request);
            decline = space.decline();
            return made;
        } catch (OutOfMemoryError e) {
            // Native memory, which the portable engine does without.
            decline = Decline.COLLECTOR_BUSY;
            return null;
        } finally {
            request.image = null;
            request.constants = null;
            if (space != null && !SPACES.giveIfRoom(space)) {
                space.close();
            }
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

        private boolean doubtsConstants;

        /** Pairs of class words, in the image and here, where the two differ. */
        private final long[] differing;

        /** Why the direct engine has to leave the image alone, or null: a class does not lie as here, or two classes have one name. */
        final @Nullable FallbackCount obstacle;

        private Classes(
                List<RawClass> classes,
                Set<Long> words,
                Map<String, Class<?>> byName,
                long[] differing,
                @Nullable FallbackCount obstacle) {
            this.classes = classes;
            this.words = words;
            this.byName = byName;
            this.differing = differing;
            this.obstacle = obstacle;
        }

        static final Classes EMPTY = new Classes(List.of(), Set.of(), Map.of(), NONE, null);

        private static Classes refused(FallbackCount obstacle) {
            return new Classes(List.of(), Set.of(), Map.of(), NONE, obstacle);
        }

        /** These and others. */
        Classes with(long[] otherWords, RawClass[] others) {
            if (obstacle != null) {
                return this;
            }
            List<RawClass> allClasses = new ArrayList<>(classes);
            Set<Long> allWords = new HashSet<>(words);
            Map<String, Class<?>> allByName = new HashMap<>(byName);
            long[] pairs = Arrays.copyOf(differing, differing.length + 2 * others.length);
            int count = differing.length;
            for (int i = 0; i < others.length; i++) {
                ClassFacts known = others[i].facts;
                // A word that comes again belonged to a class that was unloaded meanwhile.
                if (known == null || !allWords.add(otherWords[i]) || !others[i].agrees(allByName)) {
                    return refused(others[i].obstacle());
                }
                allClasses.add(others[i]);
                if (known.classWord() != otherWords[i]) {
                    pairs[count++] = otherWords[i];
                    pairs[count++] = known.classWord();
                }
            }
            long[] allPairs = count == 0 ? NONE : Arrays.copyOf(pairs, count);
            return new Classes(allClasses, allWords, allByName, allPairs, null);
        }

        /** Whether a constant is of a class that these mean by its name. */
        boolean admits(Object constant) {
            Class<?> type = constant.getClass();
            if (classes.isEmpty()) {
                // Shared by all readers, and no image has objects of no class.
                return false;
            }
            if (admittedConstants.contains(type)) {
                return true;
            }
            for (Class<?> each : RawRelations.classes(type, new FieldAccess[0])) {
                Class<?> known = byName.get(each.getName());
                if (known != null && known != each) {
                    return false;
                }
            }
            for (RawClass each : classes) {
                doubtsConstants |= each.doubts(type);
            }
            return admittedConstants.add(type);
        }

        /** Whether slots must be looked at because one of these classes may be unable to hold a constant that has been admitted. */
        boolean doubtsConstants() {
            return doubtsConstants;
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
     * Finds out whether objects of a class can be carved: whether they lie in an image exactly as they do here.
     *
     * @param made the class, of which nobody else knows yet
     * @param fields here, in the order of the description's {@link FieldBlock}
     */
    static void decide(RawClass made, RawLayout layout, RawClassDescription described, @Nullable FieldAccess[] fields) {
        Carver carver = Access.MACHINE.carver();
        RawLayout own = RawLayout.OWN;
        if (carver == null || own == null) {
            made.refuseCarving(NO_ENGINE);
        } else if (!layout.liesLike(own)) {
            made.refuseCarving(EngineCounters.fallback(FallbackReason.LAYOUT_DIFFERS, layout.describe()));
        } else if (made.updating != null) {
            made.refuseCarving(EngineCounters.fallback(FallbackReason.CLASS_NEEDS_UPDATES, made.type.getName()));
        } else {
            ClassFacts facts = carver.classFacts(made.type);
            if (facts == null) {
                made.refuseCarving(EngineCounters.fallback(FallbackReason.CLASS_NOT_CARVED, made.type.getName()));
            } else if (liesAlike(facts, made.type, described, fields)) {
                made.allowCarving(facts, RawRelations.classes(made.type, fields));
            }
        }
    }

    private static boolean liesAlike(
            ClassFacts facts, Class<?> type, RawClassDescription described, @Nullable FieldAccess[] fields) {
        if (facts.instanceBytes() != described.instanceBytes()) {
            return false;
        }
        if (RawRelations.fingerprint(type, fields) != described.relations()) {
            return false;
        }
        if (type.isArray()) {
            return true;
        }
        var slots = new FieldBlock(described.description().levels()).slots;
        for (int i = 0; i < fields.length; i++) {
            FieldAccess field = fields[i];
            if (field == null
                    || Access.raw().objectFieldOffset(field.field) != described.offsets()[i]
                    || field.code != slots.get(i).code()) {
                return false;
            }
        }
        return true;
    }
}
