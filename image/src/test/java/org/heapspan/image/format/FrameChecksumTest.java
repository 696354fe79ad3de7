package org.heapspan.image.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class FrameChecksumTest {
    private static final long SEED = 20261122;

    private final FrameChecksum checksum = new FrameChecksum();

    @Test
    void equalsThatOfTheJdk() {
        byte[] bytes = random(1000);
        assertThat(checksum.of(bytes, 3, 900)).isEqualTo(expected(bytes, 3, 900));
    }

    @Test
    void goesOnFromWhatIsKnown() {
        assumeTrue(FrameChecksum.CONTINUES, "needs the state of a checksum");
        byte[] bytes = random(700);
        for (int cut = 0; cut <= bytes.length; cut += 7) {
            int first = checksum.of(bytes, 0, cut);
            assertThat(checksum.continued(first, bytes, cut, bytes.length - cut))
                    .as("%d bytes known", cut)
                    .isEqualTo(expected(bytes, 0, bytes.length));
        }
    }

    @Test
    void combinesTwoRuns() {
        byte[] bytes = random(70_000);
        for (int cut : new int[] {0, 1, 2, 255, 256, 4097, 65_535, 65_536, 69_999, 70_000}) {
            int first = checksum.of(bytes, 0, cut);
            int second = checksum.of(bytes, cut, bytes.length - cut);
            assertThat(FrameChecksum.combined(first, second, bytes.length - cut))
                    .as("cut at %d", cut)
                    .isEqualTo(expected(bytes, 0, bytes.length));
        }
    }

    private static byte[] random(int sizeBytes) {
        byte[] bytes = new byte[sizeBytes];
        new Random(SEED).nextBytes(bytes);
        return bytes;
    }

    private static int expected(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
