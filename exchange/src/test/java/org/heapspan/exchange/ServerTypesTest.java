package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.TypeRegistry;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.Threads;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The registry of types that all clients of a server have. */
@Tag("once")
@Timeout(Eventually.TEST_SECONDS)
final class ServerTypesTest {
    record Order(String customer, int number, List<String> items) implements Serializable {}

    record Customer(String name) implements Serializable {}

    private static final Order ORDER = new Order("Ada", 300, new ArrayList<>(List.of("pen")));

    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    private static Heapspan with(TypeRegistry registry) {
        return Heapspan.builder().typeRegistry(registry).build();
    }

    @ParameterizedTest
    @EnumSource
    void clientsReadWhatOthersHaveWritten(Place place) throws Exception {
        place.run((server, heap) -> {
            try (GlobalHeap other = place.connect(server)) {
                // Before the types have numbers.
                Heapspan reader = with(other.typeRegistry());
                TypeRegistry registry = heap.typeRegistry();
                byte[] image = with(registry).encode(new Object[] {ORDER, new Customer("Bob")});
                byte[] again = with(registry).encode(new Object[] {ORDER, new Customer("Bob")});
                assertThat(again)
                        .hasSizeLessThan(
                                Heapspan.create().encode(new Object[] {ORDER, new Customer("Bob")}).length / 2);
                assertThat(reader.decode(image, Object[].class)).containsExactly(ORDER, new Customer("Bob"));
                assertThat(reader.decode(again, Object[].class)).containsExactly(ORDER, new Customer("Bob"));
                assertThat(other.typeRegistry().id()).isEqualTo(registry.id());
            }
        });
    }

    /** A client of the server and one of its keeper. */
    @Test
    void theRegistryIsThatOfTheCluster() throws Exception {
        try (ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server());
                ExchangeServer keeper =
                        ExchangeServer.start(Place.SAME_HOST.server().joining(server.url()));
                GlobalHeap near = Place.SAME_HOST.connect(server);
                GlobalHeap far = Place.SAME_HOST.connect(keeper)) {
            byte[] image = with(far.typeRegistry()).encode(ORDER);
            assertThat(with(near.typeRegistry()).decode(image, Order.class)).isEqualTo(ORDER);
        }
    }

    private static byte[] description(int number, int length) {
        byte[] description = new byte[length];
        Arrays.fill(description, (byte) number);
        description[0] = (byte) (number >> 8);
        description[1] = (byte) (number >> 16);
        return description;
    }

    /** More than one message carries. */
    @Test
    void manyTypesComeInSeveralMessages() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            List<TypeRegistry.Type> types = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                types.add(new TypeRegistry.Type("scope" + i % 3, description(i, 300 + i % 7)));
            }
            types.add(new TypeRegistry.Type("large", description(1, (1 << 16) + 1)));
            types.add(new TypeRegistry.Type("too large", description(1, (1 << 16) + 2)));
            types.add(new TypeRegistry.Type("x".repeat(5_000), description(1, 2)));
            int[] numbers = heap.typeRegistry().numbersOf(types);
            assertThat(Arrays.copyOf(numbers, 3_001)).doesNotHaveDuplicates().doesNotContain(TypeRegistry.NO_NUMBER);
            assertThat(numbers[3_001]).isEqualTo(TypeRegistry.NO_NUMBER);
            assertThat(numbers[3_002]).isEqualTo(TypeRegistry.NO_NUMBER);
            try (GlobalHeap other = Place.SAME_HOST.connect(server)) {
                TypeRegistry copy = other.typeRegistry();
                assertThat(copy.numbersOf(types)).isEqualTo(numbers);
                for (int i = 0; i < 3_001; i++) {
                    assertThat(copy.typeOf(numbers[i]).description())
                            .isEqualTo(types.get(i).description());
                }
                assertThat(copy.typeOf(3_001)).isNull();
                assertThat(copy.typeOf(-1)).isNull();
                assertThat(copy.typeOf(Integer.MAX_VALUE)).isNull();
            }
        });
    }

    @Test
    void clientsThatAskAtTheSameTimeAgree() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            List<CompletableFuture<List<Integer>>> clients = new ArrayList<>();
            for (int client = 0; client < 6; client++) {
                int first = client;
                clients.add(CompletableFuture.supplyAsync(
                        () -> {
                            TypeRegistry registry = heap.typeRegistry();
                            Integer[] numbers = new Integer[60];
                            for (int i = 0; i < numbers.length; i++) {
                                int type = (i + 10 * first) % numbers.length;
                                numbers[type] = registry.numberOf("", description(type, 20));
                            }
                            return List.of(numbers);
                        },
                        Threads.FOR_EACH));
            }
            List<Integer> numbers = clients.get(0).get();
            assertThat(numbers).doesNotHaveDuplicates().allMatch(number -> number >= 0 && number < 60);
            for (CompletableFuture<List<Integer>> each : clients) {
                assertThat(each.get()).isEqualTo(numbers);
            }
        });
    }

    /** A client that sends other descriptions than those of its types. */
    private record Lying(TypeRegistry registry, Random random) implements TypeRegistry {
        @Override
        public UUID id() {
            return registry.id();
        }

        @Override
        public int numberOf(String loaderScope, byte[] description) {
            byte[] changed = description.clone();
            for (int i = random.nextInt(3); i >= 0; i--) {
                changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            }
            return registry.numberOf(loaderScope, changed);
        }

        @Override
        public Type typeOf(int number) {
            return registry.typeOf(number);
        }
    }

    /** Descriptions that some client has sent are as untrusted as those in an image. */
    @Test
    void hostileDescriptionsAreRefused() throws Exception {
        Place.SAME_HOST.run((server, heap) -> {
            Random random = new Random(4);
            Heapspan reader = with(heap.typeRegistry());
            int refused = 0;
            for (int i = 0; i < 300; i++) {
                byte[] image = with(new Lying(heap.typeRegistry(), random)).encode(ORDER);
                try {
                    reader.decode(image, Order.class);
                } catch (HeapspanException e) {
                    refused++;
                }
            }
            assertThat(refused).isGreaterThan(200);
        });
    }

    @Test
    void withoutTheServerNewTypesAreDescribed() throws Exception {
        ExchangeServer server = ExchangeServer.start(Place.SAME_HOST.server());
        try (GlobalHeap heap = Place.SAME_HOST.connect(server)) {
            TypeRegistry registry = heap.typeRegistry();
            Heapspan heapspan = with(registry);
            byte[] before = heapspan.encode(ORDER);
            server.close();
            byte[] image = heapspan.encode(new Object[] {ORDER, new Customer("Eve")});
            assertThat(heapspan.decode(before, Order.class)).isEqualTo(ORDER);
            assertThat(heapspan.decode(image, Object[].class)[1]).isEqualTo(new Customer("Eve"));
            assertThatThrownBy(() -> registry.typeOf(77)).isInstanceOf(ExchangeException.class);
        }
    }

    @Test
    void aServerThatWasStartedAgainHasAnotherRegistry() throws Exception {
        ExchangeServer server = ExchangeServer.start(Place.IN_PROCESS.server());
        try (GlobalHeap heap = Place.IN_PROCESS.connect(server)) {
            TypeRegistry former = heap.typeRegistry();
            byte[] image = with(former).encode(ORDER);
            server.close();
            try (ExchangeServer next = ExchangeServer.start(Place.IN_PROCESS.server());
                    GlobalHeap other = Place.IN_PROCESS.connect(next)) {
                TypeRegistry registry = other.typeRegistry();
                assertThat(registry.id()).isNotEqualTo(former.id());
                assertThatThrownBy(() -> with(registry).decode(image, Order.class))
                        .isInstanceOfSatisfying(
                                HeapspanException.class,
                                e -> assertThat(e.category()).isNotEqualTo(Category.MALFORMED));
                assertThat(former.numberOf("", description(1, 9))).isEqualTo(TypeRegistry.NO_NUMBER);
            }
        }
    }
}
