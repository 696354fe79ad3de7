package org.heapspan.image.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which buffers a writer uses again. */
@Tag("once")
final class KeptBufferTest {
    private static final int SMALL_BYTES = KeptBuffer.SMALL_BYTES;

    private final KeptBuffer kept = new KeptBuffer();

    private byte[] larger(byte[] buffer, int leastBytes) {
        return kept.larger(buffer, buffer.length, leastBytes, Long.MAX_VALUE);
    }

    @Test
    void keepsWhatWasWritten() {
        byte[] small = new byte[100];
        Arrays.fill(small, (byte) 7);
        byte[] larger = kept.larger(small, 60, 3 * SMALL_BYTES, Long.MAX_VALUE);
        assertThat(larger).startsWith(Arrays.copyOf(small, 60));
        kept.endImage(larger);
        Arrays.fill(small, (byte) 8);
        assertThat(kept.larger(small, 60, 2 * SMALL_BYTES, Long.MAX_VALUE)).startsWith(Arrays.copyOf(small, 60));
    }

    @Test
    void anImageBeginsWithASmallBuffer() {
        byte[] small = new byte[SMALL_BYTES];
        assertThat(kept.endImage(small)).isSameAs(small);
        byte[] large = larger(small, SMALL_BYTES + 1);
        assertThat(kept.endImage(large)).isSameAs(small);
        assertThat(kept.endImage(small)).isSameAs(small);
    }

    @Test
    void aLargeBufferIsUsedAgain() {
        byte[] small = new byte[SMALL_BYTES];
        byte[] large = larger(small, 5 * SMALL_BYTES);
        kept.endImage(large);
        assertThat(larger(small, 2 * SMALL_BYTES)).isSameAs(large);
        assertThat(larger(small, 5 * SMALL_BYTES)).isSameAs(large);
        assertThat(larger(small, 5 * SMALL_BYTES + 1)).isNotSameAs(large);
        assertThat(kept.larger(small, 0, 2 * SMALL_BYTES, 5 * SMALL_BYTES - 1)).isNotSameAs(large);
    }

    /** The count begins anew with each image that needs it. */
    @Test
    void aLargeBufferIsGivenUpAfterSixteenImagesWithoutIt() {
        byte[] small = new byte[SMALL_BYTES];
        byte[] large = larger(small, 2 * SMALL_BYTES);
        for (int round = 0; round < 3; round++) {
            kept.endImage(large);
            for (int image = 0; image < 15; image++) {
                kept.endImage(small);
            }
            assertThat(larger(small, 2 * SMALL_BYTES)).isSameAs(large);
        }
        kept.endImage(large);
        for (int image = 0; image < 16; image++) {
            kept.endImage(small);
        }
        assertThat(larger(small, 2 * SMALL_BYTES)).isNotSameAs(large);
    }
}
