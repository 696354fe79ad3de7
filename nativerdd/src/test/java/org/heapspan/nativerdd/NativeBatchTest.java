package org.heapspan.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class NativeBatchTest {
    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @Test
    void bytesGoInAndOutUnchanged() throws IOException {
        for (int size : new int[] {0, 1, 65_535, 65_536, 200_001}) {
            byte[] bytes = random(size);
            try (NativeBatch batch = NativeBatch.copyOf(bytes)) {
                assertThat(batch.address() % 8).isZero();
                assertThat(NativeBatch.bytesAt(batch.address(), batch.sizeBytes()))
                        .isEqualTo(bytes);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                NativeBatch.write(batch.address(), batch.sizeBytes(), out);
                assertThat(out.toByteArray()).isEqualTo(bytes);
            }
            try (NativeBatch batch = NativeBatch.allocate(size)) {
                NativeBatch.read(batch.address(), size, new ByteArrayInputStream(bytes));
                assertThat(NativeBatch.bytesAt(batch.address(), size)).isEqualTo(bytes);
            }
        }
    }

    /** A batch with one buffer of numbers. */
    private static byte[] batchOfNumbers(int count, int numberBytes) {
        int size = (count * numberBytes + 7) / 8 * 8;
        ByteBuffer batch = ByteBuffer.wrap(random(24 + size)).order(ByteOrder.nativeOrder());
        batch.putLong(count).putLong(1).putLong((long) numberBytes << 56 | (long) count * numberBytes);
        return batch.array();
    }

    @Test
    void numbersAreSortedByByteAndComeBack() throws IOException {
        for (int count : new int[] {0, 3, 16_000, 50_001}) {
            byte[] bytes = batchOfNumbers(count, 4);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (NativeBatch batch = NativeBatch.copyOf(bytes)) {
                NativeBatch.writePlanes(batch.address(), batch.sizeBytes(), out);
            }
            byte[] planes = out.toByteArray();
            assertThat(planes).hasSameSizeAs(bytes);
            if (count == 3) {
                byte[] expected = bytes.clone();
                for (int i = 0; i < 12; i++) {
                    expected[24 + i % 4 * 3 + i / 4] = bytes[24 + i];
                }
                assertThat(planes).isEqualTo(expected);
            }
            try (NativeBatch batch = NativeBatch.allocate(bytes.length)) {
                NativeBatch.readPlanes(batch.address(), batch.sizeBytes(), new ByteArrayInputStream(planes));
                assertThat(NativeBatch.bytesAt(batch.address(), batch.sizeBytes()))
                        .isEqualTo(bytes);
            }
        }
    }

    @Test
    void aStreamThatIsTooShortIsDamaged() {
        try (NativeBatch batch = NativeBatch.allocate(100)) {
            assertThatThrownBy(() -> NativeBatch.read(batch.address(), 100, new ByteArrayInputStream(new byte[99])))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("99 of 100 bytes");
            assertThatThrownBy(
                            () -> NativeBatch.readPlanes(batch.address(), 100, new ByteArrayInputStream(new byte[99])))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("99 of 100 bytes");
        }
    }

    @Test
    void theLastReferenceFreesTheMemory() {
        long before = NativeBatch.openBytes();
        NativeBatch batch = NativeBatch.allocate(1000);
        assertThat(NativeBatch.openBytes()).isEqualTo(before + 1000);
        batch.retain();
        batch.close();
        assertThat(batch.address()).isNotZero();
        batch.close();
        assertThat(NativeBatch.openBytes()).isEqualTo(before);
        batch.close();
        assertThatThrownBy(batch::address).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(batch::retain).isInstanceOf(IllegalStateException.class);
        assertThat(NativeBatch.openBytes()).isEqualTo(before);
    }

    @Test
    void partsOutsideAreRefused() {
        try (NativeBatch batch = NativeBatch.allocate(10)) {
            assertThatThrownBy(() -> batch.put(8, new byte[3], 0, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.put(-1, new byte[3], 0, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.put(0, new byte[3], 1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.buffer(4, 7)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.shrinkTo(11)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(batch.shrinkTo(4).sizeBytes()).isEqualTo(4);
            assertThatThrownBy(() -> batch.buffer(0, 5)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void moreThanThereIsIsRefused() {
        assertThatThrownBy(() -> NativeBatch.allocate(Long.MAX_VALUE))
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("no memory");
    }

    /** Without the memory: the size is looked at first. */
    @Test
    void moreThanTwoGigabytesAreNoArray() {
        assertThatThrownBy(() -> NativeBatch.bytesAt(0, 1L << 31))
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("a batch has 2147483648 bytes, and this way only 2 GB are possible");
    }
}
