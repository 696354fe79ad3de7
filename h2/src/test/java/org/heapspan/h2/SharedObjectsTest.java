package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that several roots refer to: one in the heap, one for those who read, there for as long as any root needs it. */
@Tag("once")
@SuppressWarnings("serial")
final class SharedObjectsTest {
    private static final Label FIRST = Label.of(1);
    private static final Label SECOND = Label.of(2);
    private static final int KEYS = 20_000;

    @TempDir
    Path directory;

    private final FailingStorage storage = new FailingStorage();
    private SharedObjects shared;
    private SecondHeap heap;

    /** What roots share. */
    static final class Index implements Serializable {
        final long[] keys;
        Index below;
        Partition holder;

        Index(long seed) {
            this(seed, KEYS);
        }

        Index(long seed, int count) {
            keys = new long[count];
            Arrays.setAll(keys, i -> seed * i);
        }
    }

    static final class Partition implements Serializable {
        final Index index;
        final int[] values;
        Object unstorable;

        Partition(Index index, int value) {
            this.index = index;
            values = new int[] {value, value + 1};
        }
    }

    @BeforeEach
    void open() {
        shared = SharedObjects.inFields(field -> List.of("index", "below").contains(field.getName()));
        heap = SecondHeap.open(directory, options(shared));
    }

    private SecondHeapOptions options(SharedObjects sharing) {
        return SecondHeapOptions.capacity(32 << 20)
                .withRegionBytes(1 << 20)
                .withoutThresholds()
                .withShared(sharing)
                .withStorage(storage);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private H2Handle<Partition> moved(Partition partition, Label label) {
        H2Handle<Partition> handle = heap.tagRoot(partition, label);
        heap.move(label);
        assertThat(handle.isMoved()).isTrue();
        return handle;
    }

    private static void collect() {
        System.gc();
    }

    @Test
    void rootsOfSeveralLabelsReferToOneObject() {
        Index index = new Index(3);
        H2Handle<Partition> first = moved(new Partition(index, 10), FIRST);
        H2Handle<Partition> second = moved(new Partition(index, 20), SECOND);

        assertThat(shared.count()).isOne();
        assertThat(first.imageBytes()).as("the first one brings it").isGreaterThan(8 * KEYS);
        assertThat(second.imageBytes()).isLessThan(KEYS);
        assertThat(first.get().index).as("while the original is there").isSameAs(index);
        assertThat(second.get().values).containsExactly(20, 21);
    }

    @Test
    void onceTheOriginalIsGoneReadersHaveOneCopy() {
        H2Handle<Partition> first;
        H2Handle<Partition> second;
        {
            Index index = new Index(3);
            first = moved(new Partition(index, 10), FIRST);
            second = moved(new Partition(index, 20), SECOND);
        }
        collect();

        Partition one = first.get();
        Partition other = second.get();

        assertThat(one.index).isSameAs(other.index);
        assertThat(one.index.keys).isEqualTo(new Index(3).keys);
        assertThat(shared.count()).isOne();
    }

    @Test
    void whatIsMadeOfReadPartsIsStoredWithoutThem() {
        H2Handle<Partition> first = moved(new Partition(new Index(3), 10), FIRST);
        collect();
        Partition next = new Partition(first.get().index, 11);

        H2Handle<Partition> second = moved(next, SECOND);

        assertThat(shared.count()).isOne();
        assertThat(second.imageBytes()).isLessThan(KEYS);
        assertThat(second.get().index).isSameAs(next.index);
    }

    @Test
    void aSharedObjectGoesWithTheLastThatDependsOnIt() {
        Index index = new Index(5);
        H2Handle<Partition> first = moved(new Partition(index, 10), FIRST);
        H2Sequence<Partition> second =
                heap.append(SECOND, List.of(new Partition(index, 1), new Partition(null, 2), new Partition(index, 3)));
        assertThat(heap.statistics().regionsInUse()).isEqualTo(3);

        first.close();
        assertThat(shared.count()).isOne();
        assertThat(second.element(2).index).isSameAs(index);

        Iterator<Partition> reading = second.iterator();
        second.close();
        assertThat(shared.count()).as("somebody reads").isOne();
        Partition read = reading.next();
        assertThat(read.index).isSameAs(index);
        reading.forEachRemaining(each -> {});

        assertThat(shared.count()).isZero();
        assertThat(heap.statistics().regionsInUse()).isZero();
        assertThat(heap.statistics().labels()).isEmpty();
    }

    @Test
    void whatIsGoneIsStoredAgain() {
        Index index = new Index(5);
        moved(new Partition(index, 10), FIRST).close();
        assertThat(shared.count()).isZero();

        H2Handle<Partition> again = moved(new Partition(index, 11), FIRST);

        assertThat(shared.count()).isOne();
        assertThat(again.get().index).isSameAs(index);
    }

    @Test
    void sharedObjectsDependOnOthers() {
        Index lowest = new Index(1);
        Index middle = new Index(2);
        middle.below = lowest;
        Index top = new Index(3);
        top.below = middle;
        H2Handle<Partition> first = moved(new Partition(top, 10), FIRST);
        H2Handle<Partition> second = moved(new Partition(lowest, 20), SECOND);
        assertThat(shared.count()).isEqualTo(3);
        top = null;
        middle = null;
        lowest = null;
        collect();

        Partition read = first.get();
        assertThat(read.index.below.below).isSameAs(second.get().index);
        assertThat(read.index.below.below.keys).isEqualTo(new Index(1).keys);

        first.close();
        assertThat(shared.count()).isOne();
        assertThat(second.get().index.keys).isEqualTo(new Index(1).keys);
        second.close();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void whatLeadsBackToItselfIsFreedAllTheSame() {
        Index first = new Index(1);
        Index second = new Index(2);
        first.below = second;
        second.below = first;
        first.holder = new Partition(first, 7);
        H2Handle<Partition> handle = moved(new Partition(first, 10), FIRST);
        first = null;
        second = null;
        collect();

        Index read = handle.get().index;
        assertThat(read.holder.index).isSameAs(read);
        assertThat(read.below.keys).isEqualTo(new Index(2).keys);
        assertThat(read.below.below.keys).isEqualTo(new Index(1).keys);
        handle.close();

        assertThat(shared.count()).isZero();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void updatesKeepWhatTheyRefer() {
        Index index = new Index(4);
        H2Handle<Partition> handle = moved(new Partition(index, 10), FIRST);
        handle.update(partition -> new Partition(partition.index, 12));
        assertThat(handle.get().index).isSameAs(index);
        assertThat(shared.count()).isOne();

        Index other = new Index(9);
        handle.update(partition -> new Partition(other, 13));
        assertThat(handle.get().index).isSameAs(other);
        assertThat(shared.count()).as("the first is gone").isOne();
    }

    @Test
    void oneElementMayBeReplacedByOneThatSharesMore() {
        List<Partition> partitions = new ArrayList<>();
        Index common = new Index(1);
        for (int i = 0; i < 20_000; i++) {
            partitions.add(new Partition(common, i));
        }
        H2Sequence<Partition> sequence = heap.append(FIRST, partitions);
        Index other = new Index(2);

        sequence.updateElement(12_345, partition -> new Partition(other, -1));
        sequence.updateElement(0, partition -> new Partition(partition.index, -2));

        assertThat(shared.count()).isEqualTo(2);
        assertThat(sequence.element(12_345).index).isSameAs(other);
        assertThat(sequence.element(0).index).isSameAs(common);
        assertThat(sequence.element(19_999).index).isSameAs(common);

        sequence.updateElement(12_345, partition -> new Partition(partition.index, -3));
        assertThat(sequence.element(12_345).index).isSameAs(other);
        sequence.updateElement(12_345, partition -> new Partition(common, -4));
        assertThat(shared.count()).as("nothing refers to the other any more").isOne();
        sequence.close();
        assertThat(shared.count()).isZero();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void aRootThatIsRefusedLeavesNothing() {
        Partition refused = new Partition(new Index(1), 10);
        refused.unstorable = Thread.currentThread();
        H2Handle<Partition> handle = heap.tagRoot(refused, FIRST);

        assertThat(heap.move(FIRST).refusedRoots()).isOne();

        assertThat(handle.get()).isSameAs(refused);
        assertThat(shared.count()).isZero();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void whatCannotBeSharedForWantOfRoomStaysWhereItIs() {
        storage.failingWrite.set(storage.writes.get());
        Index index = new Index(1);
        H2Handle<Partition> handle = heap.tagRoot(new Partition(index, 10), FIRST);

        assertThatThrownBy(() -> heap.move(FIRST)).isInstanceOf(SecondHeapException.class);
        assertThat(handle.get().index).isSameAs(index);
        assertThat(shared.count()).isZero();

        storage.failingWrite.set(Integer.MAX_VALUE);
        heap.move(FIRST);
        assertThat(handle.isMoved()).isTrue();
        assertThat(handle.get().index).isSameAs(index);
    }

    @Test
    void elementsThatAreTakenBackHaveWhatTheyShare() {
        Index index = new Index(6);
        H2Appender<Partition> appender = heap.appender(FIRST);
        for (int i = 0; i < 10; i++) {
            appender.add(new Partition(index, i));
        }
        Iterator<Partition> back = appender.takeBack();
        for (int i = 0; i < 10; i++) {
            Partition partition = back.next();
            assertThat(partition.index).isSameAs(index);
            assertThat(partition.values[0]).isEqualTo(i);
        }
        assertThat(back.hasNext()).isFalse();
        assertThat(shared.count()).isZero();
    }

    @Test
    void anElementWhoseSharedPartCannotBeStoredIsTakenBack() {
        H2Appender<Partition> appender = heap.appender(FIRST);
        appender.add(new Partition(null, 1));
        storage.failingWrite.set(storage.writes.get());
        Partition last = new Partition(new Index(6), 2);

        assertThatThrownBy(() -> appender.add(last)).isInstanceOf(SecondHeapException.class);
        assertThatThrownBy(() -> appender.add(new Partition(null, 3))).isInstanceOf(SecondHeapException.class);

        Iterator<Partition> back = appender.takeBack();
        assertThat(back.next().values).containsExactly(1, 2);
        assertThat(back.next()).isSameAs(last);
        assertThat(back.hasNext()).isFalse();
        assertThat(shared.count()).isZero();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void chainsOfAnyLengthAreReadAndFreed() {
        List<H2Handle<Partition>> handles = new ArrayList<>();
        Index latest = null;
        for (int i = 0; i < 400; i++) {
            Index next = new Index(i, 10);
            next.below = latest;
            latest = next;
            if (i % 3 != 0) {
                handles.add(moved(new Partition(latest, i), FIRST));
            }
        }
        latest = null;
        collect();

        Index read = handles.get(handles.size() - 1).get().index;
        for (int i = 398; i >= 0; i--) {
            assertThat(read.keys).isEqualTo(new Index(i, 10).keys);
            read = read.below;
        }
        assertThat(read).isNull();
        handles.forEach(H2Handle::close);
        assertThat(shared.count()).isZero();
        assertThat(heap.statistics().regionsInUse()).isZero();
    }

    @Test
    void aClosedHeapIsNotKeptByItsClasses() throws Exception {
        moved(new Partition(new Index(1), 1), FIRST);
        heap.close();
        WeakReference<SecondHeap> closed = new WeakReference<>(heap);
        heap = SecondHeap.open(directory, options(SharedObjects.inFields(field -> false)));

        Eventually.holdsAfterCollection("the heap is gone", () -> closed.get() == null);

        assertThat(shared.isLinked(Partition.class.getDeclaredFields()[0])).isTrue();
    }

    /** Closes the heap and opens another that keeps shared objects. */
    private void keep(long bytes) {
        heap.close();
        shared = SharedObjects.inFields(field -> List.of("index", "below").contains(field.getName()));
        heap = SecondHeap.open(directory, options(shared).withKept(bytes));
    }

    @Test
    void asManyAsFitAreKeptUntilNothingDependsOnThem() {
        keep(12L * KEYS);
        List<WeakReference<Index>> originals = new ArrayList<>();
        List<H2Handle<Partition>> handles = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Index index = new Index(i);
            originals.add(new WeakReference<>(index));
            handles.add(moved(new Partition(index, i), FIRST));
        }
        collect();

        assertThat(heap.statistics().keptBytes()).isBetween(8L * KEYS, 12L * KEYS);
        assertThat(handles.get(0).get().index).isSameAs(originals.get(0).get());
        assertThat(originals.get(1).get()).isNull();
        assertThat(originals.get(2).get()).isNull();
        assertThat(handles.get(2).get().index.keys).isEqualTo(new Index(2).keys);

        handles.get(0).close();
        assertThat(heap.statistics().keptBytes()).isZero();
        collect();
        assertThat(originals.get(0).get()).isNull();

        WeakReference<Index> read = new WeakReference<>(handles.get(2).get().index);
        collect();
        assertThat(handles.get(2).get().index).as("there is room now").isSameAs(read.get());
        assertThat(heap.statistics().keptBytes()).isGreaterThan(8L * KEYS);
    }

    @Test
    void manyThreadsShareOneObjectThatIsKept() throws Exception {
        keep(12L * KEYS);
        manyThreadsShareOneObject();
        assertThat(heap.statistics().keptBytes()).isZero();
    }

    @Test
    void manyThreadsShareOneObject() throws Exception {
        List<Index> indexes = List.of(new Index(1), new Index(2), new Index(3));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<List<H2Handle<Partition>>>> results = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                Label label = Label.of(thread);
                Callable<List<H2Handle<Partition>>> work = () -> {
                    List<H2Handle<Partition>> kept = new ArrayList<>();
                    for (int i = 0; i < 60; i++) {
                        Index index = indexes.get(i % 3);
                        H2Handle<Partition> handle = moved(new Partition(index, i), label);
                        Partition read = handle.get();
                        assertThat(read.index).isSameAs(index);
                        H2Handle<Partition> again = moved(new Partition(read.index, -i), label);
                        handle.close();
                        kept.add(again);
                    }
                    return kept;
                };
                results.add(threads.submit(work));
            }
            List<H2Handle<Partition>> all = new ArrayList<>();
            for (Future<List<H2Handle<Partition>>> each : results) {
                all.addAll(each.get());
            }
            assertThat(shared.count()).isEqualTo(3);
            for (H2Handle<Partition> each : all) {
                assertThat(indexes).anyMatch(index -> index == each.get().index);
                each.close();
            }
            assertThat(shared.count()).isZero();
            assertThat(heap.statistics().regionsInUse()).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void eachHeapHasItsOwn() {
        assertThatThrownBy(() -> SecondHeap.open(directory, options(shared)))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                .hasMessageContaining("belong to another second heap");
    }

    @Test
    void aMapForgetsObjectsThatAreGone() throws Exception {
        WeakIdentityMap<String> map = new WeakIdentityMap<>();
        Object kept = new Object();
        map.put(kept, "kept");
        String equal = new String("equal");
        map.put(equal, "one");
        assertThat(map.get(new String("equal"))).as("another object").isNull();
        assertThat(map.get(equal)).isEqualTo("one");
        for (int i = 0; i < 1000; i++) {
            map.put(new Object(), "gone");
        }
        // Those that are gone leave with the next one, once the JVM has told of them.
        Eventually.holdsAfterCollection("they are gone", () -> {
            map.put(kept, "kept again");
            return map.size() < 10;
        });
        assertThat(map.get(kept)).isEqualTo("kept again");
    }
}
