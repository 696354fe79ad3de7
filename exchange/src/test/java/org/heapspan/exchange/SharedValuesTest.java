package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.heapspan.HeapspanException;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that are stored once, and the objects that refer to them. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class SharedValuesTest {
    private static final int URLS = 2_000;

    record Page(String site, int number) implements Serializable {}

    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    /** New strings at each call. */
    private static List<String> urls(String site) {
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < URLS; i++) {
            urls.add("https://" + site + ".example.org/a/rather/long/path/page-" + i + ".html");
        }
        return urls;
    }

    private static Map<String, Double> ranks(int round) {
        Map<String, Double> ranks = new HashMap<>();
        for (String url : urls("rank")) {
            ranks.put(url, 1.0 / (round + ranks.size() + 1));
        }
        return ranks;
    }

    private static long sizeBytes(GlobalHeap heap, String key) {
        return heap.find(key).orElseThrow().sizeBytes();
    }

    @ParameterizedTest
    @EnumSource
    void objectsReferToSharedValues(Place place) throws Exception {
        place.run((server, heap) -> {
            heap.put("alone", ranks(0));
            Page page = new Page("home", 7);
            List<Object> values = new ArrayList<>(urls("rank"));
            values.add(page);
            try (SharedValues shared = heap.share(values)) {
                assertThat(shared.count()).isEqualTo(URLS + 1);
                heap.put("ranks/1", ranks(1));
                heap.put("ranks/2", new Object[] {ranks(2), new Page("home", 7), new Page("home", 8)});
            }
            assertThat(sizeBytes(heap, "ranks/1")).isLessThan(sizeBytes(heap, "alone") / 3);
            try (GlobalHeap other = place.connect(server)) {
                Map<?, ?> first = other.get("ranks/1", Map.class);
                Object[] second = other.get("ranks/2", Object[].class);
                assertThat(first).isEqualTo(ranks(1));
                assertThat(second[0]).isEqualTo(ranks(2));
                assertThat(second[1]).isEqualTo(page);
                assertThat(second[2]).isEqualTo(new Page("home", 8));
                assertThat(sameKeys(first, (Map<?, ?>) second[0])).isEqualTo(URLS);
            }
            // Who has shared the values gets them back.
            assertThat(heap.get("ranks/2", Object[].class)[1]).isSameAs(page);
            DeduplicationStatistics statistics = heap.deduplication();
            assertThat(statistics.references()).isEqualTo(2 * URLS + 1);
            assertThat(statistics.copies()).isEqualTo(2 * URLS + 1);
            assertThat(statistics.sharedValues()).isEqualTo(URLS + 1);
            assertThat(statistics.savedBytes()).isBetween(2L * URLS * 40, 2L * URLS * 70);
        });
    }

    /** How many keys of two maps are the same objects. */
    private static long sameKeys(Map<?, ?> first, Map<?, ?> second) {
        Map<Object, Object> keys = new HashMap<>();
        first.keySet().forEach(key -> keys.put(key, key));
        return second.keySet().stream().filter(key -> keys.get(key) == key).count();
    }

    /** The values live as long as an object that refers to them, and no longer. */
    @ParameterizedTest
    @EnumSource
    void theServerKeepsValuesThatAreReferredTo(Place place) throws Exception {
        place.run((server, heap) -> {
            try (GlobalHeap writer = place.connect(server)) {
                SharedValues shared = writer.share(urls("kept"));
                writer.put("list", urls("kept"));
                shared.close();
                writer.put("copies", urls("kept"));
                assertThat(sizeBytes(writer, "copies")).isGreaterThan(2 * sizeBytes(writer, "list"));
            }
            assertThat(heap.get("list", Object.class)).isEqualTo(urls("kept"));
            heap.remove("list");
            heap.remove("copies");
            GlobalHeapTest.settled(server);
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatComesAgainIsFound(Place place) throws Exception {
        GlobalHeapOptions options = place.client().withDeduplication(Page.class);
        try (ExchangeServer server = ExchangeServer.start(place.server());
                GlobalHeap heap = GlobalHeap.connect(server.url(), options);
                GlobalHeap other = place.connect(server)) {
            for (int round = 0; round < 8; round++) {
                heap.put("ranks/" + round, ranks(round));
            }
            assertThat(sizeBytes(heap, "ranks/7")).isLessThan(sizeBytes(heap, "ranks/0") / 3);
            assertThat(heap.deduplication().references()).isGreaterThan(3L * URLS);
            for (int round = 0; round < 8; round++) {
                assertThat(other.get("ranks/" + round, Object.class)).isEqualTo(ranks(round));
            }
            // The client remembers hash codes, and some fall upon others. A few values that are left are no group.
            assertThat(sameKeys(other.get("ranks/6", Map.class), other.get("ranks/7", Map.class)))
                    .isGreaterThan(URLS * 9 / 10);
        }
    }

    /** As in the second round of PageRank: the receiver of the URLs sends them on. */
    @Test
    void aReaderRefersToTheSameValues() throws Exception {
        Place place = Place.SAME_HOST;
        try (ExchangeServer server = ExchangeServer.start(place.server());
                GlobalHeap first = place.connect(server);
                GlobalHeap second =
                        GlobalHeap.connect(server.url(), place.client().withDeduplication())) {
            first.share(urls("sent"));
            first.put("network", urls("sent"));
            List<?> network = second.get("network", List.class);
            second.put("back", network);
            assertThat(second.deduplication().references()).isEqualTo(URLS);
            assertThat(second.deduplication().sharedValues()).isZero();
            assertThat(first.get("back", Object.class)).isEqualTo(network);
        }
    }

    @Test
    void streamsReferToThem() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            heap.share(urls("stream"));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ExchangeObjectOutputStream out = new ExchangeObjectOutputStream(bytes, heap)) {
                out.writeObject(urls("stream"));
                out.writeObject(urls("stream").subList(0, 9).toArray());
            }
            try (GlobalHeap other = Place.SAME_HOST.connect(server);
                    ExchangeObjectInputStream in =
                            new ExchangeObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()), other)) {
                List<?> first = (List<?>) in.readObject();
                assertThat(first).isEqualTo(urls("stream"));
                assertThat(((Object[]) in.readObject())[8]).isSameAs(first.get(8));
            }
            assertThat(heap.deduplication().references()).isEqualTo(URLS + 9);
        });
    }

    /** Lists of different classes can be equal. */
    @Test
    void anEqualValueOfAnotherClassStaysWhatItIs() throws Exception {
        Place.IN_PROCESS.run((server, heap) -> {
            heap.share(List.of(new ArrayList<>(List.of("a")), new CopyOnWriteArrayList<>(List.of("b"))));
            heap.put("lists", new Object[] {new CopyOnWriteArrayList<>(List.of("a")), new ArrayList<>(List.of("a"))});
            Object[] lists = heap.get("lists", Object[].class);
            assertThat(lists[0]).isInstanceOf(CopyOnWriteArrayList.class).isEqualTo(List.of("a"));
            assertThat(lists[1]).isInstanceOf(ArrayList.class);
            assertThat(heap.deduplication().references()).isEqualTo(1);
        });
    }

    /** Such a server accepts no keys whose objects need others. */
    @Test
    void aServerThatKeepsItsKeysGetsCopies(@TempDir Path folder) throws Exception {
        ExchangeServerOptions options =
                Place.SAME_HOST.server().withDirectory(folder).keepingKeys();
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            heap.share(urls("kept"));
            heap.put("a", urls("kept"));
            heap.put("b", urls("kept"));
            assertThat(heap.deduplication().references()).isZero();
            assertThat(heap.get("b", Object.class)).isEqualTo(urls("kept"));
        }
        try (ExchangeServer server = ExchangeServer.start(options);
                GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            assertThat(heap.get("a", Object.class)).isEqualTo(urls("kept"));
        }
    }

    @Test
    void aServerThatWasStartedAgainGetsCopies() throws Exception {
        ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server());
        int port = Integer.parseInt(server.url().substring(server.url().lastIndexOf(':') + 1));
        try (GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            SharedValues shared = heap.share(urls("lost"));
            server.close();
            try (ExchangeServer next = ExchangeServer.start(
                    ExchangeServerOptions.port(port).withChunkBytes(1 << 20).withMemory(64 << 20))) {
                assertThat(next.url()).isEqualTo(server.url());
                Eventually.holds("the next server answers", () -> {
                    try {
                        heap.status();
                        return true;
                    } catch (ExchangeException e) {
                        return false;
                    }
                });
                heap.put("list", urls("lost"));
                assertThat(heap.get("list", Object.class)).isEqualTo(urls("lost"));
                assertThat(heap.deduplication().references()).isZero();
                shared.close();
            }
        }
    }

    /** The server says then that a group is gone. It is not one of shared values. */
    @Test
    void aNeededHandleThatIsGoneEndsNoSharing() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            heap.share(urls("kept"));
            GroupHandle<String> gone = heap.publish("gone");
            gone.close();
            Eventually.holds(
                    "only the shared values are left", () -> server.status().groups() == 1);
            fails(Reason.GROUP_GONE, () -> heap.put("fails", urls("kept"), List.of(gone)));
            heap.put("list", urls("kept"));
            assertThat(heap.deduplication().references()).isEqualTo(URLS);
        });
    }

    @Test
    void wrongValuesAreRefused() throws Exception {
        Place.IN_PROCESS.run((server, heap) -> {
            assertThatThrownBy(() -> heap.share(List.of())).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> heap.share(Arrays.asList("a", null))).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> heap.share(List.of(new Thread()))).isInstanceOf(HeapspanException.class);
            assertThatThrownBy(() ->
                            heap.share(IntStream.rangeClosed(0, 1 << 16).boxed().toList()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("65537 different values");
            for (int i = 0; i < 48; i++) {
                heap.share(List.of("value " + i));
            }
            fails(Reason.LIMIT, () -> heap.share(List.of("one more")));
            heap.put("all", new Object[] {"value 0", "value 47", "value 48"});
            assertThat(heap.get("all", Object[].class)).containsExactly("value 0", "value 47", "value 48");
        });
    }

    /** What a client has found is bounded: the oldest groups go first, and the server frees them. */
    @Test
    void sixteenGroupsOfFoundValuesAreKept() throws Exception {
        foundGroupsAreBounded(20, 1, 16);
    }

    @Test
    void fourTimesTheValuesOfTheLongestGroupAreKept() throws Exception {
        foundGroupsAreBounded(6, 1 << 16, 4);
    }

    private static void foundGroupsAreBounded(int groups, int values, int most) throws Exception {
        Place place = Place.SAME_HOST;
        try (ExchangeServer server = ExchangeServer.start(place.server());
                GlobalHeap writer = place.connect(server);
                GlobalHeap reader =
                        GlobalHeap.connect(server.url(), place.client().withDeduplication())) {
            List<SharedValues> shared = new ArrayList<>();
            for (int i = 0; i < groups; i++) {
                List<String> strings = new ArrayList<>();
                for (int k = 0; k < values; k++) {
                    strings.add(found(i) + k);
                }
                shared.add(writer.share(strings));
                writer.put("k", new Object[] {found(i) + 0});
                assertThat(reader.get("k", Object[].class)).containsExactly(found(i) + 0);
                writer.remove("k");
            }
            shared.forEach(SharedValues::close);
            Eventually.holds(
                    "only what the reader keeps is left", () -> server.status().groups() == most);
            for (int i = 0; i < groups; i++) {
                long address = shared.get(i).address();
                if (i < groups - most) {
                    fails(Reason.GROUP_GONE, () -> writer.at(address, Object[].class));
                } else {
                    assertThat(writer.at(address, Object[].class)).hasSize(values);
                }
            }
            reader.put("old", new Object[] {found(0) + 0});
            assertThat(reader.deduplication().references()).isZero();
            reader.put("new", new Object[] {found(groups - 1) + 0});
            assertThat(reader.deduplication().references()).isEqualTo(1);
        }
    }

    private static String found(int group) {
        return "value of group " + group + " with number ";
    }

    /** Images with trailers that anybody may have made. */
    @Test
    void hostileTrailersAreRefused() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            try (GlobalHeap other = Place.SAME_HOST.connect(server)) {
                SharedValues shared = heap.share(urls("hostile"));
                heap.put("good", new Object[] {urls("hostile").get(0), "own"});
                byte[] good = image(heap, "good");
                GroupHandle<String> noArray = heap.publish("text");
                GroupHandle<Object[]> withNull = heap.publish(new Object[URLS]);
                heap.put("itself", "");
                IntFunction<byte[]> withAddress = which -> {
                    long[] addresses = {
                        noArray.address(),
                        withNull.address(),
                        heap.find("good").orElseThrow().address(),
                        1L,
                        -1L
                    };
                    byte[] bytes = good.clone();
                    ByteBuffer.wrap(bytes).putLong(bytes.length - 24, addresses[which]);
                    return bytes;
                };
                for (int which = 0; which < 5; which++) {
                    isRefused(other, withAddress.apply(which));
                }
                isRefused(other, Arrays.copyOf(good, good.length - 1));
                isRefused(other, Arrays.copyOf(good, good.length - 8));
                isRefused(other, Arrays.copyOf(good, good.length - 24));
                isRefused(other, Arrays.copyOf(good, 8));
                for (int count : new int[] {0, 2, 65, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                    byte[] bytes = good.clone();
                    ByteBuffer.wrap(bytes).putInt(bytes.length - 8, count);
                    isRefused(other, bytes);
                }
                Random random = new Random(3);
                for (int i = 0; i < 300; i++) {
                    byte[] bytes = good.clone();
                    bytes[bytes.length - 1 - random.nextInt(24)] ^= (byte) (1 << random.nextInt(8));
                    isRefused(other, bytes);
                }
                assertThat(other.get("good", Object[].class))
                        .containsExactly(urls("hostile").get(0), "own");
                assertThat(shared.address()).isPositive();
            }
        });
    }

    private static byte[] image(GlobalHeap heap, String key) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        heap.copyImage(key, bytes);
        return bytes.toByteArray();
    }

    private static void isRefused(GlobalHeap heap, byte[] image) throws IOException {
        heap.putImage("hostile", new ByteArrayInputStream(image), "");
        try {
            assertThatThrownBy(() -> heap.get("hostile", Object.class))
                    .as("%s", Arrays.toString(image))
                    .isInstanceOf(HeapspanException.class);
        } finally {
            heap.remove("hostile");
        }
    }
}
