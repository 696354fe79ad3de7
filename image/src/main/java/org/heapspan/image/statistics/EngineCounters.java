package org.heapspan.image.statistics;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.heapspan.Encoding;
import org.heapspan.EngineStatistics;
import org.heapspan.FallbackReason;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.Tally;
import org.heapspan.vm.Carver;
import org.heapspan.vm.WindowStatistics;
import org.jspecify.annotations.Nullable;

/**
 * What this process has encoded and decoded. Pooled readers and writers count in {@link Tally tallies} of their own, which are summed when
 * somebody asks; short-lived ones hand theirs over. Thread-safe.
 */
public final class EngineCounters {
    /** So many classes are told apart for a reason; class names of images without end must not fill the memory. */
    private static final int MOST_CONCERNED = 256;

    private static final int STRIPES = 32;

    private static final String OTHERS = "others";

    private static final Totals ENCODED = new Totals();
    private static final Totals DECODED = new Totals();
    private static final Map<FallbackReason, Map<String, FallbackCount>> FALLBACKS = new ConcurrentHashMap<>();

    private static final LongAdder VERIFIED_EQUAL = new LongAdder();
    private static final LongAdder VERIFIED_INCONCLUSIVE = new LongAdder();
    private static final LongAdder VERIFIED_DIFFERENT = new LongAdder();

    /** Set once a reader has asked for it: who only looks at the counters shall not wait for its opening. */
    public static volatile @Nullable Carver carver;

    private EngineCounters() {}

    /** One direction. */
    private static final class Totals {
        /** What groups and streams have handed over, each thread to one of these: there may be many threads with small groups. */
        private final Tally[] handedOver = new Tally[STRIPES];

        private final ReferenceQueue<Object> gone = new ReferenceQueue<>();
        private final Set<Reference<?>> owned = new HashSet<>();

        Totals() {
            for (int i = 0; i < STRIPES; i++) {
                handedOver[i] = new Tally();
            }
        }

        void handOver(Tally tally) {
            Tally stripe = handedOver[(int) Thread.currentThread().getId() & STRIPES - 1];
            synchronized (stripe) {
                stripe.take(tally);
            }
        }

        synchronized void register(Object owner, Tally tally) {
            forgetGone();
            owned.add(new Owned(owner, gone, tally));
        }

        private void forgetGone() {
            for (Reference<?> each = gone.poll(); each != null; each = gone.poll()) {
                if (owned.remove(each)) {
                    handOver(((Owned) each).tally);
                }
            }
        }

        synchronized Tally sum() {
            forgetGone();
            Tally sum = new Tally();
            for (Tally stripe : handedOver) {
                synchronized (stripe) {
                    sum.add(stripe);
                }
            }
            for (Reference<?> each : owned) {
                sum.add(((Owned) each).tally);
            }
            return sum;
        }
    }

    /** A tally that outlives its reader or writer until it has been added up. */
    private static final class Owned extends WeakReference<Object> {
        private final Tally tally;

        Owned(Object owner, ReferenceQueue<Object> gone, Tally tally) {
            super(owner, gone);
            this.tally = tally;
        }
    }

    /** Counts what a pooled writer does as long as it lives. */
    public static void register(ImageWriter writer) {
        ENCODED.register(writer, writer.tally);
    }

    /** Counts what a pooled reader does as long as it lives. */
    public static void register(ImageReader reader) {
        DECODED.register(reader, reader.tally);
    }

    /** Takes over what a writer that is not registered has counted. */
    public static void handOver(ImageWriter writer) {
        ENCODED.handOver(writer.tally);
    }

    /** Takes over what a reader that is not registered has counted. */
    public static void handOver(ImageReader reader) {
        DECODED.handOver(reader.tally);
    }

    /**
     * The counter of a reason; the same one for the same arguments, so that it can be kept.
     *
     * @param concerning the class, layout or reason of the carver; empty for none
     */
    public static FallbackCount fallback(FallbackReason reason, String concerning) {
        Map<String, FallbackCount> counts = FALLBACKS.computeIfAbsent(reason, r -> new ConcurrentHashMap<>(1));
        String name = counts.size() < MOST_CONCERNED || counts.containsKey(concerning) ? concerning : OTHERS;
        return counts.computeIfAbsent(name, n -> new FallbackCount(reason, n));
    }

    static List<FallbackCount> fallbacks() {
        List<FallbackCount> all = new ArrayList<>();
        FALLBACKS.values().forEach(counts -> all.addAll(counts.values()));
        return all;
    }

    public static void verifiedEqual() {
        VERIFIED_EQUAL.increment();
    }

    public static void verifiedInconclusive() {
        VERIFIED_INCONCLUSIVE.increment();
    }

    public static void verifiedDifferent() {
        VERIFIED_DIFFERENT.increment();
    }

    static EngineStatistics.Windows windows() {
        Carver known = carver;
        if (known == null) {
            return new EngineStatistics.Windows(0, List.of(), 0);
        }
        WindowStatistics windows = known.statistics();
        return new EngineStatistics.Windows(windows.windows(), windows.windowsByLength(), windows.longestNanos());
    }

    public static EngineStatistics snapshot() {
        Tally encoded = ENCODED.sum();
        Tally decoded = DECODED.sum();
        List<EngineStatistics.Fallback> fallbacks = fallbacks().stream()
                .map(each -> new EngineStatistics.Fallback(each.reason, each.concerning, each.chunks()))
                .filter(each -> each.chunks() > 0)
                .sorted(Comparator.comparingLong(EngineStatistics.Fallback::chunks)
                        .reversed())
                .toList();
        return new EngineStatistics(
                byEncoding(encoded),
                byEncoding(decoded),
                decoded.carvedChunks(),
                fallbacks,
                windows(),
                new EngineStatistics.Verification(
                        VERIFIED_EQUAL.sum(), VERIFIED_INCONCLUSIVE.sum(), VERIFIED_DIFFERENT.sum()));
    }

    private static Map<Encoding, EngineStatistics.Traffic> byEncoding(Tally sum) {
        return Map.of(Encoding.COMPACT, sum.compact(), Encoding.RAW, sum.raw());
    }
}
