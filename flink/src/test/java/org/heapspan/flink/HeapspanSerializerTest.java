package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.flink.Samples.Account;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Box;
import org.heapspan.flink.Samples.Circle;
import org.heapspan.flink.Samples.Route;
import org.heapspan.flink.Samples.Shape;
import org.heapspan.flink.Samples.SpecialTrade;
import org.heapspan.flink.Samples.Square;
import org.heapspan.flink.Samples.State;
import org.heapspan.flink.Samples.Trade;
import org.heapspan.flink.Samples.Transfer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class HeapspanSerializerTest {
    private static final Trade TRADE = new Trade(17, -3, 2.5, true, "HSPN");

    private final TypeSerializer<Trade> trades = Bytes.serializer(Trade.class);
    private final TypeSerializer<Basket> baskets = Bytes.serializer(Basket.class);

    @Test
    void recordsComeBackInTheirOrder() throws IOException {
        byte[] bytes = Bytes.of(trades, TRADE, null, new SpecialTrade(1, 2), TRADE);
        assertThat(Bytes.readAll(trades, bytes)).containsExactly(TRADE, null, new SpecialTrade(1, 2), TRADE);
    }

    @Test
    void aNullTakesOneByte() throws IOException {
        assertThat(Bytes.of(trades, (Trade) null)).containsExactly(0);
    }

    @Test
    void aGraphKeepsItsShape() throws IOException {
        Basket copy = Bytes.passed(baskets, Basket.sample());
        assertThat(copy.owner).isEqualTo("Ada");
        assertThat(copy.trades).isEqualTo(Basket.sample().trades);
        assertThat(copy.bySymbol.get("SYM3")).isSameAs(copy.trades.get(3)).isSameAs(copy.best[0]);
        assertThat(copy.best[1]).isNull();
        assertThat(copy.shape).isEqualTo(new Square(4));
        assertThat(copy.state).isSameAs(State.PAID);
        assertThat(copy.previous).isSameAs(copy);
        assertThat(copy.cached).isZero();
    }

    @Test
    void tuplesAndGenericClassesHoldAnything() throws IOException {
        TypeSerializer<Tuple3<?, ?, ?>> tuples = erased(Bytes.serializer(Tuple3.class, Trade.class));
        Tuple3<?, ?, ?> tuple = Tuple3.of(TRADE, List.of(1L, "two"), null);
        assertThat(Bytes.<Tuple3<?, ?, ?>>passed(tuples, tuple)).isEqualTo(tuple);

        TypeSerializer<Box<?>> boxes = erased(Bytes.serializer(Box.class));
        assertThat(Bytes.<Box<?>>passed(boxes, new Box<>(new int[] {1, 2})).content)
                .isEqualTo(new int[] {1, 2});
    }

    @Test
    void listsAreRecordsToo() throws IOException {
        TypeSerializer<List<?>> lists = erased(Bytes.serializer(List.class));
        for (List<?> list :
                List.of(new ArrayList<>(List.of(TRADE)), new CopyOnWriteArrayList<>(List.of("a", 2)), List.of())) {
            assertThat(Bytes.<List<?>>passed(lists, list)).isEqualTo(list).hasSameClassAs(list);
        }
    }

    @Test
    void largeAndDeepRecordsPass() throws IOException {
        TypeSerializer<Box<?>> boxes = erased(Bytes.serializer(Box.class));
        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        Box<?> deep = new Box<>(null);
        for (int depth = 0; depth < 20_000; depth++) {
            deep = new Box<>(deep);
        }
        List<Box<?>> copies = Bytes.readAll(boxes, Bytes.of(boxes, new Box<>(large), deep, new Box<>("small")));
        assertThat(copies.get(0).content).isEqualTo(large);
        int depth = 0;
        for (Box<?> box = copies.get(1); box.content instanceof Box<?> next; box = next) {
            depth++;
        }
        assertThat(depth).isEqualTo(20_000);
        assertThat(copies.get(2).content).isEqualTo("small");
    }

    /** Its image has several frames. */
    @Test
    @Tag("once")
    void aRecordOfMoreThan64MegabytesPasses() throws IOException {
        TypeSerializer<Box<?>> boxes = erased(Bytes.serializer(Box.class));
        long[] numbers = new long[9 << 20];
        Arrays.setAll(numbers, i -> i * 0x9E3779B97F4A7C15L);
        DataOutputSerializer written = new DataOutputSerializer(100 << 20);
        boxes.serialize(new Box<>(numbers), written);
        boxes.serialize(new Box<>("after"), written);
        DataInputDeserializer source = new DataInputDeserializer(written.getSharedBuffer(), 0, written.length());
        DataOutputSerializer copied = new DataOutputSerializer(100 << 20);
        boxes.copy(source, copied);
        boxes.copy(source, copied);
        source.setBuffer(copied.getSharedBuffer(), 0, copied.length());
        assertThat(Arrays.equals((long[]) boxes.deserialize(source).content, numbers))
                .isTrue();
        assertThat(boxes.deserialize(source).content).isEqualTo("after");
    }

    @Test
    void namesOfClassesAreInRecordsOfUndeclaredClassesOnly() throws IOException {
        assertThat(Bytes.contain(Bytes.of(trades, TRADE), "Trade")).isFalse();
        assertThat(Bytes.contain(Bytes.of(baskets, Basket.sample()), "heapspan"))
                .isFalse();
        assertThat(Bytes.contain(Bytes.of(Bytes.serializer(Shape.class), new Circle(1), new Square(1)), "heapspan"))
                .isFalse();
        Trade special = new SpecialTrade(3, 4);
        byte[] named = Bytes.of(trades, special);
        assertThat(Bytes.contain(named, "SpecialTrade")).isTrue();
        byte[] numbered = Bytes.of(Bytes.serializer(Trade.class, SpecialTrade.class), special);
        assertThat(Bytes.contain(numbered, "SpecialTrade")).isFalse();
        assertThat(numbered.length).isLessThan(named.length / 3);
    }

    @Test
    void classesOfTheConfigurationHaveNumbersIfARecordCanHaveThem() throws IOException {
        SerializerConfigImpl config = new SerializerConfigImpl();
        config.registerPojoType(SpecialTrade.class);
        config.registerKryoType(Account.class);
        TypeInformation<Trade> information = HeapspanTypeInformation.of(Trade.class);
        TypeSerializer<Trade> registered = information.createSerializer(config);
        assertThat(registered)
                .isEqualTo(Bytes.serializer(Trade.class, SpecialTrade.class))
                .isNotEqualTo(trades);
        assertThat(Bytes.contain(Bytes.of(registered, new SpecialTrade(3, 4)), "SpecialTrade"))
                .isFalse();
    }

    @Test
    void aFlatRecordIsNoLongerThanFlinksPojo() throws IOException {
        SerializerConfigImpl config = new SerializerConfigImpl();
        TypeSerializer<Trade> pojo = TypeInformation.of(Trade.class).createSerializer(config);
        assertThat(pojo.getClass().getSimpleName()).isEqualTo("PojoSerializer");
        assertThat(Bytes.of(trades, TRADE)).hasSizeLessThanOrEqualTo(Bytes.of(pojo, TRADE).length);

        TypeSerializer<Basket> kryo = new GenericTypeInfo<>(Basket.class).createSerializer(config);
        assertThat(Bytes.of(baskets, Basket.sample()).length).isLessThan(Bytes.of(kryo, Basket.sample()).length / 2);
    }

    /** Flink finds keys by their bytes. */
    @Test
    void equalObjectsHaveEqualBytesWhetherTwoStringsAreOneOrNot() throws IOException {
        String other = String.valueOf(new char[] {'x'});
        TypeSerializer<Transfer> transfers = Bytes.serializer(Transfer.class);
        byte[] expected = Bytes.of(transfers, new Transfer("x", other));
        for (int round = 0; round < 3; round++) {
            assertThat(Bytes.of(transfers, new Transfer("x", "x"))).isEqualTo(expected);
            assertThat(Bytes.of(transfers, new Transfer("x", other))).isEqualTo(expected);
        }
        assertThat(Bytes.read(transfers, expected)).isEqualTo(new Transfer("x", "x"));
        assertThat(Bytes.of(transfers, new Transfer("x", null))).isNotEqualTo(expected);

        TypeSerializer<Route> routes = Bytes.serializer(Route.class);
        assertThat(Bytes.of(routes, new Route("x", "x"))).isEqualTo(Bytes.of(routes, new Route("x", other)));
    }

    /** An object of a subclass can be a graph of any kind. */
    @Test
    void objectsOfASubclassKeepWhatTheyShare() throws IOException {
        TypeSerializer<Route> routes = Bytes.serializer(Route.class);
        Loop loop = new Loop("x");
        Bytes.of(routes, new Route("x", "x"));
        Loop read = (Loop) Bytes.passed(routes, loop);
        assertThat(read.back).isSameAs(read);
        assertThat(read.from).isSameAs(read.to);
    }

    static final class Loop extends Route {
        final Loop back = this;

        Loop(String name) {
            super(name, name);
        }
    }

    @Test
    void copiesShareNothingThatCanChange() {
        Basket original = Basket.sample();
        Basket copy = baskets.copy(original);
        assertThat(copy).isNotSameAs(original);
        assertThat(copy.trades).isEqualTo(original.trades).isNotSameAs(original.trades);
        assertThat(baskets.copy(original, copy)).isNotSameAs(copy);
        assertThat(baskets.isImmutableType()).isFalse();

        TypeSerializer<Account> accounts = Bytes.serializer(Account.class);
        Account account = new Account(1, "B", State.NEW);
        assertThat(accounts.copy(account)).isSameAs(account);
        assertThat(accounts.isImmutableType()).isTrue();
        assertThat(Bytes.serializer(Shape.class).isImmutableType()).isFalse();
    }

    @Test
    void bytesAreCopiedRecordByRecord() throws IOException {
        Trade longer = new Trade(18, 1, 0.5, false, "x".repeat(300));
        byte[] bytes = Bytes.of(trades, TRADE, null, new SpecialTrade(1, 2), longer);
        DataInputDeserializer source = new DataInputDeserializer(bytes);
        DataOutputSerializer target = new DataOutputSerializer(8);
        int[] ends = new int[4];
        for (int i = 0; i < 4; i++) {
            trades.copy(source, target);
            ends[i] = target.length();
        }
        assertThat(source.available()).isZero();
        assertThat(target.getCopyOfBuffer()).isEqualTo(bytes);
        assertThat(ends[0]).isEqualTo(Bytes.of(trades, TRADE).length);
        assertThat(ends[1]).isEqualTo(ends[0] + 1);
    }

    @Test
    void aSerializerTravelsWithItsNumbers() throws Exception {
        TypeSerializer<Trade> original = Bytes.serializer(Trade.class, SpecialTrade.class);
        TypeSerializer<Trade> copy = InstantiationUtil.clone(original);
        assertThat(copy).isEqualTo(original).hasSameHashCodeAs(original);
        assertThat(Bytes.read(copy, Bytes.of(original, new SpecialTrade(5, 6)))).isEqualTo(new SpecialTrade(5, 6));
    }

    @Test
    void duplicatesWorkInOtherThreads() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Object> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 4; i++) {
            TypeSerializer<Trade> own = trades.duplicate();
            int seed = i;
            threads.add(new Thread(() -> {
                for (int round = 0; round < 2000; round++) {
                    Trade trade = new Trade(seed * 1000L + round, round, round, true, "T" + round);
                    try {
                        if (!Bytes.passed(own, trade).equals(trade)) {
                            wrong.add(trade);
                        }
                    } catch (IOException | RuntimeException e) {
                        wrong.add(e);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void aRecordThatCannotBeWrittenLeavesNothing() throws IOException {
        TypeSerializer<Box<?>> boxes = erased(Bytes.serializer(Box.class));
        DataOutputSerializer target = new DataOutputSerializer(8);
        assertThatThrownBy(() -> boxes.serialize(new Box<>(List.of("a", Thread.currentThread())), target))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("content");
        assertThat(target.length()).isZero();
        assertThat(Bytes.<Box<?>>passed(boxes, new Box<>("after")).content).isEqualTo("after");
    }

    @Test
    void aRecordOfAnotherTypeIsNoticed() throws IOException {
        byte[] bytes = Bytes.of(Bytes.serializer(Account.class), new Account(1, "B", State.NEW));
        TypeSerializer<Object> anything = Bytes.serializer(Object.class);
        byte[] named = Bytes.of(anything, new Account(1, "B", State.NEW));
        assertThatThrownBy(() -> Bytes.read(trades, named))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("expected a " + Trade.class.getName());
        assertThat(bytes.length).isLessThan(named.length);
    }

    /** Bytes that are cut off or altered cause one of two exceptions, or another record; they never do harm. */
    @Test
    void damagedBytesAreRefusedOrRead() throws IOException {
        Random random = new Random(42);
        byte[] graph = Bytes.of(baskets, Basket.sample());
        byte[] named = Bytes.of(trades, new SpecialTrade(1, 2));
        for (int round = 0; round < 4000; round++) {
            boolean ofGraph = round % 2 == 0;
            byte[] bytes = ofGraph ? graph : named;
            byte[] damaged = round % 5 == 0
                    ? Arrays.copyOf(bytes, random.nextInt(bytes.length))
                    : Bytes.changed(bytes, random.nextInt(bytes.length), random.nextInt());
            try {
                (ofGraph ? baskets : trades).deserialize(new DataInputDeserializer(damaged));
            } catch (IOException | HeapspanException expected) {
                assertThat(expected.getMessage() != null || expected instanceof EOFException)
                        .as("seed 42, round %d: %s", round, expected)
                        .isTrue();
            }
        }
        assertThat(Bytes.read(baskets, graph).owner).isEqualTo("Ada");
    }

    @Test
    void falseHeadsAreRefused() {
        // A body of 2^28 bytes, of which none comes.
        byte[] bytes = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 4};
        assertThatThrownBy(() -> Bytes.read(trades, bytes)).isInstanceOf(EOFException.class);
        byte[] tooLong = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 1};
        assertThatThrownBy(() -> Bytes.read(trades, tooLong)).hasMessageContaining("damaged");
        assertThatThrownBy(() -> Bytes.read(trades, new byte[] {2, 1})).hasMessageContaining("damaged");
        byte[] raw = Heapspan.create().encode(TRADE, Encoding.RAW);
        byte[] record = new byte[3 + raw.length];
        record[0] = 1;
        record[1] = (byte) (raw.length | 0x80);
        record[2] = (byte) (raw.length >> 7);
        System.arraycopy(raw, 0, record, 3, raw.length);
        assertThatThrownBy(() -> Bytes.read(trades, record)).hasMessageContaining("not in the compact encoding");
        byte[] noImage = {1, 3, 7, 7, 7};
        assertThatThrownBy(() -> Bytes.read(trades, noImage)).hasMessageContaining("not in the compact encoding");
    }

    @SuppressWarnings("unchecked")
    private static <T> TypeSerializer<T> erased(TypeSerializer<?> serializer) {
        return (TypeSerializer<T>) serializer;
    }
}
