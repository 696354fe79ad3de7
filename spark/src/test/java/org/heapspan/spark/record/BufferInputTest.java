package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.write;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of one record, whose bytes are outside of the heap. */
final class BufferInputTest {
    private static final List<String> RECORD =
            IntStream.range(0, 200_000).mapToObj(number -> "record " + number).toList();

    private static BufferInput input(byte[] bytes, int cut) {
        return new BufferInput(List.of(direct(bytes, 0, cut), direct(bytes, cut, bytes.length)));
    }

    private static ByteBuffer direct(byte[] bytes, int from, int to) {
        return ByteBuffer.allocateDirect(to - from).put(bytes, from, to - from).flip();
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void aRecordIsReadWhereverItsBytesAre(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.encoding", encoding);
        byte[] bytes = write(instance, RECORD);
        for (int cut : new int[] {0, 2, GroupFraming.LENGTH_BYTES, 1_000_000, bytes.length - 1, bytes.length}) {
            assertThat(read(instance, input(bytes, cut))).as("cut at " + cut).containsExactly(RECORD);
        }
    }

    @Test
    void theBuffersStayAsTheyAre() {
        byte[] bytes = write(instance(), RECORD);
        ByteBuffer buffer = direct(bytes, 0, bytes.length);
        for (int i = 0; i < 2; i++) {
            assertThat(read(instance(), new BufferInput(List.of(buffer)))).containsExactly(RECORD);
        }
    }

    @Test
    void otherSerializersReadItAsAnyStream() {
        SerializerInstance java = new JavaSerializer(new SparkConf(false)).newInstance();
        byte[] bytes = write(java, RECORD);
        assertThat(read(java, input(bytes, 777))).containsExactly(RECORD);
        assertThat(read(instance("spark.heapspan.broadcast", "false"), input(bytes, 777)))
                .containsExactly(RECORD);
    }

    @Test
    void bytesThatAreMissingOrDamagedAreNoticed() {
        byte[] bytes = write(instance(), RECORD);
        for (int length : new int[] {0, 3, 100, bytes.length / 2, bytes.length - 1}) {
            byte[] shorter = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> read(instance(), input(shorter, length)))
                    .as("the first " + length)
                    .isInstanceOf(HeapspanException.class);
        }
        bytes[bytes.length / 2] ^= 1;
        assertThatThrownBy(() -> read(instance(), input(bytes, bytes.length)))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("the group of records that begins at byte 0");
    }
}
