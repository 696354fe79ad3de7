package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.UncheckedIOException;
import java.util.NoSuchElementException;
import java.util.Random;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Blocks of records, and elements that are too large for batches. */
@Tag("once")
final class RecordBlocksTest {
    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    private static RecordBlocks blocks(byte[] file, long length, long recordBytes) {
        return new RecordBlocks(ByteSource.of(new ByteArrayInputStream(file)), length, recordBytes);
    }

    @Test
    void blocksHaveWholeRecords() {
        // More than a block of small records, and records that are larger than a block.
        for (int recordBytes : new int[] {100, 3_000_000}) {
            byte[] file = bytes(30_000 * 100);
            RecordBlocks blocks = blocks(file, file.length, recordBytes);
            ByteArrayOutputStream found = new ByteArrayOutputStream();
            while (blocks.hasNext()) {
                try (RddBatch block = blocks.next()) {
                    NativeBatch memory = block.memory();
                    assertThat(memory.sizeBytes() % recordBytes).isZero();
                    found.writeBytes(NativeBatch.bytesAt(memory.address(), memory.sizeBytes()));
                }
            }
            assertThat(found.toByteArray()).isEqualTo(file);
            assertThatThrownBy(blocks::next).isInstanceOf(NoSuchElementException.class);
        }
    }

    @Test
    void anEmptyPartHasNoBlocks() {
        assertThat(blocks(new byte[0], 0, 100).hasNext()).isFalse();
    }

    @Test
    void aFileThatBecomesShorterIsAnError() {
        long before = NativeBatch.openBytes();
        RecordBlocks blocks = blocks(bytes(250), 300, 100);
        assertThatThrownBy(blocks::next)
                .isInstanceOf(UncheckedIOException.class)
                .hasRootCauseInstanceOf(EOFException.class)
                .hasRootCauseMessage("the file of records became shorter while it was read");
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    @Test
    void anElementAboveTwoGigabytesIsRefused() {
        GrowingBytes bytes = new GrowingBytes();
        bytes.room(8).putLong(1);
        assertThatThrownBy(() -> bytes.room(Integer.MAX_VALUE - 8))
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("needs " + Integer.MAX_VALUE + " bytes, and at most 2 GB are possible");
        assertThat(bytes.size()).isEqualTo(8);
    }
}
