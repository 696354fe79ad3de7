package org.heapspan.image.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class StreamSourceTest {
    private static final int SIZE_BYTES = 300_000;

    private final byte[] bytes = new byte[SIZE_BYTES];

    StreamSourceTest() {
        new Random(1).nextBytes(bytes);
    }

    /** Gives few bytes at a time, and fails once on the way. */
    private final class Unsteady extends InputStream {
        private final InputStream all = new ByteArrayInputStream(bytes);
        private int left;
        private int mostWanted;

        Unsteady(int beforeFailure) {
            left = beforeFailure;
        }

        @Override
        public int read() {
            throw new AssertionError("reads single bytes");
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            mostWanted = Math.max(mostWanted, length);
            if (left == 0) {
                left = -1;
                throw new IOException("try again");
            }
            int count = all.read(target, offset, Math.min(length, left < 0 ? 1_000 : Math.min(left, 1_000)));
            left -= left < 0 ? 0 : count;
            return count;
        }
    }

    private byte[] read(StreamSource source, int length) throws IOException {
        byte[] target = new byte[length];
        source.readFully(target, 0, length);
        return target;
    }

    @Test
    void bytesReadAheadAreReadInPlace() throws IOException {
        StreamSource source = new StreamSource(new Unsteady(-1), false);
        assertThat(source.isInPlace(1)).isFalse();
        assertThat(source.bytesAhead(SIZE_BYTES)).isEqualTo(SIZE_BYTES);
        int done = 0;
        int inPlace = 0;
        for (int length = 1; done < SIZE_BYTES; length = Math.min(length * 3, SIZE_BYTES - done)) {
            byte[] expected = Arrays.copyOfRange(bytes, done, done + length);
            if (source.isInPlace(length)) {
                byte[] array = source.array();
                int position = source.position();
                source.skip(length);
                assertThat(Arrays.copyOfRange(array, position, position + length))
                        .isEqualTo(expected);
                inPlace++;
            } else {
                // It lies in several arrays.
                assertThat(read(source, length)).isEqualTo(expected);
            }
            done += length;
        }
        assertThat(inPlace).isGreaterThan(5);
        assertThat(source.isInPlace(1)).isFalse();
    }

    /** Wherever they lay: in one array, at its beginning, in two, or not ahead. */
    @Test
    void bytesTakenBackComeAgain() throws IOException {
        for (int ahead : new int[] {0, 10, 64 << 10, 200_000}) {
            StreamSource source = new StreamSource(new Unsteady(-1), false);
            source.bytesAhead(ahead);
            int done = 0;
            for (int length : new int[] {3, 20, 65_500, 20, 130_000, 20, 40_000, 20}) {
                byte[] first = read(source, length);
                source.takeBack(first, 0, length);
                assertThat(read(source, length)).isEqualTo(Arrays.copyOfRange(bytes, done, done + length));
                done += length;
            }
        }
    }

    @Test
    void nothingIsLostIfTheStreamFailsWhileItIsReadAhead() throws IOException {
        StreamSource source = new StreamSource(new Unsteady(70_123), false);
        assertThatThrownBy(() -> source.bytesAhead(SIZE_BYTES)).hasMessage("try again");
        assertThat(source.bytesAhead(SIZE_BYTES)).isEqualTo(SIZE_BYTES);
        assertThat(read(source, SIZE_BYTES)).isEqualTo(bytes);
    }

    /** No more memory than twice what has come, and a first step. */
    @Test
    void aFalseClaimTakesLittleMemory() throws IOException {
        Unsteady stream = new Unsteady(-1);
        StreamSource source = new StreamSource(stream, false);
        assertThat(source.bytesAhead(1L << 40)).isEqualTo(SIZE_BYTES);
        assertThat(stream.mostWanted).isBetween(64 << 10, 2 * SIZE_BYTES);
        assertThat(read(source, SIZE_BYTES)).isEqualTo(bytes);
    }
}
