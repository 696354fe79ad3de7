package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What carving makes of copies of objects, and what it makes of requests that contradict themselves. */
class CarverTest {
    private static final VirtualMachine MACHINE = VirtualMachine.current();
    private static Carver carver;

    @BeforeAll
    static void needsACarver() {
        carver = MACHINE.carver();
        // Not a failure: tests may be run on a collector that has none.
        assumeThat(carver).as(() -> MACHINE.findings().toString()).isNotNull();
    }

    record Point(int x, long y) {}

    record Line(Point from, Point to, String name) {}

    static class Knot {
        Object[] links;
        Knot self = this;
        byte tag;
    }

    static final class Wide extends Knot {
        double a = 1;
        float b = 2;
        char c = 'c';
        short d = 4;
        boolean e = true;
        Object first;
        int f = 6;
        Object last;
    }

    static final class Finalized {
        int value;

        @SuppressWarnings({"deprecation", "removal", "Finalize"})
        @Override
        protected void finalize() {}
    }

    enum Color {
        RED
    }

    private static SampleImage image() {
        return new SampleImage(carver, MACHINE.memory(), MACHINE.heapLayout());
    }

    private static CarveRequest requestOf(Object... roots) {
        return image().of(roots, new Object[0]);
    }

    /** Carves, again and again where a collection comes between. */
    private static Object[] carve(CarveRequest request) {
        try (CarvingSpace space = carver.newSpace()) {
            Object[] carved = null;
            for (int i = 0; i < 100 && carved == null; i++) {
                carved = space.carve(request);
                if (carved == null) {
                    assertThat(space.decline()).isIn(Decline.NOT_EDEN, Decline.COLLECTOR_BUSY);
                }
            }
            assertThat(carved).isNotNull();
            assertThat(space.decline()).isEqualTo(Decline.NONE);
            return carved;
        }
    }

    private static Decline declineOf(CarveRequest request) {
        try (CarvingSpace space = carver.newSpace()) {
            for (int i = 0; i < 100; i++) {
                assertThat(space.carve(request)).isNull();
                if (space.decline() != Decline.NOT_EDEN) {
                    return space.decline();
                }
            }
            return Decline.NOT_EDEN;
        }
    }

    @Test
    void makesRecordsOfSeveralClasses() {
        Point shared = new Point(1, 2);
        Line line = new Line(shared, new Point(-3, Long.MAX_VALUE), "l\u00e4ngs");
        Line loop = new Line(shared, shared, "\u4e2d");
        Object[] carved = carve(requestOf(line, loop, shared));
        assertThat(carved).hasExactlyElementsOfTypes(Line.class, Line.class, Point.class);
        assertThat(carved).containsExactly(line, loop, shared);
        assertThat(carved[0]).isNotSameAs(line);
        assertThat(((Line) carved[1]).from()).isSameAs(carved[2]).isSameAs(((Line) carved[0]).from());
    }

    @Test
    void makesArraysOfAllKinds() {
        Object[] arrays = {
            new boolean[] {true, false, true},
            new byte[] {1, -2, 3, 4, 5, 6, 7},
            new short[] {1, -2, 3},
            new char[] {'a', '\uffff'},
            new int[] {1, -2, 3},
            new long[] {Long.MIN_VALUE, 2},
            new float[] {1.5f, Float.NaN},
            new double[] {Math.PI},
            new String[] {"a", null, "b"},
            new int[][] {{1}, null, {}},
            new Object[0],
            new byte[0],
            new Object[][] {{1, "x"}, {new Object[] {2L}}}
        };
        Object[] carved = carve(requestOf(arrays));
        for (int i = 0; i < arrays.length; i++) {
            assertThat(carved[i]).hasSameClassAs(arrays[i]);
        }
        assertThat(Arrays.deepEquals(carved, arrays)).isTrue();
    }

    @Test
    void keepsCyclesAndFieldsOfSuperclasses() {
        Wide wide = new Wide();
        wide.links = new Object[] {wide, null, wide};
        wide.last = wide.links;
        wide.tag = -7;
        Wide copy = (Wide) carve(requestOf(wide))[0];
        assertThat(copy.self).isSameAs(copy);
        assertThat(copy.links).containsExactly(copy, null, copy);
        assertThat(copy.last).isSameAs(copy.links);
        assertThat(copy.first).isNull();
        assertThat(List.of(copy.a, copy.b, copy.c, copy.d, copy.e, copy.f, copy.tag))
                .isEqualTo(List.of(1.0, 2f, 'c', (short) 4, true, 6, (byte) -7));
    }

    @Test
    void givesNullRootsAndExports() {
        int[] numbers = {1, 2};
        Object[] exports = {numbers, null, "text"};
        for (int rootCount = 0; rootCount < 40; rootCount++) {
            Object[] roots = new Object[rootCount];
            for (int i = 0; i < rootCount; i += 3) {
                roots[i] = new Object[] {numbers, i};
            }
            Object[] carved = carve(image().of(roots, exports));
            assertThat(carved).hasSize(rootCount + 3);
            for (int i = 0; i < rootCount; i++) {
                if (i % 3 == 0) {
                    assertThat((Object[]) carved[i]).containsExactly(carved[rootCount], i);
                } else {
                    assertThat(carved[i]).isNull();
                }
            }
            assertThat(carved[rootCount + 1]).isNull();
            assertThat(carved[rootCount + 2]).isEqualTo("text");
        }
        assertThat(carve(image().of(new Object[0], new Object[0]))).isEmpty();
        assertThat(carve(image().of(new Object[3], new Object[0]))).containsOnlyNulls();
    }

    @Test
    void refersToConstantsOldAndYoung() {
        Object young = new Object();
        Object[] constants = {String.class, young, Color.RED, Thread.currentThread()};
        Object[] roots = {new Object[] {young, Color.RED}, Optional.of(String.class), constants[3]};
        Object[] carved = carve(image().of(new Object[] {roots}, new Object[0], constants));
        Object[] copy = (Object[]) carved[0];
        assertThat((Object[]) copy[0]).containsExactly(young, Color.RED);
        assertThat(((Optional<?>) copy[1]).orElseThrow()).isSameAs(String.class);
        assertThat(copy[2]).isSameAs(constants[3]);
    }

    @Test
    void replacesClassWords() {
        Object[] roots = {new Line(new Point(1, 2), null, "n"), new Wide(), new int[] {1}, new String[] {"s"}, 5L};
        for (long distance : new long[] {1, 1000}) {
            CarveRequest request = image().classWords(word -> word + distance).of(roots, new Object[0]);
            assertThat(request.classWordCount).isEqualTo(8);
            assertThat(carve(request))
                    .hasExactlyElementsOfTypes(Line.class, Wide.class, int[].class, String[].class, Long.class);
        }
    }

    @Test
    void takesOverClassWordsThatNoPairNames() {
        long word = carver.classFacts(Point.class).classWord();
        CarveRequest request = image().classWords(here -> here == word ? word + 1 : here)
                .of(new Object[] {new Line(new Point(1, 2), null, "n")}, new Object[0]);
        assertThat(request.classWordCount).isEqualTo(1);
        assertThat(carve(request)).containsExactly(new Line(new Point(1, 2), null, "n"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 7, 13})
    void readsImagesOfAnyAlignment(int padding) {
        Object[] roots = new Object[300];
        for (int i = 0; i < roots.length; i++) {
            roots[i] = i % 7 == 0 ? null : new Line(new Point(i, i), new Point(i, 2), "name" + i);
        }
        CarveRequest request = image().padding(padding).of(roots, roots);
        assertThat(carve(request)).startsWith(roots).endsWith(roots);
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 1 << 20, 0xf0000000L})
    void readsAnyPartOfAnObjectSpace(long firstUnit) {
        Line line = new Line(new Point(1, 2), new Point(3, 4), "x");
        assertThat(carve(image().firstUnit(firstUnit).of(new Object[] {line}, new Object[0])))
                .containsExactly(line);
    }

    @Test
    void readsImagesInNativeMemory() {
        Line line = new Line(new Point(1, 2), new Point(3, 4), "x");
        CarveRequest request = requestOf(line);
        RawMemory memory = MACHINE.memory();
        byte[] image = request.image;
        long address = memory.allocateMemory(image.length);
        try {
            memory.copyMemory(image, memory.arrayBaseOffset(byte[].class), null, address, image.length);
            request.image = null;
            request.imageAddress = address;
            assertThat(carve(request)).containsExactly(line);
            request.imageBytes = image.length;
            assertThat(carve(request)).containsExactly(line);
            request.imageBytes = image.length - 1L;
            assertThat(declineOf(request)).isEqualTo(Decline.MALFORMED);
        } finally {
            memory.freeMemory(address);
        }
    }

    @Test
    void declinesRequestsThatLeaveTheImage() {
        List<java.util.function.Consumer<CarveRequest>> mistakes = List.of(
                r -> r.piece(0).objectsOffset = r.image.length,
                r -> r.piece(0).objectsOffset = -8,
                r -> r.piece(0).objectsOffset = Long.MAX_VALUE,
                r -> r.piece(0).bitmapOffset = r.image.length - 7L,
                r -> r.piece(0).bitmapOffset = Long.MIN_VALUE,
                r -> r.piece(0).rootsOffset = r.image.length - 3L,
                r -> r.piece(0).exportsOffset = r.image.length + 1L,
                r -> r.piece(0).exportsOffset = -1,
                r -> r.piece(0).objectBytes = -8,
                r -> r.piece(0).objectBytes += 4,
                r -> r.piece(0).objectBytes += 4096,
                r -> r.piece(0).rootCount = -1,
                r -> r.piece(0).rootCount = 5000,
                r -> r.piece(0).exportCount = 5000,
                r -> r.piece(0).constantPatchCount = 5000,
                r -> r.piece(0).constantPatchCount = -1,
                r -> r.piece(0).constantPatchesOffset = -1,
                r -> r.firstUnit = -1,
                r -> r.firstUnit = 1L << 32,
                r -> r.firstUnit++,
                r -> r.firstUnit -= 1 << 20,
                r -> r.image = null,
                r -> r.image = new byte[10],
                r -> r.constants = null,
                r -> r.constants = new Object[0],
                r -> r.pieceCount = 0,
                r -> r.pieceCount = -1,
                r -> r.classWordCount = -1,
                r -> r.classWordCount = 1,
                r -> {
                    r.classWords =
                            new long[] {0, carver.classFacts(String.class).classWord()};
                    r.classWordCount = 1;
                });
        for (int i = 0; i < mistakes.size(); i++) {
            CarveRequest request =
                    image().of(new Object[] {new Object[] {"text", Color.RED}}, new Object[0], Color.RED);
            mistakes.get(i).accept(request);
            assertThat(declineOf(request)).as("mistake %d", i).isEqualTo(Decline.MALFORMED);
        }
    }

    @Test
    void declinesUnitsThatNoObjectHas() {
        CarveRequest request = requestOf(new Object[] {new Object[] {"text"}});
        ByteBuffer image = ByteBuffer.wrap(request.image).order(ByteOrder.LITTLE_ENDIAN);
        for (long unit :
                new long[] {1, request.firstUnit - 1, request.firstUnit + request.piece(0).objectBytes / 8, -1}) {
            image.putInt((int) request.piece(0).rootsOffset, (int) unit);
            assertThat(declineOf(request)).as("root %d", unit).isEqualTo(Decline.MALFORMED);
            CarveRequest inner = requestOf(new Object[] {new Object[] {"text"}});
            int slot = (int) inner.piece(0).objectsOffset + MACHINE.heapLayout().referenceArrayBaseOffset();
            ByteBuffer.wrap(inner.image).order(ByteOrder.LITTLE_ENDIAN).putInt(slot, (int) unit);
            assertThat(declineOf(inner)).as("slot %d", unit).isEqualTo(Decline.MALFORMED);
        }
    }

    @Test
    void declinesClassWordsThatItDoesNotKnow() {
        CarveRequest request = requestOf("text");
        request.classWords = new long[] {5, 0x7fffffff};
        request.classWordCount = 1;
        assertThat(declineOf(request)).isEqualTo(Decline.UNKNOWN_CLASS);
        CarveRequest unlisted = image().classWords(word -> word + 1).of(new Object[] {"text"}, new Object[0]);
        unlisted.classWordCount = 1;
        assertThat(declineOf(unlisted)).isEqualTo(Decline.UNKNOWN_CLASS);
    }

    @Test
    void declinesWhatIsTooLarge() {
        CarveRequest request = requestOf((Object) new byte[4 << 20]);
        assertThat(declineOf(request)).isEqualTo(Decline.TOO_LARGE);
        request.piece(0).rootCount = Integer.MAX_VALUE;
        request.piece(0).exportCount = Integer.MAX_VALUE;
        request.piece(0).objectBytes = Integer.MAX_VALUE & -8;
        assertThat(declineOf(request)).isEqualTo(Decline.TOO_LARGE);
    }

    @Test
    void refusesClassesWhoseInstancesAreNotWhatTheirFieldsSay() {
        Runnable lambda = () -> {};
        for (Class<?> refused : List.of(
                int.class,
                void.class,
                Class.class,
                ClassLoader.class,
                Thread.class,
                WeakReference.class,
                Color.class,
                Number.class,
                Runnable.class,
                lambda.getClass(),
                java.lang.invoke.MethodType.class,
                Finalized.class)) {
            assertThat(carver.classFacts(refused)).as(refused.getName()).isNull();
            assertThat(carver.refusal(refused)).as(refused.getName()).isNotEmpty();
        }
    }

    @Test
    void knowsClassesAsJavaSeesThem() throws Exception {
        int references = MACHINE.heapLayout().referenceSizeBytes();
        for (Class<?> type : List.of(
                Object.class,
                String.class,
                Point.class,
                Line.class,
                Wide.class,
                ArrayList.class,
                HashMap.class,
                AtomicReference.class,
                Long.class)) {
            ClassFacts facts = carver.classFacts(type);
            assertThat(facts).as(type.getName() + ": " + carver.refusal(type)).isNotNull();
            assertThat(facts.type()).isSameAs(type);
            assertThat(facts.instanceBytes()).isPositive();
            assertThat(facts.instanceBytes() & carver.alignmentMask()).isZero();
            assertThat(facts.classWord()).isPositive();
        }
        ClassFacts line = carver.classFacts(Line.class);
        int first = (int) MACHINE.memory().objectFieldOffset(Line.class.getDeclaredField("from"));
        assertThat(line.referenceOffsets()).containsExactly(first, first + references, first + 2 * references);
        for (Class<?> type : List.of(int[].class, Object[].class, String[][].class, Runnable[].class)) {
            ClassFacts facts = carver.classFacts(type);
            assertThat(facts.instanceBytes()).isZero();
            assertThat(facts.referenceOffsets()).isEmpty();
        }
    }

    @Test
    void countsWindowsAndDeclines() {
        WindowStatistics before = carver.statistics();
        CarveRequest request = requestOf("text");
        int carved = 0;
        try (CarvingSpace space = carver.newSpace()) {
            for (int i = 0; i < 1000; i++) {
                carved += space.carve(request) != null ? 1 : 0;
            }
            assertThat(carver.statistics().windows() - before.windows()).isBetween(1000L, 1200L);
        }
        assertThat(carved).isGreaterThan(900);
        request.image = new byte[0];
        declineOf(request);
        WindowStatistics after = carver.statistics();
        assertThat(after.windows() - before.windows()).isBetween(1001L, 1200L);
        assertThat(after.declines().get(Decline.MALFORMED))
                .isGreaterThan(before.declines().getOrDefault(Decline.MALFORMED, 0L));
        assertThat(after.windowsByLength().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(after.windows());
        assertThat(after.longestNanos()).isPositive();
        assertThat(MACHINE.findings())
                .anyMatch(f -> f.subject().equals("windows") && f.why().contains("longest"));
    }

    /** The JVM uses the class words of unloaded classes again; facts must never be those of a class that is gone. */
    @Test
    void keepsUpWithClassesThatComeAndGo() throws Exception {
        List<WeakReference<Class<?>>> loaded = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            // Classes of two sizes in turn, each by a loader of its own.
            Class<?> type = new OneClassLoader(i % 2 == 0 ? Point.class : Line.class).loaded;
            loaded.add(new WeakReference<>(type));
            Object instance = MACHINE.memory().allocateInstance(type);
            int distance = i % 3;
            Object[] carved = carve(image().classWords(word -> word + distance)
                    .of(new Object[] {instance, new Object[] {instance}}, new Object[0]));
            assertThat(carved[0].getClass()).isSameAs(type);
            assertThat(((Object[]) carved[1])[0]).isSameAs(carved[0]);
            if (i % 60 == 59) {
                System.gc();
            }
        }
        assertThat(loaded).anyMatch(type -> type.get() == null);
    }

    /** Defines a copy of a class of this test; leaves all others to its parent. */
    private static final class OneClassLoader extends ClassLoader {
        private final Class<?> loaded;

        OneClassLoader(Class<?> original) throws Exception {
            super(original.getClassLoader());
            try (InputStream in = original.getResourceAsStream(
                    original.getName().substring(original.getPackageName().length() + 1) + ".class")) {
                byte[] bytes = in.readAllBytes();
                loaded = defineClass(original.getName(), bytes, 0, bytes.length);
            }
        }
    }

    @Test
    void freesSpacesThatNobodyClosed() throws Exception {
        CarveRequest request = requestOf("text");
        long before = carver.statistics().windows();
        int openBefore = carver.openSpaces();
        WeakReference<?> last = null;
        for (int i = 0; i < 50; i++) {
            CarvingSpace space = carver.newSpace();
            space.carve(request);
            last = new WeakReference<>(space);
        }
        Eventually.holdsAfterCollection("its spaces are closed", () -> carver.openSpaces() <= openBefore);
        assertThat(last.get()).isNull();
        assertThat(carver.statistics().windows() - before).isGreaterThanOrEqualTo(50);
    }

    @Test
    void cannotBeUsedAfterItIsClosed() {
        CarveRequest request = requestOf("text");
        CarvingSpace space = carver.newSpace();
        space.close();
        space.close();
        assertThatThrownBy(() -> space.carve(request))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void holdsNothingOfARequest() throws Exception {
        try (CarvingSpace space = carver.newSpace()) {
            WeakReference<?>[] held = carveAndForget(space);
            for (int i = 0; i < 100 && Arrays.stream(held).anyMatch(r -> r.get() != null); i++) {
                System.gc();
                Thread.sleep(10);
            }
            assertThat(held).allMatch(reference -> reference.get() == null);
        }
    }

    private static WeakReference<?>[] carveAndForget(CarvingSpace space) {
        CarveRequest request = image().of(new Object[] {new Object[] {new Knot()}}, new Object[0], new Object());
        Object constant = new Object();
        CarveRequest withConstant = image().of(new Object[] {new Object[] {constant}}, new Object[0], constant);
        Object[] carved = space.carve(request);
        Object[] second = space.carve(withConstant);
        return new WeakReference<?>[] {
            new WeakReference<>(carved == null ? request : carved),
            new WeakReference<>(second == null ? request : second),
            new WeakReference<>(request.image),
            new WeakReference<>(constant)
        };
    }

    /**
     * No collection waits longer than a millisecond for a window. A busy machine may interrupt some windows, so that the middle one counts, and a very
     * busy one most of them for a while. The bound holds as long as {@link Carver#maxBytes} does.
     */
    @Test
    void windowOfTheLargestCarvingIsShorterThanAMillisecond() throws Exception {
        // A point and the slot that leads to it take less than 40 bytes in every layout.
        Object[] points = new Object[(int) (carver.maxBytes() / 40)];
        Arrays.setAll(points, i -> new Point(i, i));
        CarveRequest request = requestOf((Object) points);
        carve(request);
        Eventually.holds(
                "most of 101 windows of " + points.length + " points took less than 2^20 ns",
                () -> windowsOfAMillisecond(request, points, 101) < 50);
    }

    /** How many of so many carvings took 2^20 ns or more. */
    private long windowsOfAMillisecond(CarveRequest request, Object[] points, int carvings) {
        List<Long> before = carver.statistics().windowsByLength();
        for (int i = 0; i < carvings; i++) {
            assertThat((Object[]) carve(request)[0]).hasSameSizeAs(points);
        }
        List<Long> after = carver.statistics().windowsByLength();
        long count = 0;
        for (int bucket = 20; bucket < after.size(); bucket++) {
            count += after.get(bucket) - before.get(bucket);
        }
        return count;
    }
}
