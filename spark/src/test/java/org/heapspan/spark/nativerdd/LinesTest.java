package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** Lines become batches and lines again. */
@Tag("once")
final class LinesTest {
    private static Iterator<RddBatch> batches(List<String> lines) {
        return CollectionConverters.asJava(new BatchesOfLines(CollectionConverters.asScala(lines.iterator())));
    }

    private static List<String> lines(Iterator<RddBatch> batches) {
        List<String> lines = new ArrayList<>();
        new LinesOfBatches().call(batches).forEachRemaining(lines::add);
        return lines;
    }

    @Test
    void linesArriveUnchanged() {
        long before = NativeBatch.openBytes();
        List<String> all = new ArrayList<>(List.of("", "é", "", "two words"));
        for (int i = 0; i < 40_000; i++) {
            all.add("line " + i + "x".repeat(i % 97));
        }
        all.add("y".repeat(3_000_000));
        all.add("");
        assertThat(lines(batches(all))).isEqualTo(all);
        assertThat(lines(batches(List.of()))).isEmpty();
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    /** The program takes one carriage return before the end of a line for a part of the end. */
    @Test
    void aCarriageReturnAtTheEndIsPartOfTheLine() {
        try (RddBatch batch = batches(List.of("a\r", "b\rc", "\r\r", "")).next()) {
            NativeBatch memory = batch.memory();
            assertThat(new String(NativeBatch.bytesAt(memory.address(), memory.sizeBytes()), StandardCharsets.UTF_8))
                    .isEqualTo("a\r\r\nb\rc\n\r\r\r\n\n");
        }
    }

    @Test
    void blocksAreLargeAndNotTooLarge() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 40_000; i++) {
            all.add("x".repeat(99));
        }
        List<Long> sizes = new ArrayList<>();
        batches(all).forEachRemaining(batch -> {
            sizes.add(batch.memory().sizeBytes());
            batch.close();
        });
        assertThat(sizes).hasSize(4);
        assertThat(sizes.subList(0, 3)).allMatch(size -> size >= 1 << 20 && size < (1 << 20) + 100);
    }

    /** A program may divide its output anywhere. */
    @Test
    void linesMayGoOnInTheNextBatch() {
        List<RddBatch> parts = new ArrayList<>();
        for (String part : List.of("o", "ne\nt", "", "wo\n", "\nlast")) {
            parts.add(new RddBatch(NativeBatch.copyOf(part.getBytes(StandardCharsets.UTF_8))));
        }
        assertThat(lines(parts.iterator())).containsExactly("one", "two", "", "last");
    }

    @Test
    void whatIsNoLineIsRefused() {
        Iterator<RddBatch> batches = batches(List.of("one\ntwo"));
        assertThatThrownBy(batches::next)
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("line break");
    }
}
