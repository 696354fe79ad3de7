package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.heapspan.HeapspanException;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.type.FieldAccess;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RawClassTableTest {
    private final ImageReader reader = RawObjectSpaceTest.reader();
    private final RawClassTable table = new RawClassTable();

    @BeforeAll
    static void findLayout() {
        Assumptions.assumeTrue(RawLayout.OWN != null, "needs raw memory");
    }

    private void read(long firstUnit, long classWord, Class<?> arrayType) {
        byte[] description = new RawClassDescription(
                        classWord,
                        RawArrayForm.describe(arrayType),
                        0,
                        new int[0],
                        RawRelations.fingerprint(arrayType, new FieldAccess[0]))
                .encode();
        table.read(reader, RawLayout.own(), firstUnit, description, 0, description.length);
    }

    @Test
    void findsClassesByTheirWords() {
        read(1, 77, int[].class);
        read(1, 78, long[].class);
        table.prepare(1);
        assertThat(table.of(reader, 77).type).isEqualTo(int[].class);
        assertThat(table.of(reader, 78).type).isEqualTo(long[].class);
        assertThat(table.of(reader, 77).type).isEqualTo(int[].class);
        assertThatThrownBy(() -> table.of(reader, 79))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("0x4f");
    }

    /** The class with the word before was unloaded; chunks with its objects may still wait to be read. */
    @Test
    void givesAWordThatComesAgainToTheChunksFromThereOn() {
        read(1, 77, int[].class);
        read(100, 77, long[].class);
        assertThat(table.carved().obstacle).as("for the direct engine").isNotNull();
        table.prepare(1);
        assertThat(table.of(reader, 77).type).isEqualTo(int[].class);
        table.prepare(50);
        assertThat(table.of(reader, 77).type).isEqualTo(int[].class);
        table.prepare(100);
        assertThat(table.of(reader, 77).type).isEqualTo(long[].class);
    }

    @Test
    void forgetsAnImage() {
        read(1, 77, int[].class);
        table.clear();
        assertThat(table.carved()).isSameAs(RawCarving.Classes.EMPTY);
        table.prepare(Long.MAX_VALUE);
        assertThatThrownBy(() -> table.of(reader, 77)).isInstanceOf(HeapspanException.class);
    }
}
