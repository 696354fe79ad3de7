package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.flink.api.common.InvalidProgramException;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.heapspan.flink.Samples.Account;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Box;
import org.heapspan.flink.Samples.State;
import org.heapspan.flink.Samples.Trade;
import org.heapspan.flink.Samples.Transfer;
import org.junit.jupiter.api.Test;

final class HeapspanTypeInformationTest {
    private static final Trade TRADE = new Trade(1, 2, 3.5, true, "ABC");

    /** Only this test registers a factory for it: Flink keeps factories for the rest of the process. */
    static final class Registered extends Box<String> {
        Registered() {
            super("registered");
        }
    }

    record Deep(long number, UUID id, Nested nested) {}

    record Nested(int number, String text) {}

    record Recursive(int number, Recursive next) {}

    record Doubled(Nested first, Nested second) {}

    @SuppressWarnings("serial") // Never written.
    static final class Names extends ArrayList<String> {}

    @Test
    void flinkFindsTheAnnotation() {
        assertThat(TypeInformation.of(Basket.class)).isEqualTo(HeapspanTypeInformation.of(Basket.class));
        TypeInformation<Tuple2<String, Basket>> tuple = TypeInformation.of(new TypeHint<>() {});
        assertThat(tuple).isEqualTo(Types.TUPLE(Types.STRING, HeapspanTypeInformation.of(Basket.class)));
    }

    @Test
    void aTupleCanHoldIt() throws Exception {
        TypeInformation<Tuple2<Long, Basket>> tuple = Types.TUPLE(Types.LONG, HeapspanTypeInformation.of(Basket.class));
        TypeSerializer<Tuple2<Long, Basket>> serializer = tuple.createSerializer(new SerializerConfigImpl());
        Tuple2<Long, Basket> copy = Bytes.passed(serializer, Tuple2.of(3L, Basket.sample()));
        assertThat(copy.f0).isEqualTo(3L);
        assertThat(copy.f1.trades).isEqualTo(Basket.sample().trades);
        assertThat(serializer.createInstance().f1).isNull();
    }

    /** Whose fields Flink knows. */
    @SuppressWarnings({"serial", "unchecked"}) // As of Flink's tuples.
    public static class Numbers extends Tuple2<Long, Double> {}

    @SuppressWarnings({"serial", "unchecked"}) // As of Flink's tuples.
    public static class Numbered<T> extends Tuple2<T, Long> {}

    @TypeInfo(HeapspanTypeInfoFactory.class)
    @SuppressWarnings({"serial", "unchecked"}) // As of Flink's tuples.
    public static class Annotated extends Tuple2<Long, Basket> {}

    /** Flink's serializer of tuples is faster for numbers and strings. */
    @Test
    void aTupleKeepsFlinksSerializerAndHeapspanTakesItsObjects() throws Exception {
        SerializerConfigImpl config = new SerializerConfigImpl();
        TypeSerializer<Numbers> numbers =
                HeapspanTypeInformation.of(Numbers.class).createSerializer(config);
        assertThat(numbers).isEqualTo(TypeInformation.of(Numbers.class).createSerializer(config));

        TypeInformation<Tuple3<Long, Tuple2<String, Trade>, Box<Trade>>> mixed =
                HeapspanTypeInformation.of(new TypeHint<>() {});
        TypeSerializer<Tuple3<Long, Tuple2<String, Trade>, Box<Trade>>> serializer = mixed.createSerializer(config);
        assertThat(serializer)
                .isEqualTo(Types.TUPLE(
                                Types.LONG,
                                Types.TUPLE(Types.STRING, HeapspanTypeInformation.of(Trade.class)),
                                HeapspanTypeInformation.of(Box.class, Trade.class))
                        .createSerializer(config));
        Tuple3<Long, Tuple2<String, Trade>, Box<Trade>> tuple =
                Tuple3.of(7L, Tuple2.of("seven", TRADE), new Box<>(TRADE));
        Tuple3<Long, Tuple2<String, Trade>, Box<Trade>> read = Bytes.passed(serializer, tuple);
        assertThat(read).usingRecursiveComparison().isEqualTo(tuple);
    }

    @Test
    void collectionsAndArraysOfObjectsInATupleAreImages() throws Exception {
        SerializerConfigImpl config = new SerializerConfigImpl();
        TypeHint<Tuple3<List<Trade>, Map<String, Trade>, Trade[]>> hint = new TypeHint<>() {};
        TypeSerializer<Tuple3<List<Trade>, Map<String, Trade>, Trade[]>> serializer =
                HeapspanTypeInformation.of(hint).createSerializer(config);
        assertThat(serializer)
                .isEqualTo(Types.TUPLE(
                                HeapspanTypeInformation.of(List.class, Trade.class),
                                HeapspanTypeInformation.of(Map.class, String.class, Trade.class),
                                HeapspanTypeInformation.of(Trade[].class))
                        .createSerializer(config));
        Tuple3<List<Trade>, Map<String, Trade>, Trade[]> tuple =
                Tuple3.of(List.of(TRADE), Map.of("a", TRADE), new Trade[] {TRADE});
        assertThat(Bytes.passed(serializer, tuple)).usingRecursiveComparison().isEqualTo(tuple);

        TypeHint<Tuple2<List<Long>, long[]>> numbers = new TypeHint<>() {};
        assertThat(HeapspanTypeInformation.of(numbers).createSerializer(config))
                .isEqualTo(TypeInformation.of(numbers).createSerializer(config));
    }

    /** Flink has serializers for {@code List}, {@code Set} and {@code Map}, if it knows the types of the elements, and Kryo for all others. */
    @Test
    @SuppressWarnings("rawtypes")
    void collectionsForWhichFlinkUsesKryoAreImagesWhateverTheyContain() {
        TypeHint<Tuple4<LinkedList<String>, TreeMap<String, Long>, List, Names>> hint = new TypeHint<>() {};
        assertThat(HeapspanTypeInformation.of(hint).createSerializer(new SerializerConfigImpl()))
                .isEqualTo(Types.TUPLE(
                                HeapspanTypeInformation.of(LinkedList.class, String.class),
                                HeapspanTypeInformation.of(TreeMap.class, String.class, Long.class),
                                HeapspanTypeInformation.of(List.class),
                                HeapspanTypeInformation.of(Names.class))
                        .createSerializer(new SerializerConfigImpl()));
    }

    @Test
    void aTypeArgumentOfATupleCanBeATuple() {
        SerializerConfigImpl config = new SerializerConfigImpl();
        TypeHint<Numbered<Tuple2<Long, Box<Trade>>>> hint = new TypeHint<>() {};
        TupleSerializer<?> serializer =
                (TupleSerializer<?>) HeapspanTypeInformation.of(hint).createSerializer(config);
        assertThat(serializer.getFieldSerializers()[0])
                .isEqualTo(Types.TUPLE(Types.LONG, HeapspanTypeInformation.of(Box.class, Trade.class))
                        .createSerializer(config));
    }

    @Test
    void aTupleIsAKeyIfItsFieldsAre() {
        assertThat(HeapspanTypeInformation.of(Numbers.class).isKeyType()).isTrue();
        assertThat(HeapspanTypeInformation.of(new TypeHint<Tuple2<Long, Nested>>() {})
                        .isKeyType())
                .isTrue();
        assertThat(HeapspanTypeInformation.of(new TypeHint<Tuple2<Long, Basket>>() {})
                        .isKeyType())
                .isFalse();
    }

    @Test
    void aTupleOfUnknownTypesAndAnAnnotatedOneAreImages() {
        SerializerConfigImpl config = new SerializerConfigImpl();
        for (Class<?> type : List.of(Tuple2.class, Annotated.class)) {
            assertThat(HeapspanTypeInformation.of(type).createSerializer(config))
                    .isInstanceOf(HeapspanSerializer.class);
        }
        assertThat(TypeInformation.of(Annotated.class)).isEqualTo(HeapspanTypeInformation.of(Annotated.class));
    }

    @Test
    void theConfigurationCanNameAClass() {
        Configuration configuration = new Configuration();
        configuration.setString(
                PipelineOptions.SERIALIZATION_CONFIG.key(),
                "[" + Registered.class.getName() + ": {type: typeinfo, class: "
                        + HeapspanTypeInfoFactory.class.getName() + "}]");
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        assertThat(TypeInformation.of(Registered.class)).isEqualTo(HeapspanTypeInformation.of(Registered.class));
    }

    @Test
    void typeArgumentsHaveNumbers() {
        HeapspanTypeInfoFactory<Box<Trade>> factory = new HeapspanTypeInfoFactory<>();
        assertThat(factory.createTypeInfo(
                        new TypeHint<Box<Trade>>() {}.getTypeInfo().getTypeClass(),
                        java.util.Map.of("T", TypeInformation.of(Trade.class))))
                .isEqualTo(HeapspanTypeInformation.of(Box.class, Trade.class));
    }

    @TypeInfo(HeapspanTypeInfoFactory.class)
    static final class Parcel<T> extends Box<T> {
        Parcel(T content) {
            super(content);
        }
    }

    static final class Unpacking<T> implements MapFunction<Parcel<T>, T> {
        @Override
        public T map(Parcel<T> parcel) {
            return parcel.content;
        }
    }

    @Test
    void flinkFindsTheTypeOfAResultInTheTypeArguments() {
        TypeInformation<Parcel<Trade>> parcels = TypeInformation.of(new TypeHint<>() {});
        assertThat(TypeExtractor.getMapReturnTypes(new Unpacking<>(), parcels))
                .isEqualTo(TypeInformation.of(Trade.class));
    }

    /** Both methods hide one of {@link TypeInformation}. */
    @Test
    void classesAndHintsAreNamedInCode() {
        TypeInformation<Trade> plain = HeapspanTypeInformation.of(Trade.class);
        assertThat(plain).isInstanceOf(HeapspanTypeInformation.class);
        assertThat(HeapspanTypeInformation.of(new TypeHint<Trade>() {})).isEqualTo(plain);
        assertThat(HeapspanTypeInformation.of(new TypeHint<Box<Box<Trade>>>() {}))
                .isEqualTo(HeapspanTypeInformation.of(Box.class, Box.class, Trade.class));
        assertThat(HeapspanTypeInformation.of(new TypeHint<Box<? extends Box<Trade[]>>>() {}))
                .isEqualTo(HeapspanTypeInformation.of(Box.class, Box.class, Trade[].class));
    }

    @Test
    void aKeyHasOneFormAndOneHashCode() {
        for (Class<?> key : List.of(Deep.class, Nested.class, Transfer.class, Hashed.class, OfHashed.class)) {
            assertThat(HeapspanTypeInformation.of(key).isKeyType())
                    .as(key.getName())
                    .isTrue();
        }
        for (Class<?> other : List.of(
                Trade.class,
                Basket.class,
                Box.class,
                Recursive.class,
                Doubled.class,
                Names.class,
                List.class,
                int[].class,
                Account.class,
                OfAccount.class,
                OfArray.class,
                Unhashed.class,
                OfUnhashed.class)) {
            assertThat(HeapspanTypeInformation.of(other).isKeyType())
                    .as(other.getName())
                    .isFalse();
        }
    }

    static final class Hashed {
        long number;

        @Override
        public boolean equals(Object other) {
            return other instanceof Hashed hashed && number == hashed.number;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(number);
        }
    }

    record OfHashed(String text, Hashed hashed) {}

    /** Its hash code differs in each JVM. */
    static final class Unhashed {
        long number;
    }

    record OfUnhashed(String text, Unhashed unhashed) {}

    record OfAccount(Account account) {}

    record OfArray(int[] numbers) {}

    @TypeInfo(HeapspanTypeInfoFactory.class)
    enum Level {
        LOW
    }

    /** The hash code of an enum differs in each JVM. With it as key, Flink would send equal keys to different tasks. */
    @Test
    void flinkRefusesEnumsAsKeysHoweverTheyAreDescribed() {
        DataStream<Long> numbers =
                StreamExecutionEnvironment.getExecutionEnvironment().fromSequence(1, 2);
        for (TypeInformation<?> type : List.of(
                HeapspanTypeInformation.of(State.class),
                HeapspanTypeInformation.of(new TypeHint<State>() {}),
                HeapspanTypeInformation.of(new TypeHint<Tuple2<Long, State>>() {}),
                HeapspanTypeInformation.of(new TypeHint<Tuple2<Long, Level>>() {}),
                TypeInformation.of(Level.class))) {
            assertThatThrownBy(() -> numbers.keyBy(number -> null, type))
                    .as(type.toString())
                    .isInstanceOf(InvalidProgramException.class)
                    .hasMessageContaining("cannot be used as key");
        }
    }

    /** Of records, only POJOs and tuples that Flink describes have fields with names. */
    @Test
    void flinkAddsFieldsOfTuplesAndNotOfRecords() {
        DataStream<Long> numbers =
                StreamExecutionEnvironment.getExecutionEnvironment().fromSequence(1, 2);
        KeyedStream<Trade, Integer> pojos = numbers.map(number -> TRADE)
                .returns(TypeInformation.of(Trade.class))
                .keyBy(trade -> trade.amount);
        assertThat(pojos.sum("amount").getType()).isInstanceOf(PojoTypeInfo.class);
        KeyedStream<Trade, Integer> trades = numbers.map(number -> TRADE)
                .returns(HeapspanTypeInformation.of(Trade.class))
                .keyBy(trade -> trade.amount);
        assertThatThrownBy(() -> trades.sum("amount"))
                .isInstanceOf(CompositeType.InvalidFieldReferenceException.class)
                .hasMessageContaining("only supported on POJO types");
        assertThatThrownBy(() -> trades.maxBy("amount"))
                .isInstanceOf(CompositeType.InvalidFieldReferenceException.class);
        KeyedStream<Tuple2<Long, Trade>, Long> tuples = numbers.map(number -> Tuple2.of(number, TRADE))
                .returns(HeapspanTypeInformation.of(new TypeHint<Tuple2<Long, Trade>>() {}))
                .keyBy(tuple -> tuple.f0);
        assertThat(tuples.sum(0).getType()).isInstanceOf(TupleTypeInfo.class);
    }

    @Test
    void describesItself() {
        TypeInformation<Trade> information = HeapspanTypeInformation.of(Trade.class);
        assertThat(information.getTypeClass()).isSameAs(Trade.class);
        assertThat(information.getArity()).isEqualTo(1);
        assertThat(information.getTotalFields()).isEqualTo(1);
        assertThat(information.isBasicType()).isFalse();
        assertThat(information.isTupleType()).isFalse();
        assertThat(information).hasToString("HeapspanTypeInformation<" + Trade.class.getName() + ">");
        assertThat(information).isNotEqualTo(HeapspanTypeInformation.of(Trade.class, Basket.class));
    }
}
