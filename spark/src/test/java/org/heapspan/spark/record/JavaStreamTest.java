package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.write;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class JavaStreamTest {
    private static final Object[] RECORDS = {"one", 2, List.of(3L)};

    private final SerializerInstance java = new JavaSerializer(new SparkConf(false)).newInstance();

    @Test
    void streamsOfJavaSerializationAreRead() {
        assertThat(read(instance(), write(java, RECORDS))).containsExactly(RECORDS);
        assertThat(read(instance(), write(java))).isEmpty();
    }

    @Test
    void theyAreReadFromTheirBeginningOnly() {
        byte[] groups = write(instance(), RECORDS);
        byte[] ofJava = write(java, RECORDS);
        byte[] both = Arrays.copyOf(groups, groups.length + ofJava.length);
        System.arraycopy(ofJava, 0, both, groups.length, ofJava.length);
        assertThatThrownBy(() -> read(instance(), both))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("no group of records begins at byte " + groups.length);
    }

    @Test
    void anotherVersionOfJavaSerializationIsRefused() {
        byte[] bytes = write(java, RECORDS);
        bytes[3]++;
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
        assertThatThrownBy(() -> read(instance(), cutOff))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("the stream ends within the group of records that begins at byte 0");
    }
}
