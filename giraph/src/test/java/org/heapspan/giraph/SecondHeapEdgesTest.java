package org.heapspan.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.conf.ImmutableClassesGiraphConfiguration;
import org.apache.giraph.edge.ByteArrayEdges;
import org.apache.giraph.edge.ConfigurableOutEdges;
import org.apache.giraph.edge.Edge;
import org.apache.giraph.edge.EdgeFactory;
import org.apache.giraph.edge.MutableEdge;
import org.apache.giraph.partition.ByteArrayPartition;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SecondHeapEdgesTest {
    /** As edges of each of 500 vertices they need more than 16 MB. */
    private static final List<Expected> MANY =
            Stream.generate(() -> new Expected(1, "a".repeat(100))).limit(500).toList();

    @TempDir
    Path folder;

    private ImmutableClassesGiraphConfiguration<LongWritable, DoubleWritable, Text> worker;

    @AfterEach
    void close() {
        if (worker != null) {
            WorkerHeap.close(worker);
        }
    }

    /** An edge as a test expects it. */
    private record Expected(long target, String value) {
        static Expected of(Edge<LongWritable, Text> edge) {
            return new Expected(edge.getTargetVertexId().get(), edge.getValue().toString());
        }

        Edge<LongWritable, Text> edge() {
            return EdgeFactory.create(new LongWritable(target), new Text(value));
        }

        static Expected random(Random random) {
            return new Expected(random.nextInt(20), "x".repeat(random.nextInt(40)));
        }
    }

    /** Edges do not know of the values of vertices. */
    @SuppressWarnings({"rawtypes", "unchecked"})
    private void setConf(ConfigurableOutEdges<LongWritable, Text> edges) {
        edges.setConf((ImmutableClassesGiraphConfiguration) worker);
    }

    private SecondHeapEdges<LongWritable, Text> edges() {
        SecondHeapEdges<LongWritable, Text> edges = new SecondHeapEdges<>();
        setConf(edges);
        return edges;
    }

    private SecondHeapEdges<LongWritable, Text> edges(List<Expected> all) {
        SecondHeapEdges<LongWritable, Text> edges = edges();
        edges.initialize(all.stream().map(Expected::edge).toList());
        edges.trim();
        return edges;
    }

    private static List<Expected> listOf(Iterable<Edge<LongWritable, Text>> edges) {
        List<Expected> all = new ArrayList<>();
        edges.forEach(edge -> all.add(Expected.of(edge)));
        return all;
    }

    private static List<Expected> random(Random random, int most) {
        return Stream.generate(() -> Expected.random(random))
                .limit(random.nextInt(most + 1))
                .toList();
    }

    /** One step of a program or of Giraph, done to the edges and to a list. */
    private SecondHeapEdges<LongWritable, Text> change(
            SecondHeapEdges<LongWritable, Text> edges, List<Expected> expected, Random random) throws IOException {
        switch (random.nextInt(8)) {
            case 0 -> {
                Expected added = Expected.random(random);
                edges.add(added.edge());
                expected.add(added);
            }
            case 1 -> {
                long target = random.nextInt(20);
                edges.remove(new LongWritable(target));
                expected.removeIf(edge -> edge.target == target);
            }
            case 2, 3 -> changeSome(edges, expected, random);
            case 4 -> {
                List<Expected> all = random(random, 30);
                edges.initialize(all.stream().map(Expected::edge).toList());
                expected.clear();
                expected.addAll(all);
            }
            case 5 -> {
                return copy(edges);
            }
            default -> edges.trim();
        }
        return edges;
    }

    private static void changeSome(SecondHeapEdges<LongWritable, Text> edges, List<Expected> expected, Random random) {
        int index = 0;
        Iterator<MutableEdge<LongWritable, Text>> each = edges.mutableIterator();
        // An iteration may end before the last edge.
        for (int left = random.nextInt(30); each.hasNext() && left > 0; left--) {
            MutableEdge<LongWritable, Text> edge = each.next();
            assertThat(Expected.of(edge)).isEqualTo(expected.get(index));
            int what = random.nextInt(6);
            if (what == 0) {
                each.remove();
                expected.remove(index);
            } else {
                if (what == 1 || what == 2) {
                    String value = "y".repeat(random.nextInt(60));
                    if (what == 1) {
                        edge.setValue(new Text(value));
                    } else {
                        edge.getValue().set(value);
                    }
                    expected.set(index, new Expected(expected.get(index).target, value));
                }
                index++;
            }
        }
    }

    private SecondHeapEdges<LongWritable, Text> copy(SecondHeapEdges<LongWritable, Text> edges) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        edges.write(new DataOutputStream(bytes));
        SecondHeapEdges<LongWritable, Text> copy = edges();
        copy.initialize();
        copy.readFields(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        return copy;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void edgesAreThoseOfAListWhateverHappensToThem(boolean unsafe) throws IOException {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.setBoolean("giraph.useUnsafeSerialization", unsafe);
        settings.setInt(WorkerSettings.ENCRYPTION_KEY_BITS, unsafe ? 128 : 0);
        worker = Workers.of(settings);
        assertThat(worker.getUseUnsafeSerialization()).isEqualTo(unsafe);
        Random random = new Random(19);
        List<SecondHeapEdges<LongWritable, Text>> vertices = new ArrayList<>();
        List<List<Expected>> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            List<Expected> all = random(random, i == 0 ? 4000 : 30);
            vertices.add(edges(all));
            expected.add(new ArrayList<>(all));
        }
        for (int superstep = 0; superstep < 12; superstep++) {
            WorkerHeap.of(worker).begin(superstep);
            for (int i = 0; i < vertices.size(); i++) {
                SecondHeapEdges<LongWritable, Text> edges = vertices.get(i);
                if (random.nextInt(3) == 0) {
                    edges = change(edges, expected.get(i), random);
                }
                assertThat(edges.size()).isEqualTo(expected.get(i).size());
                assertThat(listOf(edges)).isEqualTo(expected.get(i));
                edges.trim();
                vertices.set(i, edges);
            }
        }
        assertThat(WorkerHeap.of(worker).statistics().movedRoots()).isGreaterThan(5);
        assertThat(WorkerHeap.of(worker).statistics().liveBytes()).isPositive();
    }

    @Test
    void checkpointsOfByteArrayEdgesCanBeRead() throws IOException {
        worker = Workers.of(Workers.settings(folder));
        List<Expected> all = List.of(new Expected(1, "a"), new Expected(2, "b"));
        ByteArrayEdges<LongWritable, Text> plain = new ByteArrayEdges<>();
        setConf(plain);
        plain.initialize(all.stream().map(Expected::edge).toList());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        plain.write(new DataOutputStream(bytes));
        SecondHeapEdges<LongWritable, Text> edges = edges();
        edges.readFields(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        assertThat(listOf(edges)).isEqualTo(all);
    }

    @Test
    void pagesOfChangedEdgesAreFreed() {
        worker = Workers.of(Workers.settings(folder));
        WorkerHeap heap = WorkerHeap.of(worker);
        heap.begin(0);
        List<Expected> all =
                Stream.generate(() -> new Expected(1, "a".repeat(20))).limit(40).toList();
        List<SecondHeapEdges<LongWritable, Text>> vertices =
                Stream.generate(() -> edges(all)).limit(2000).toList();
        heap.begin(1);
        long liveBytes = heap.statistics().liveBytes();
        assertThat(liveBytes).isBetween(2_000_000L, 2_600_000L);
        for (int superstep = 1; superstep < 5; superstep++) {
            heap.begin(superstep);
            for (int i = 0; i < vertices.size(); i++) {
                // Of each page few vertices stay; they move, too.
                if (i % 20 != 0) {
                    vertices.get(i).mutableIterator().next().setValue(new Text("b".repeat(superstep)));
                }
            }
            vertices.forEach(SecondHeapEdges::trim);
            vertices.forEach(SecondHeapEdges::trim);
        }
        heap.begin(5);
        assertThat(heap.statistics().liveBytes()).isLessThanOrEqualTo(liveBytes);
    }

    /** The first two supersteps of many vertices, with edges of four megabytes. */
    private List<SecondHeapEdges<LongWritable, Text>> twoSupersteps(GiraphConfiguration settings, List<Expected> all) {
        worker = Workers.of(settings);
        WorkerHeap heap = WorkerHeap.of(worker);
        heap.begin(0);
        List<SecondHeapEdges<LongWritable, Text>> vertices =
                Stream.generate(() -> edges(all)).limit(4000).toList();
        heap.begin(1);
        return vertices;
    }

    private static List<Expected> thirtyFive() {
        return Stream.generate(() -> new Expected(1, "a".repeat(20))).limit(35).toList();
    }

    @Test
    void edgesMoveWhileTheGraphIsLoaded() {
        worker = Workers.of(Workers.settings(folder));
        WorkerHeap heap = WorkerHeap.of(worker);
        List<SecondHeapEdges<LongWritable, Text>> vertices =
                Stream.generate(() -> edges(thirtyFive())).limit(4000).toList();
        long loaded = heap.statistics().liveBytes();
        assertThat(loaded).isGreaterThan(PageMoves.MOVED_BYTES);
        heap.begin(0);
        long all = heap.statistics().liveBytes();
        assertThat(all).isBetween(loaded + 1, 5_000_000L);
        // They go to other pages, and leave the first ones.
        vertices.forEach(SecondHeapEdges::trim);
        heap.begin(1);
        assertThat(heap.statistics().liveBytes()).isBetween(all / 2, 5_000_000L);
        assertThat(vertices).allSatisfy(edges -> assertThat(listOf(edges)).isEqualTo(thirtyFive()));
    }

    private GiraphConfiguration withoutHint(String highThreshold) {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.setBoolean(WorkerSettings.TRANSFER_HINT, false);
        settings.set(WorkerSettings.HIGH_THRESHOLD, highThreshold);
        settings.set(WorkerSettings.LOW_THRESHOLD, "0");
        return settings;
    }

    @Test
    void withoutHintAndThresholdsEdgesStayOnTheJavaHeap() {
        List<SecondHeapEdges<LongWritable, Text>> vertices = twoSupersteps(withoutHint("0"), thirtyFive());
        System.gc();
        assertThat(WorkerHeap.of(worker).statistics().movedRoots()).isZero();
        assertThat(vertices).allSatisfy(edges -> assertThat(listOf(edges)).isEqualTo(thirtyFive()));
    }

    @Test
    void withoutTheHintEdgesMoveWhenTheJavaHeapFills() throws Exception {
        // What this JVM has on its heap is always more.
        List<SecondHeapEdges<LongWritable, Text>> vertices = twoSupersteps(withoutHint("0.0001"), thirtyFive());
        WorkerHeap heap = WorkerHeap.of(worker);
        Eventually.holdsAfterCollection(
                "edges have moved", () -> heap.statistics().liveBytes() > 3_000_000);
        assertThat(vertices).allSatisfy(edges -> assertThat(listOf(edges)).isEqualTo(thirtyFive()));
    }

    private WorkerHeap heapOf(String capacity) {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.set(WorkerSettings.CAPACITY, capacity);
        worker = Workers.of(settings);
        return WorkerHeap.of(worker);
    }

    private void failsAndLosesNothing(
            List<SecondHeapEdges<LongWritable, Text>> vertices, ThrowingCallable addingVertices) {
        assertThatThrownBy(addingVertices)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining(WorkerSettings.CAPACITY);
        assertThat(vertices)
                .hasSizeGreaterThan(200)
                .allSatisfy(edges -> assertThat(listOf(edges)).isEqualTo(MANY));
    }

    @Test
    void fullStorageIsAClearErrorThatLosesNothing() {
        WorkerHeap heap = heapOf("16m");
        heap.begin(0);
        List<SecondHeapEdges<LongWritable, Text>> vertices = new ArrayList<>();
        failsAndLosesNothing(vertices, () -> {
            for (int i = 0; i < 500; i++) {
                vertices.add(edges(MANY));
            }
            heap.begin(1);
        });
    }

    /** What moves edges by itself has nobody to tell of it, and the program would run out of memory. */
    @Test
    void withoutTheHintFullStorageIsAClearErrorBeforeMemoryIsUsedUp() {
        GiraphConfiguration settings = withoutHint("0.0001");
        settings.set(WorkerSettings.CAPACITY, "16m");
        worker = Workers.of(settings);
        WorkerHeap.of(worker).begin(0);
        List<SecondHeapEdges<LongWritable, Text>> vertices = new ArrayList<>();
        failsAndLosesNothing(vertices, () -> {
            while (vertices.size() < 500) {
                SecondHeapEdges<LongWritable, Text> edges = edges();
                vertices.add(edges);
                edges.initialize(MANY.stream().map(Expected::edge).toList());
                edges.trim();
            }
            Eventually.holdsAfterCollection("the job fails", () -> {
                vertices.get(0).trim();
                return false;
            });
        });
    }

    /** Giraph does not tell of edges that it drops: of removed vertices, and when a program sets other edges. */
    @Test
    void edgesThatGiraphDropsMakeRoomForOthers() {
        WorkerHeap heap = heapOf("64m");
        heap.begin(0);
        List<Expected> all = Stream.generate(() -> new Expected(1, "a".repeat(100)))
                .limit(90)
                .toList();
        for (int superstep = 1; superstep < 4; superstep++) {
            List<SecondHeapEdges<LongWritable, Text>> vertices =
                    Stream.generate(() -> edges(all)).limit(4500).toList();
            heap.begin(superstep);
            // Only collections of the old generation find them from now on.
            System.gc();
            assertThat(vertices).allSatisfy(edges -> assertThat(edges.size()).isEqualTo(90));
        }
        assertThat(heap.statistics().regionsFreed()).isPositive();
    }

    /** Each superstep would take a region of its own, for as long as these edges live. */
    @Test
    void fewChangesInManySuperstepsTakeLittleOfTheCapacity() {
        WorkerHeap heap = heapOf("64m");
        List<SecondHeapEdges<LongWritable, Text>> vertices = new ArrayList<>();
        for (int superstep = 0; superstep < 20; superstep++) {
            heap.begin(superstep);
            vertices.add(edges(thirtyFive()));
        }
        assertThat(heap.statistics().regionsInUse()).isEqualTo(1);
        assertThat(vertices).allSatisfy(edges -> assertThat(listOf(edges)).isEqualTo(thirtyFive()));
    }

    @Test
    void damagedBytesAreAnErrorAndNeverOtherEdges() throws IOException {
        worker = Workers.of(Workers.settings(folder));
        WorkerHeap heap = WorkerHeap.of(worker);
        heap.begin(0);
        List<Expected> all = Stream.generate(() -> new Expected(1, "a".repeat(100)))
                .limit(100)
                .toList();
        SecondHeapEdges<LongWritable, Text> edges = edges(all);
        heap.begin(1);
        damage(folder, "aaaaaaaa");
        assertThatThrownBy(() -> listOf(edges))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("checksum");
    }

    private static boolean leadsTo(Path descriptor, Path folder) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith(folder.toString());
        } catch (IOException e) {
            // Closed meanwhile, as by threads of jobs that have ended.
            return false;
        }
    }

    /** Changes one byte of some text in the files of the second heap, which have no names any more. */
    private static void damage(Path folder, String text) throws IOException {
        int damaged = 0;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors.toList()) {
                if (leadsTo(each, folder)) {
                    try (RandomAccessFile file = new RandomAccessFile(each.toFile(), "rw")) {
                        byte[] bytes = new byte[1 << 16];
                        int length = file.read(bytes);
                        int at = new String(bytes, 0, Math.max(0, length), StandardCharsets.ISO_8859_1).indexOf(text);
                        if (at >= 0) {
                            file.seek(at);
                            file.write('b');
                            damaged++;
                        }
                    }
                }
            }
        }
        assertThat(damaged).isEqualTo(1);
    }

    @Test
    void settingsThatAreMissingOrWrongAreNamed() {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.unset(WorkerSettings.DIRECTORY);
        assertRefused(settings, WorkerSettings.DIRECTORY);
        settings = Workers.settings(folder);
        settings.unset("giraph.worker.observers");
        assertRefused(settings, "giraph.worker.observers");
        settings = Workers.settings(folder);
        settings.setPartitionClass(ByteArrayPartition.class);
        assertRefused(settings, "giraph.partitionClass");
    }

    @ParameterizedTest
    @CsvSource({
        "giraph.heapspan.transferHint, no",
        "giraph.heapspan.capacity, much",
        "giraph.heapspan.capacity, -1g",
        "giraph.heapspan.capacity, 1m",
        "giraph.heapspan.capacity, ''",
        "giraph.heapspan.highThreshold, high",
        "giraph.heapspan.highThreshold, NaN",
        "giraph.heapspan.highThreshold, 1.5",
        "giraph.heapspan.highThreshold, -0.1",
        "giraph.heapspan.lowThreshold, low",
        "giraph.heapspan.lowThreshold, 0.9",
        "giraph.heapspan.lowThreshold, -1",
        "giraph.heapspan.encryptionKeyBits, 100",
        "giraph.heapspan.encryptionKeyBits, many",
        "giraph.heapspan.transferhint, false"
    })
    void aWrongSettingIsNamedWithItsValue(String key, String value) {
        GiraphConfiguration settings = Workers.settings(folder);
        settings.set(key, value);
        assertRefused(settings, key + " is '" + value + "'");
    }

    private static void assertRefused(GiraphConfiguration settings, String part) {
        assertThatThrownBy(() -> WorkerHeap.of(Workers.of(settings)))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining(part);
    }

    @Test
    void filesAreGoneAndOnlyForTheirOwnerWhileTheHeapIsOpen() throws IOException {
        Path directory = folder.resolve("second-heap");
        worker = Workers.of(Workers.settings(directory));
        WorkerHeap.of(worker);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                .isEqualTo("rwx------");
        assertThat(directory).isEmptyDirectory();
    }
}
