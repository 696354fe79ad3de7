package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.heapspan.nativerdd.NativeBatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.collection.Iterator;

/** What map tasks write for a reducer, and what the reducer reads. */
@Tag("once")
final class BatchSerializerTest {
    private static byte[] batchOfLongs(int count) {
        byte[] random = new byte[24 + count * 8];
        new Random(count).nextBytes(random);
        ByteBuffer batch = ByteBuffer.wrap(random).order(ByteOrder.nativeOrder());
        batch.putLong(count).putLong(1).putLong(8L << 56 | count * 8L);
        return random;
    }

    private static byte[] written(boolean compressed, List<byte[]> batches) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] bytes : batches) {
            try (NativeBatch batch = NativeBatch.copyOf(bytes)) {
                BatchSerializer.write(out, compressed, batch.address(), batch.sizeBytes());
            }
        }
        return out.toByteArray();
    }

    private static List<byte[]> read(byte[] bytes) {
        Iterator<Tuple2<Object, Object>> batches = new BatchSerializer()
                .newInstance()
                .deserializeStream(new ByteArrayInputStream(bytes))
                .asKeyValueIterator();
        List<byte[]> read = new ArrayList<>();
        while (batches.hasNext()) {
            read.add(RowsOfBatches.bytes((RddBatch) batches.next()._2()));
        }
        return read;
    }

    @Test
    void batchesComeBackWhetherSparkCompressesOrNot() throws IOException {
        List<byte[]> batches = List.of(batchOfLongs(1), batchOfLongs(20_000), new byte[0], batchOfLongs(7));
        byte[] asTheyAre = written(false, batches);
        byte[] sorted = written(true, batches);
        assertThat(asTheyAre).hasSameSizeAs(sorted).isNotEqualTo(sorted);
        assertThat(read(asTheyAre)).containsExactlyElementsOf(batches);
        assertThat(read(sorted)).containsExactlyElementsOf(batches);
    }

    @Test
    void damagedBytesAreRefused() throws IOException {
        byte[] bytes = written(true, List.of(batchOfLongs(10)));
        byte[] ofUnknownForm = bytes.clone();
        ofUnknownForm[0] = 2;
        assertThatThrownBy(() -> read(ofUnknownForm))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("begins with the byte 2, not with 0 or 1");
        long before = NativeBatch.openBytes();
        for (int length : new int[] {1, 7, 8, bytes.length - 1}) {
            assertThatThrownBy(() -> read(java.util.Arrays.copyOf(bytes, length)))
                    .as("%s bytes", length)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("damaged");
        }
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }
}
