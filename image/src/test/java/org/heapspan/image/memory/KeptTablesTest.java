package org.heapspan.image.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which tables a writer uses again. */
@Tag("once")
final class KeptTablesTest {
    private static final int LEAST = 4;
    private static final int SMALL = 16;
    private static final int MOST = 200;
    private static final int IMAGES_WITH_LARGE = 16;

    private final KeptTables tables = new KeptTables(LEAST, SMALL, MOST);

    /** What an image needs whose objects do not fit into a small table. */
    private long[] large() {
        return tables.largerThan(tables.largerThan(tables.first()));
    }

    @Test
    void eachTableIsFourTimesAsLargeUntilTheLargest() {
        long[] table = tables.first();
        for (int longs : new int[] {LEAST, SMALL, 64, MOST}) {
            table = longs == LEAST ? table : tables.largerThan(table);
            assertThat(table).hasSize(longs).startsWith(KeptTables.BARRED);
            assertThat(tables.isLarge(table)).isEqualTo(longs > SMALL);
        }
        assertThat(tables.largerThan(table)).isNull();
    }

    @Test
    void aSmallTableIsUsedAgain() {
        long[] first = tables.first();
        assertThat(tables.first()).isSameAs(first);
        long[] small = tables.largerThan(first);
        for (int image = 0; image < 100; image++) {
            assertThat(tables.first()).isSameAs(small);
        }
    }

    @Test
    void sixteenImagesBeginWithTheTableThatWasNeeded() {
        long[] large = large();
        for (int image = 0; image < IMAGES_WITH_LARGE; image++) {
            assertThat(tables.first()).as("image %d", image).isSameAs(large);
        }
        long[] small = tables.first();
        assertThat(small).hasSize(SMALL);
        // It is still there, and counts anew when it is needed.
        assertThat(tables.largerThan(small)).isSameAs(large);
        for (int image = 0; image < IMAGES_WITH_LARGE; image++) {
            assertThat(tables.first()).as("image %d after a need", image).isSameAs(large);
        }
        assertThat(tables.first()).isSameAs(small);
    }

    @Test
    void theLargestIsTheOneThatIsKept() {
        long[] largest = tables.largerThan(large());
        assertThat(largest).hasSize(MOST);
        assertThat(tables.first()).isSameAs(largest);
    }

    /** As when the JVM is short of memory. */
    @Test
    void theCollectorMayTakeALargeTable() throws ReflectiveOperationException {
        long[] large = large();
        Field field = KeptTables.class.getDeclaredField("large");
        field.setAccessible(true);
        ((Reference<?>) field.get(tables)).clear();
        long[] small = tables.first();
        assertThat(small).hasSize(SMALL);
        assertThat(tables.largerThan(small)).hasSameSizeAs(large).isNotSameAs(large);
    }

    @Test
    void nothingIsKeptWhenNumbersBeginAnew() {
        long[] large = large();
        tables.drop();
        long[] first = tables.first();
        assertThat(first).hasSize(LEAST).startsWith(KeptTables.BARRED);
        assertThat(tables.largerThan(tables.largerThan(first))).isNotSameAs(large);
    }
}
