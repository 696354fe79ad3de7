package org.heapspan.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.write;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage is an error, never the end of the stream and never a wrong record. */
final class DamagedStreamTest {
    private static final SerializerInstance INSTANCE = instance("spark.heapspan.groupBytes", "1k");

    private static Object[] records() {
        Object[] records = new Object[400];
        for (int i = 0; i < records.length; i++) {
            records[i] = List.of("record " + i, i);
        }
        return records;
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void aStreamThatEndsEarlyIsAnErrorUnlessItEndsBetweenGroups(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.groupBytes", "1k", "spark.heapspan.encoding", encoding);
        byte[] bytes = write(instance, records());
        List<Integer> ends = ends(bytes);
        assertThat(ends).hasSizeGreaterThan(3);
        int step = Math.max(1, bytes.length / 1_000);
        for (int length = 0; length < bytes.length; length += length < 100 ? 1 : step) {
            byte[] cut = Arrays.copyOf(bytes, length);
            if (!ends.contains(length)) {
                assertThatThrownBy(() -> read(instance, cut))
                        .as("%d of %d bytes", length, bytes.length)
                        .isInstanceOfSatisfying(
                                HeapspanException.class,
                                e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                        .hasMessageContaining("the stream ends within the group of records that begins at its byte")
                        .hasMessageContaining("cut off");
            }
        }
        for (int end : ends) {
            List<Object> arrived = read(instance, Arrays.copyOf(bytes, end));
            assertThat(arrived).isEqualTo(Arrays.asList(records()).subList(0, arrived.size()));
        }
    }

    /** A stream that decompresses says the end of cut-off blocks by an EOFException, which Spark takes for the end of all records. */
    @Test
    void anEofExceptionOfTheStreamBelowIsNotTheEnd() {
        byte[] bytes = write(INSTANCE, records());
        for (int length : new int[] {0, 2, 100, ends(bytes).get(1)}) {
            InputStream cut = new FilterInputStream(new ByteArrayInputStream(bytes, 0, length)) {
                @Override
                public int read() throws IOException {
                    return notTheEnd(super.read());
                }

                @Override
                public int read(byte[] target, int offset, int count) throws IOException {
                    return notTheEnd(super.read(target, offset, count));
                }

                private static int notTheEnd(int result) throws EOFException {
                    if (result < 0) {
                        throw new EOFException("Stream ended prematurely");
                    }
                    return result;
                }
            };
            assertThatThrownBy(() -> read(INSTANCE, cut))
                    .as("%d bytes", length)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("the stream ends within")
                    .hasRootCauseInstanceOf(EOFException.class);
        }
    }

    @Test
    void anIoExceptionOfTheStreamBelowComesThroughAsItIs() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("connection reset");
            }
        };
        assertThatThrownBy(() -> read(INSTANCE, broken))
                .isInstanceOf(IOException.class)
                .hasMessage("connection reset");
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void everyFlippedBitIsNoticed(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.groupBytes", "1k", "spark.heapspan.encoding", encoding);
        byte[] bytes = write(instance, records());
        List<Object> expected = Arrays.asList(records());
        int step = Math.max(1, bytes.length * 8 / 3_000);
        for (int bit = 0; bit < bytes.length * 8; bit += step) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            List<Object> arrived;
            try {
                arrived = read(instance, damaged);
            } catch (HeapspanException e) {
                assertThat(e).hasMessageContaining("stream");
                continue;
            }
            // Only bits of no meaning may pass.
            assertThat(arrived).as("bit %d", bit).isEqualTo(expected);
        }
    }

    /** Nobody knows where the next record begins: whoever asks again must not get what comes then. */
    @Test
    void aStreamThatFailedFailsAgain() {
        byte[] bytes = write(INSTANCE, records());
        bytes[ends(bytes).get(1) + 200] ^= 1;
        DeserializationStream stream = INSTANCE.deserializeStream(new ByteArrayInputStream(bytes));
        HeapspanException first = catchThrowableOfType(
                HeapspanException.class, () -> stream.asIterator().foreach(record -> record));
        assertThat(first).hasMessageContaining("begins at byte " + ends(bytes).get(1) + " of the stream");
        assertThatThrownBy(() -> stream.readObject(SerializedStreams.ANY)).isSameAs(first);
    }

    @Test
    void aFalseLengthTakesNoMemoryInAdvance() {
        byte[] bytes = {0x7F, 0x7F, 0, 0, 1, 2, 3};
        assertThatThrownBy(() -> read(INSTANCE, bytes))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("of 2139029504 bytes, after 3 bytes");
    }

    @Test
    void bytesOfAnotherSerializerAreNamedAsSuch() throws Exception {
        ByteArrayOutputStream java = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(java)) {
            out.writeObject("text");
        }
        assertThatThrownBy(() -> read(INSTANCE, java.toByteArray()))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("no group of records begins at byte 0")
                .hasMessageContaining("not written by HeapspanSerializer");
        byte[] nonsense = new byte[44];
        nonsense[3] = 40;
        assertThatThrownBy(() -> read(INSTANCE, nonsense))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("byte 0 of the stream cannot be read")
                .hasMessageContaining("not written by HeapspanSerializer");
    }

    private static List<Integer> ends(byte[] bytes) {
        List<Integer> ends = new ArrayList<>(List.of(0));
        int offset = 0;
        while (offset < bytes.length) {
            offset += 4 + java.nio.ByteBuffer.wrap(bytes, offset, 4).getInt();
            ends.add(offset);
        }
        return ends;
    }
}
