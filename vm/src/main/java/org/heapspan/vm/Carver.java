package org.heapspan.vm;

import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bottom of the direct engine: makes objects of the copies in a raw image at the speed of memory.
 *
 * <p>{@link VirtualMachine#carver} gives out the only one of a JVM, after it has passed a test of itself. Thread-safe.
 * {@code docs/decisions/0005-window-doors.md} says how it works and why.
 */
public final class Carver {
    static final int DECLINE_COUNT = Decline.values().length;

    /** The first JDK whose linker calls functions without a change of the thread's state (JEP 454). */
    private static final int FIRST_WITH_CRITICAL_CALL = 22;

    /**
     * More than this in one window would keep other threads waiting too long: at 4 bytes a nanosecond, the slowest that was seen with
     * memory touched for the first time, half a millisecond.
     */
    private static final long MAX_BYTES = 2 << 20;

    private final ClassInspector inspector;
    private final KnownClasses known;
    private final HeapLayout layout;
    private final long workshopAddress;
    private final long maxBytes;
    private final int numberShift;
    private final Cleaner cleaner;

    // Workspaces, and what those that were closed have counted; guarded by `spaces`.
    private final Set<CarvingSpace.Resources> spaces = new HashSet<>();
    private Totals closedTotals = new Totals();

    private volatile @Nullable String switchedOff;

    Carver(ClassInspector inspector, KnownClasses known, HeapLayout layout, long workshopAddress, long maxObjectBytes) {
        this.inspector = inspector;
        this.known = known;
        this.layout = layout;
        this.workshopAddress = workshopAddress;
        this.maxBytes = Math.min(maxObjectBytes, MAX_BYTES);
        this.numberShift = Integer.numberOfTrailingZeros(layout.referenceSizeBytes());
        this.cleaner = Cleaner.create();
    }

    static boolean usesCriticalCall() {
        return Runtime.version().feature() >= FIRST_WITH_CRITICAL_CALL;
    }

    /**
     * Facts of a class whose instances may be carved. Initialises the class.
     *
     * @return {@code null} if its instances must not be carved: the portable engine reads them
     */
    public @Nullable ClassFacts classFacts(Class<?> type) {
        ClassInspector.Verdict verdict = inspector.inspect(type);
        ClassFacts facts = verdict.facts();
        if (facts != null) {
            known.put(facts.classWord(), verdict.layoutHelper());
        }
        return facts;
    }

    /** Why {@link #classFacts} is {@code null}; {@code null} if it is not. */
    @Nullable
    String refusal(Class<?> type) {
        return inspector.inspect(type).refusal();
    }

    /**
     * Takes the carver out of use for the rest of the process: {@link VirtualMachine#carver} is {@code null} from now on, and
     * {@link VirtualMachine#findings} say why. Who has it already must ask {@link #switchedOff} before each carving.
     *
     * @param why what was found wrong; the first reason stays
     */
    public void switchOff(String why) {
        synchronized (spaces) {
            if (switchedOff == null) {
                switchedOff = why;
            }
        }
    }

    /** Why the carver must not be used any more; {@code null} while it may. */
    public @Nullable String switchedOff() {
        return switchedOff;
    }

    /** A workspace for one thread at a time; about a microsecond, so that callers keep them. */
    public CarvingSpace newSpace() {
        return new CarvingSpace(this, cleaner);
    }

    /** What all workspaces together have done so far. */
    public WindowStatistics statistics() {
        Totals totals = new Totals();
        synchronized (spaces) {
            totals.add(closedTotals);
            for (CarvingSpace.Resources space : spaces) {
                totals.add(space);
            }
        }
        return totals.statistics();
    }

    /** So many bytes of copies, roots and exports fit into one carving. */
    public long maxBytes() {
        return maxBytes;
    }

    long workshopAddress() {
        return workshopAddress;
    }

    int alignmentMask() {
        return layout.objectAlignmentBytes() - 1;
    }

    int longArrayBaseOffset() {
        return layout.longArrayBaseOffset();
    }

    /**
     * The arrays that become an {@code Object[]}: with elements as wide as references, so that whoever walks over the heap while class and
     * length change finds the end of the array by the old class and the new length.
     */
    static Class<?> numberArrayType(HeapLayout layout) {
        return layout.referenceSizeBytes() == Integer.BYTES ? int[].class : long[].class;
    }

    /** How many numbers an array has that takes so many bytes. */
    int numbersIn(long arrayBytes) {
        return (int) (arrayBytes - layout.referenceArrayBaseOffset() >> numberShift);
    }

    /** Bytes of an {@code Object[]} in memory. */
    long arrayBytes(long length) {
        int alignment = layout.objectAlignmentBytes();
        return layout.referenceArrayBaseOffset() + length * layout.referenceSizeBytes() + alignment - 1 & -alignment;
    }

    void opened(CarvingSpace.Resources space) {
        synchronized (spaces) {
            spaces.add(space);
        }
    }

    void closed(CarvingSpace.Resources space) {
        synchronized (spaces) {
            if (spaces.remove(space)) {
                closedTotals.add(space);
            }
        }
    }

    /** Workspaces that hold native memory, for tests of leaks. */
    int openSpaces() {
        synchronized (spaces) {
            return spaces.size();
        }
    }

    /** After the test of itself, which nobody wants counted. */
    void forgetStatistics() {
        synchronized (spaces) {
            closedTotals = new Totals();
        }
    }

    private static final class Totals {
        private final long[] declines = new long[DECLINE_COUNT];
        private final long[] windowsByLength = new long[RequestBlock.BUCKETS];
        private long longestNanos;

        void add(CarvingSpace.Resources space) {
            for (int i = 0; i < DECLINE_COUNT; i++) {
                declines[i] += space.declines[i];
            }
            for (int i = 0; i < RequestBlock.BUCKETS; i++) {
                windowsByLength[i] += space.value(RequestBlock.WINDOWS_BY_LENGTH + i * Long.BYTES);
            }
            longestNanos = Math.max(longestNanos, space.value(RequestBlock.LONGEST_NANOS));
        }

        void add(Totals other) {
            for (int i = 0; i < DECLINE_COUNT; i++) {
                declines[i] += other.declines[i];
            }
            for (int i = 0; i < RequestBlock.BUCKETS; i++) {
                windowsByLength[i] += other.windowsByLength[i];
            }
            longestNanos = Math.max(longestNanos, other.longestNanos);
        }

        WindowStatistics statistics() {
            Map<Decline, Long> reasons = new EnumMap<>(Decline.class);
            for (int i = 0; i < DECLINE_COUNT; i++) {
                if (declines[i] != 0) {
                    reasons.put(Decline.of(i), declines[i]);
                }
            }
            long windows = 0;
            List<Long> lengths = new ArrayList<>();
            for (long count : windowsByLength) {
                windows += count;
                lengths.add(count);
            }
            return new WindowStatistics(windows, reasons, lengths, longestNanos);
        }
    }
}
