package org.heapspan.spark.record;

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
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.spark.SerializedStreams;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage is an error, never the end of the stream and never a wrong record. */
@Tag("once")
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
    void aStreamThatEndsEarlyIsAnErrorWhereverItEnds(String encoding) {
        SerializerInstance instance = instance("spark.heapspan.groupBytes", "1k", "spark.heapspan.encoding", encoding);
        byte[] bytes = write(instance, records());
        List<Integer> ends = ends(bytes);
        assertThat(ends).hasSizeGreaterThan(3);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            List<Object> arrived = new ArrayList<>();
            assertThatThrownBy(() -> instance.deserializeStream(new ByteArrayInputStream(cut))
                            .asIterator()
                            .foreach(arrived::add))
                    .as("%d of %d bytes", length, bytes.length)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                    .hasMessageContaining(
                            ends.contains(length)
                                    ? "the stream ends at its byte " + length + " without its end mark"
                                    : "the stream ends within the group of records that begins at byte")
                    .hasMessageContaining("truncated");
            assertThat(arrived).isEqualTo(Arrays.asList(records()).subList(0, arrived.size()));
        }
        assertThat(read(instance, bytes)).isEqualTo(Arrays.asList(records()));
    }

    /** Fetched and merged blocks are several streams; one that lacks its end is noticed whatever comes behind it. */
    @Test
    void amongStreamsOneBehindTheOtherTheLastOneMustEndToo() throws Exception {
        byte[] one = write(INSTANCE, records());
        byte[] empty = write(INSTANCE);
        ByteArrayOutputStream together = new ByteArrayOutputStream();
        for (byte[] stream : new byte[][] {empty, one, empty, empty, one}) {
            together.write(stream);
        }
        byte[] bytes = together.toByteArray();
        List<Object> twice = new ArrayList<>(Arrays.asList(records()));
        twice.addAll(Arrays.asList(records()));
        assertThat(read(INSTANCE, bytes)).isEqualTo(twice);
        int lastOne = bytes.length - one.length;
        for (int end : ends(one)) {
            if (end > 0) {
                assertThatThrownBy(() -> read(INSTANCE, Arrays.copyOf(bytes, lastOne + end)))
                        .as("%d of the last %d bytes", end, one.length)
                        .hasMessageContaining("ends at its byte " + (lastOne + end) + " without its end mark");
            }
        }
    }

    @Test
    void theEndStaysTheEnd() {
        DeserializationStream stream =
                INSTANCE.deserializeStream(new ByteArrayInputStream(write(INSTANCE, "one", "two")));
        assertThat(stream.readObject(SerializedStreams.ANY)).isEqualTo("one");
        assertThat(stream.readObject(SerializedStreams.ANY)).isEqualTo("two");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> stream.readObject(SerializedStreams.ANY)).isInstanceOf(EOFException.class);
        }
    }

    /** What file systems leave of blocks that never reached the disk. */
    @Test
    void zerosAreNoStream() {
        assertThatThrownBy(() -> read(INSTANCE, new byte[4096]))
                .hasMessageContaining("no group of records begins at byte 0")
                .hasMessageContaining("its length would be 0");
        byte[] zerosAtTheEnd = write(INSTANCE, records());
        int end = ends(zerosAtTheEnd).get(2);
        Arrays.fill(zerosAtTheEnd, end, zerosAtTheEnd.length, (byte) 0);
        assertThatThrownBy(() -> read(INSTANCE, zerosAtTheEnd))
                .hasMessageContaining("no group of records begins at byte " + end);
    }

    /** A disk that was full for a moment: what was lost must not look complete. */
    @Test
    void aStreamThatLostAGroupDoesNotEnd() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        boolean[] full = {true};
        OutputStream target = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                if (full[0]) {
                    throw new IOException("No space left on device");
                }
                bytes.write(one);
            }
        };
        SerializationStream stream = INSTANCE.serializeStream(target);
        stream.writeObject("lost", SerializedStreams.ANY);
        assertThatThrownBy(stream::flush).isInstanceOf(IOException.class);
        full[0] = false;
        stream.writeObject("kept", SerializedStreams.ANY);
        stream.close();
        assertThatThrownBy(() -> read(INSTANCE, bytes.toByteArray())).hasMessageContaining("without its end mark");
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
    void bytesOfAnotherSerializerAreNamedAsSuch() {
        byte[] image = {(byte) 0xFF, (byte) 0xD8, (byte) 0xFF, (byte) 0xE0, 0, 16};
        assertThatThrownBy(() -> read(INSTANCE, image))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("no group of records begins at byte 0")
                .hasMessageContaining("HeapspanSerializer did not write it");
        byte[] nonsense = new byte[44];
        nonsense[3] = 40;
        assertThatThrownBy(() -> read(INSTANCE, nonsense))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("byte 0 of the stream cannot be read")
                .hasMessageContaining("HeapspanSerializer did not write it");
    }

    /** Where groups of one stream end, and where the first one begins; the mark follows the last of these. */
    private static List<Integer> ends(byte[] bytes) {
        List<Integer> ends = new ArrayList<>(List.of(0));
        int offset = 0;
        while (offset < bytes.length - 4) {
            offset += 4 + java.nio.ByteBuffer.wrap(bytes, offset, 4).getInt();
            ends.add(offset);
        }
        return ends;
    }
}
