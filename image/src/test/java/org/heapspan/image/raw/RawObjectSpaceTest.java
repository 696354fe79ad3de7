package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.Mode;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.TypeResolver;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.junit.jupiter.api.Test;

class RawObjectSpaceTest {
    private final RawObjectSpace space = new RawObjectSpace(reader());

    static ImageReader reader() {
        return new ImageReader(
                new TypeResolver(
                        PolicyCodecRegistry.of(Mode.SERIAL, Map.of()), TypeResolver.Admission.everything(), null),
                RawImageReader::new);
    }

    /** A chunk with exports and nothing else that can be found in it. */
    private static RawPieces piece(long firstUnit, int unitCount, long... exports) {
        byte[] bytes = new byte[1024];
        ImageFormat.INT.set(bytes, RawFormat.FIRST_UNIT_OFFSET, (int) firstUnit);
        ImageFormat.INT.set(bytes, RawFormat.UNIT_COUNT_OFFSET, unitCount);
        ImageFormat.INT.set(bytes, RawFormat.EXPORTS_OFFSET, exports.length);
        RawPieces pieces = new RawPieces();
        int p = pieces.decodeNext(bytes, 0).exports();
        pieces.addNext(bytes);
        for (long export : exports) {
            ImageFormat.INT.set(bytes, p, (int) export);
            p += RawFormat.EXPORT_BYTES;
        }
        return pieces;
    }

    @Test
    void findsObjectsByTheUnitsInWhichTheyBegin() {
        space.clear(1);
        space.addComplete(70, new Object[] {"a", "b", "c"}, new long[] {1 | 1L << 5, 1L << 2});
        space.addComplete(2, new Object[] {"d"}, new long[] {1});
        assertThat(space.endUnit()).isEqualTo(73);
        assertThat(space.objectAt(1)).isEqualTo("a");
        assertThat(space.objectAt(6)).isEqualTo("b");
        assertThat(space.objectAt(67)).isEqualTo("c");
        assertThat(space.objectAt(71)).isEqualTo("d");
        assertThat(space.indexInLatest(71)).isZero();
        assertThat(space.indexInLatest(1)).isEqualTo(-1);
        assertThatThrownBy(() -> space.objectAt(7))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("unit 7");
    }

    @Test
    void findsOnlyExportsOfCarvedChunks() {
        space.clear(1);
        space.addCarved(piece(1, 10, 8, 3), new Object[] {"root", "eight", "three"});
        assertThat(space.objectAt(3)).isEqualTo("three");
        assertThat(space.objectAt(8)).isEqualTo("eight");
        assertThatThrownBy(() -> space.objectAt(1)).isInstanceOf(HeapspanException.class);
        assertThat(space.endUnit()).isEqualTo(11);
    }

    /** Units are 32 bits without sign. */
    @Test
    void findsExportsOnBothSidesOfHalfTheSpace() {
        long middle = 1L << 31;
        space.clear(middle - 4);
        space.addCarved(piece(middle - 4, 8, middle - 2, middle + 2), new Object[] {"before", "behind"});
        assertThat(space.objectAt(middle - 2)).isEqualTo("before");
        assertThat(space.objectAt(middle + 2)).isEqualTo("behind");
    }

    @Test
    void forgetsChunksAsAWhole() {
        space.clear(1);
        space.addComplete(2, new Object[] {"a"}, new long[] {1});
        space.addComplete(2, new Object[] {"b"}, new long[] {1});
        space.addCarved(piece(5, 2), new Object[0]);
        space.forgetBefore(4);
        assertThat(space.objectAt(3)).isEqualTo("b");
        assertThatThrownBy(() -> space.objectAt(1)).isInstanceOf(HeapspanException.class);
    }
}
