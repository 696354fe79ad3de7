package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.heapspan.EngineStatistics.Traffic;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The tests of this class have the process to themselves: others of this JVM run before or after. */
@SuppressWarnings("serial")
class EngineStatisticsTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Link implements Serializable {
        Link next;
        int number;
    }

    private static Traffic difference(Traffic before, Traffic after) {
        return new Traffic(
                after.images() - before.images(), after.bytes() - before.bytes(), after.records() - before.records());
    }

    private static Traffic encoded(Encoding encoding, Callable<?> work) throws Exception {
        return during(statistics -> statistics.encoded().get(encoding), work);
    }

    private static Traffic decoded(Encoding encoding, Callable<?> work) throws Exception {
        return during(statistics -> statistics.decoded().get(encoding), work);
    }

    private static Traffic during(Function<EngineStatistics, Traffic> part, Callable<?> work) throws Exception {
        Traffic before = part.apply(Heapspan.statistics());
        work.call();
        return difference(before, part.apply(Heapspan.statistics()));
    }

    private static boolean writesRaw() {
        return VirtualMachine.current().memory() != null;
    }

    @Test
    void countsSingleGraphsInAllWaysToWriteAndReadThem() throws Exception {
        byte[] image = HEAPSPAN.encode("hello");
        Traffic one = new Traffic(1, image.length, 1);
        assertThat(encoded(Encoding.COMPACT, () -> HEAPSPAN.encode("hello"))).isEqualTo(one);
        assertThat(decoded(Encoding.COMPACT, () -> HEAPSPAN.decode(image, String.class)))
                .isEqualTo(one);
        ByteBuffer buffer = ByteBuffer.allocate(100);
        Traffic written = encoded(Encoding.COMPACT, () -> HEAPSPAN.encodeTo("hello", buffer));
        assertThat(written).isEqualTo(new Traffic(1, buffer.flip().remaining(), 1));
        assertThat(decoded(Encoding.COMPACT, () -> HEAPSPAN.decodeFrom(buffer, String.class)))
                .isEqualTo(written);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        written = encoded(Encoding.COMPACT, () -> {
            HEAPSPAN.encodeTo("hello", out);
            return null;
        });
        assertThat(written).isEqualTo(new Traffic(1, out.size(), 1));
        var in = new ByteArrayInputStream(out.toByteArray());
        assertThat(decoded(Encoding.COMPACT, () -> HEAPSPAN.decodeFrom(in, String.class)))
                .isEqualTo(written);
        assertThat(encoded(Encoding.COMPACT, () -> HEAPSPAN.copy(List.of("hello"))))
                .isEqualTo(new Traffic(0, 0, 0));
    }

    @Test
    void countsGroupsAndStreamsWhenTheyEnd() throws Exception {
        GroupWriter writer = HEAPSPAN.groupWriter();
        byte[][] group = new byte[1][];
        Traffic written = encoded(Encoding.COMPACT, () -> {
            for (int i = 0; i < 50_000; i++) {
                writer.write("record " + i);
            }
            group[0] = writer.finish();
            return null;
        });
        assertThat(written).isEqualTo(new Traffic(1, group[0].length, 50_000));
        GroupReader reader = HEAPSPAN.groupReader(group[0]);
        assertThat(decoded(Encoding.COMPACT, () -> {
                    for (int i = 0; i < 49_999; i++) {
                        reader.next();
                    }
                    return null;
                }))
                .isEqualTo(new Traffic(0, 0, 0));
        // Whether it is asked for a further record or not.
        assertThat(decoded(Encoding.COMPACT, reader::next)).isEqualTo(written);
        assertThat(decoded(Encoding.COMPACT, reader::hasNext)).isEqualTo(new Traffic(0, 0, 0));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        written = encoded(Encoding.COMPACT, () -> {
            try (var stream = new HeapspanObjectOutputStream(out)) {
                stream.writeObject("one");
                stream.writeObject("two");
            }
            return null;
        });
        assertThat(written).isEqualTo(new Traffic(1, out.size(), 2));
    }

    @Test
    void countsRawImagesAndWhoMadeTheirObjects() throws Exception {
        Assumptions.assumeTrue(writesRaw(), "needs raw memory");
        boolean direct = VirtualMachine.current().carver() != null;
        byte[] small = HEAPSPAN.encode(List.of("a", "b").toArray(), Encoding.RAW);
        EngineStatistics before = Heapspan.statistics();
        assertThat(decoded(Encoding.RAW, () -> HEAPSPAN.decodeTrusted(small, Object[].class)))
                .isEqualTo(new Traffic(1, small.length, 1));
        EngineStatistics after = Heapspan.statistics();
        if (direct) {
            assertThat(after.chunksCarved()).isEqualTo(before.chunksCarved() + 1);
            assertThat(after.windows().count()).isGreaterThan(before.windows().count());
            assertThat(after.windows().byLength().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(after.windows().count());
        } else {
            assertThat(portable(after, FallbackReason.NO_DIRECT_ENGINE))
                    .isEqualTo(portable(before, FallbackReason.NO_DIRECT_ENGINE) + 1);
        }
        Link link = null;
        for (int i = 0; i < 200_000; i++) {
            Link next = new Link();
            next.next = link;
            next.number = i;
            link = next;
        }
        byte[] large = HEAPSPAN.encode(link, Encoding.RAW);
        before = Heapspan.statistics();
        HEAPSPAN.decodeTrusted(large, Link.class);
        after = Heapspan.statistics();
        FallbackReason reason = direct ? FallbackReason.DECLINED : FallbackReason.NO_DIRECT_ENGINE;
        assertThat(portable(after, reason)).isGreaterThan(portable(before, reason) + 1);
        assertThat(after.chunksPortable())
                .isEqualTo(after.fallbacks().stream()
                        .mapToLong(EngineStatistics.Fallback::chunks)
                        .sum());
    }

    @Test
    void namesTheClassThatKeepsTheDirectEngineOut() throws Exception {
        Assumptions.assumeTrue(VirtualMachine.current().carver() != null, "needs the direct engine");
        Heapspan updating = Heapspan.builder()
                .registerUpdate(Link.class.getDeclaredField("number"), (owner, sent) -> 7)
                .build();
        byte[] image = HEAPSPAN.encode(new Link(), Encoding.RAW);
        assertThat(updating.decodeTrusted(image, Link.class).number).isEqualTo(7);
        assertThat(Heapspan.statistics().fallbacks()).anySatisfy(fallback -> {
            assertThat(fallback.reason()).isEqualTo(FallbackReason.CLASS_NEEDS_UPDATES);
            assertThat(fallback.concerning()).isEqualTo(Link.class.getName());
            assertThat(fallback.chunks()).isPositive();
        });
        Heapspan limited = Heapspan.builder().maxObjects(1).build();
        long before = portable(Heapspan.statistics(), FallbackReason.LIMITS);
        limited.decodeTrusted(image, Link.class);
        assertThat(portable(Heapspan.statistics(), FallbackReason.LIMITS)).isEqualTo(before + 1);
    }

    private static long portable(EngineStatistics statistics, FallbackReason reason) {
        return statistics.fallbacks().stream()
                .filter(each -> each.reason() == reason)
                .mapToLong(EngineStatistics.Fallback::chunks)
                .sum();
    }

    @Test
    void losesNothingToThreadsAndCollections() throws Exception {
        int threads = 4;
        long each = 2_000;
        long all = threads * each;
        byte[] image = HEAPSPAN.encode("hello");
        Traffic decoded = decoded(Encoding.COMPACT, () -> {
            var pool = Executors.newFixedThreadPool(threads);
            try {
                List<Future<?>> done = new ArrayList<>();
                for (int t = 0; t < threads; t++) {
                    done.add(pool.submit(() -> {
                        // Its readers go with it.
                        Heapspan own = Heapspan.create();
                        for (int i = 0; i < each; i++) {
                            own.decode(image, String.class);
                        }
                    }));
                }
                for (Future<?> future : done) {
                    future.get();
                }
            } finally {
                pool.shutdown();
            }
            collect();
            return null;
        });
        assertThat(decoded).isEqualTo(new Traffic(all, all * image.length, all));
    }

    private static void collect() throws InterruptedException {
        var gone = new WeakReference<>(new Object());
        for (int i = 0; i < 100 && gone.get() != null; i++) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(gone.get()).isNull();
    }
}
