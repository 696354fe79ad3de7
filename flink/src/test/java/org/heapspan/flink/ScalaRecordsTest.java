package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.Some;
import scala.Tuple2;
import scala.collection.immutable.$colon$colon;
import scala.collection.immutable.List;
import scala.collection.immutable.List$;

/** Case classes and collections of Scala are records like others. The case classes are those of Scala's library, as its compiler has made them. */
final class ScalaRecordsTest {
    private static List<Object> listOf(Object... elements) {
        List<Object> list = List$.MODULE$.empty();
        for (int i = elements.length - 1; i >= 0; i--) {
            list = new $colon$colon<>(elements[i], list);
        }
        return list;
    }

    private static <T> T copyOf(Class<T> type, T record) throws IOException {
        TypeSerializer<T> serializer = HeapspanTypeInformation.of(type).createSerializer(new SerializerConfigImpl());
        T read = Bytes.read(serializer, Bytes.of(serializer, record));
        assertThat(serializer.copy(record)).isEqualTo(record);
        return read;
    }

    @Test
    void caseClassesAreEqualAndObjectsTheSame() throws IOException {
        Tuple2<?, ?> pair = new Tuple2<>(new Some<>("Ada"), listOf(1, Option.empty(), new Tuple2<>("x", 2.5)));
        Tuple2<?, ?> read = copyOf(Tuple2.class, pair);
        assertThat(read).isEqualTo(pair).isNotSameAs(pair);
        assertThat(((List<?>) read._2()).apply(1)).isSameAs(Option.empty());
        assertThat(copyOf(Some.class, new Some<>(listOf())).get()).isSameAs(listOf());
    }

    /** A case class with a type parameter for numbers has subclasses for them, which no declaration names. */
    @Test
    void specializedClassesKeepTheirClass() throws IOException {
        Tuple2<?, ?> numbers = new scala.Tuple2$mcII$sp(1, 2);
        assertThat(copyOf(Tuple2.class, numbers))
                .isExactlyInstanceOf(numbers.getClass())
                .isEqualTo(numbers);
    }
}
