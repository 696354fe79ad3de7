package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.KryoSerializable;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Box;
import org.heapspan.flink.Samples.SpecialTrade;
import org.heapspan.flink.Samples.Square;
import org.heapspan.flink.Samples.Trade;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HeapspanKryoSerializerTest {
    /** What a user writes into the configuration. */
    static final String ENTRY =
            "[java.lang.Object: {type: kryo, kryo-type: default, class: org.heapspan.flink.HeapspanKryoSerializer}]";

    @TempDir
    Path folder;

    private static SerializerConfig config(String entry) {
        Configuration configuration = new Configuration();
        configuration.setString(PipelineOptions.SERIALIZATION_CONFIG.key(), entry);
        return StreamExecutionEnvironment.getExecutionEnvironment(configuration)
                .getConfig()
                .getSerializerConfig();
    }

    private static <T> TypeSerializer<T> generic(Class<T> type, SerializerConfig config) {
        return new GenericTypeInfo<>(type).createSerializer(config);
    }

    static <T> TypeSerializer<T> inPlaceOfKryo(Class<T> type) {
        return generic(type, config(ENTRY));
    }

    @Test
    void oneEntryReplacesKryoForAllGenericTypes() throws Exception {
        SerializerConfig config = config(ENTRY);
        TypeSerializer<Basket> baskets = generic(Basket.class, config);
        byte[] bytes = Bytes.of(baskets, Basket.sample());
        Basket copy = Bytes.read(baskets, bytes);
        // Kryo would make two objects of it.
        assertThat(copy.best[0]).isSameAs(copy.trades.get(3));
        assertThat(copy.previous).isSameAs(copy);
        assertThat(copy.shape).isEqualTo(new Square(4));
        byte[] own = Bytes.of(Bytes.serializer(Basket.class), Basket.sample());
        assertThat(bytes.length).isBetween(own.length + 5, own.length + 12);
        assertThat(Bytes.of(generic(Basket.class, new SerializerConfigImpl()), Basket.sample()).length)
                .isGreaterThan(2 * bytes.length);

        Basket made = baskets.copy(copy);
        assertThat(made.trades).isEqualTo(copy.trades).isNotSameAs(copy.trades);
    }

    /** Flink calls Kryo for dates in tuples and POJOs. In an image each of them would take more bytes. */
    @Test
    void datesAreThoseOfKryo() throws Exception {
        for (Object date : List.of(
                LocalDate.of(1996, 3, 13),
                LocalTime.of(1, 2, 3),
                LocalDateTime.of(1996, 3, 13, 1, 2),
                Instant.ofEpochSecond(5, 6),
                Duration.ofMillis(7))) {
            @SuppressWarnings("unchecked")
            Class<Object> type = (Class<Object>) date.getClass();
            TypeSerializer<Object> serializer = inPlaceOfKryo(type);
            byte[] bytes = Bytes.of(serializer, date);
            assertThat(bytes).isEqualTo(Bytes.of(generic(type, new SerializerConfigImpl()), date));
            assertThat(Bytes.read(serializer, bytes)).isEqualTo(date);
            assertThat(serializer.copy(date)).isSameAs(date);
        }
        TypeSerializer<Object> ofAll = inPlaceOfKryo(Object.class);
        assertThat(Bytes.passed(ofAll, LocalDate.MAX)).isEqualTo(LocalDate.MAX);
        assertThat(((Box<?>) Bytes.passed(ofAll, new Box<>(LocalDate.EPOCH))).content)
                .isEqualTo(LocalDate.EPOCH);
    }

    /** Has a field that its own methods write. */
    static final class Packed implements KryoSerializable {
        transient String text;

        Packed(String text) {
            this.text = text;
        }

        @Override
        public void write(Kryo kryo, Output output) {
            output.writeString(text);
        }

        @Override
        public void read(Kryo kryo, Input input) {
            text = input.readString();
        }
    }

    @Test
    void aRecordCanHaveMethodsForKryo() throws Exception {
        TypeSerializer<Packed> serializer = inPlaceOfKryo(Packed.class);
        byte[] bytes = Bytes.of(serializer, new Packed("packed"));
        assertThat(bytes).isEqualTo(Bytes.of(generic(Packed.class, new SerializerConfigImpl()), new Packed("packed")));
        assertThat(Bytes.read(serializer, bytes).text).isEqualTo("packed");
        assertThat(serializer.copy(new Packed("copied")).text).isEqualTo("copied");
    }

    static final class Cached {
        final List<Integer> numbers = new ArrayList<>(List.of(1, 2));
        transient List<Integer> sorted = numbers;
        transient Thread owner;
    }

    /** Flink copies records between operators of a chain. */
    @Test
    void aCopyHasTheTransientFieldsAsThatOfKryo() throws Exception {
        TypeSerializer<Cached> serializer = inPlaceOfKryo(Cached.class);
        for (TypeSerializer<Cached> each : List.of(serializer, generic(Cached.class, new SerializerConfigImpl()))) {
            Cached original = new Cached();
            Cached copy = each.copy(original);
            assertThat(copy.sorted)
                    .isEqualTo(List.of(1, 2))
                    .isSameAs(copy.numbers)
                    .isNotSameAs(original.numbers);
        }
        Cached owned = new Cached();
        owned.owner = Thread.currentThread();
        Cached copy = serializer.copy(owned);
        assertThat(copy.numbers).isEqualTo(List.of(1, 2)).isNotSameAs(owned.numbers);
        assertThat(copy.sorted).isNull();
    }

    @Test
    void recordsOfOtherClassesThanDeclaredPass() throws Exception {
        SerializerConfig config = config(ENTRY);
        @SuppressWarnings("unchecked")
        TypeSerializer<Object> lists = (TypeSerializer<Object>) (TypeSerializer<?>) generic(List.class, config);
        for (Object list : List.of(new ArrayList<>(List.of(new SpecialTrade(1, 2), "b")), List.of(1, 2))) {
            assertThat(Bytes.passed(lists, list)).isEqualTo(list).hasSameClassAs(list);
        }
        TypeSerializer<Trade> trades = generic(Trade.class, config);
        assertThat(Bytes.readAll(trades, Bytes.of(trades, new SpecialTrade(1, 2), null)))
                .containsExactly(new SpecialTrade(1, 2), null);
    }

    @Test
    void registeredClassesHaveNumbers() throws Exception {
        String registered = ENTRY.replace("]", ", " + SpecialTrade.class.getName() + ": {type: kryo}]");
        Box<?> box = new Box<>(List.of(new SpecialTrade(1, 2)));
        byte[] numbered = Bytes.of(generic(Box.class, config(registered)), box);
        byte[] named = Bytes.of(generic(Box.class, config(ENTRY)), box);
        assertThat(Bytes.contain(named, "SpecialTrade")).isTrue();
        // A box declares no class of which it could be.
        assertThat(Bytes.contain(numbered, "SpecialTrade")).isTrue();
        Trade[] array = {new SpecialTrade(1, 2)};
        assertThat(Bytes.contain(Bytes.of(generic(Trade[].class, config(registered)), array), "SpecialTrade"))
                .isFalse();
    }

    @Test
    void aRecordThatCannotBeWrittenLeavesNothing() throws Exception {
        @SuppressWarnings("unchecked")
        TypeSerializer<Box<?>> boxes = (TypeSerializer<Box<?>>) (TypeSerializer<?>) generic(Box.class, config(ENTRY));
        DataOutputSerializer target = new DataOutputSerializer(64);
        Box<?> thread = new Box<>(Thread.currentThread());
        assertThatThrownBy(() -> boxes.serialize(thread, target))
                .isInstanceOf(KryoException.class)
                .hasMessageContaining("content");
        assertThatThrownBy(() -> boxes.copy(thread)).isInstanceOf(KryoException.class);
        boxes.serialize(new Box<>("after"), target);
        assertThat(Bytes.<Box<?>>read(boxes, target.getCopyOfBuffer()).content).isEqualTo("after");
    }

    @Test
    void stateOfAClassThatHasChangedIsRefused() throws Exception {
        EvolvingClass before = EvolvingClass.of(folder.resolve("before"), "Counter", Map.of("count", "I"));
        EvolvingClass after = EvolvingClass.of(folder.resolve("after"), "Counter", Map.of("count", "I", "sum", "J"));
        Class<Object> old = before.in(before.newLoader());
        byte[] bytes =
                Bytes.of(generic(old, config(ENTRY)), old.getConstructor().newInstance());
        TypeSerializer<Object> now = generic(after.in(after.newLoader()), config(ENTRY));
        assertThatThrownBy(() -> Bytes.read(now, bytes))
                .isInstanceOf(KryoException.class)
                .hasMessageContaining("an object of class Counter was written when it");
    }
}
