package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.write;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.junit.jupiter.api.Test;

final class BroadcastInputTest {
    private static final Object[] RECORDS = {"one", 2, List.of(3L)};

    private final SerializerInstance java = new JavaSerializer(new SparkConf(false)).newInstance();
    private final SerializerInstance readsBoth = instance("spark.heapspan.broadcast", "false");

    @Test
    void streamsOfJavaSerializationAreReadWhereBroadcastsAreLeftToIt() {
        assertThat(read(readsBoth, write(java, RECORDS))).containsExactly(RECORDS);
    }

    @Test
    void groupsAreReadAsEverywhere() {
        assertThat(read(readsBoth, write(instance(), RECORDS))).containsExactly(RECORDS);
        assertThat(read(readsBoth, write(instance()))).isEmpty();
        assertThatThrownBy(() -> read(readsBoth, new byte[1]))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("within its length, after 1 bytes");
    }

    @Test
    void nothingElseReadsJavaSerialization() {
        byte[] bytes = write(java, RECORDS);
        assertThatThrownBy(() -> read(instance(), bytes))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("no group of records begins at byte 0");
    }

    /** Spark takes an {@link EOFException} for the end of a stream that has ended. */
    @Test
    void aStreamBelowThatMissesBytesIsNoEnd() {
        InputStream cutOff = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new EOFException("a compressed block is incomplete");
            }
        };
        assertThatThrownBy(() -> read(readsBoth, cutOff))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("the stream ends within the group of records that begins at byte 0");
    }
}
