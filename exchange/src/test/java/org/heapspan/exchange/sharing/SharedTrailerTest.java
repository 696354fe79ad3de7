package org.heapspan.exchange.sharing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.exchange.sharing.SharedTrailer.Part;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SharedTrailerTest {
    private static final SharedTrailer TRAILER =
            new SharedTrailer(List.of(new Part(0x1122334455667788L, 0, 3), new Part(0x10, 5, 1)));

    private static byte[] image() {
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        try {
            Heapspan.create().encodeTo(new Object[] {"a"}, object -> 0, image);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return image.toByteArray();
    }

    private static ByteBuffer[] pieces(byte[] bytes, int cut) {
        return new ByteBuffer[] {ByteBuffer.wrap(bytes, 0, cut), ByteBuffer.wrap(bytes, cut, bytes.length - cut)};
    }

    private static byte[] joined(byte[] image, byte[] trailer) {
        return ByteBuffer.allocate(image.length + trailer.length)
                .put(image)
                .put(trailer)
                .array();
    }

    /** The bytes of docs/formats/exchange-protocol.md. */
    @Test
    void itsBytesAreThoseOfTheDocument() {
        assertThat(HexFormat.ofDelimiter(" ").formatHex(new SharedTrailer(List.of(new Part(0x1000, 0, 3))).toBytes()))
                .isEqualTo("00 00 00 00 00 00 10 00 00 00 00 00 00 00 00 03 00 00 00 01 48 58 53 56");
    }

    /** Wherever a group is cut in pieces. */
    @Test
    void anImageAndItsTrailerAreSeparated() {
        byte[] image = image();
        byte[] both = joined(image, TRAILER.toBytes());
        for (int cut = 0; cut <= both.length; cut++) {
            SharedTrailer.Split split = SharedTrailer.of(pieces(both, cut));
            assertThat(split).isNotNull();
            assertThat(split.trailer()).isEqualTo(TRAILER);
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            for (ByteBuffer piece : split.image()) {
                byte[] bytes = new byte[piece.remaining()];
                piece.get(bytes);
                read.writeBytes(bytes);
            }
            assertThat(read.toByteArray()).isEqualTo(image);
        }
    }

    @Test
    void otherImagesHaveNoTrailer() {
        assertThat(SharedTrailer.of(pieces(Heapspan.create().encode("text that ends with HXSV"), 9)))
                .isNull();
        assertThat(SharedTrailer.of(new ByteBuffer[0])).isNull();
        assertThat(SharedTrailer.of(pieces(new byte[] {'H', 'S', 'P'}, 1))).isNull();
    }

    @Test
    void malformedTrailersAreRefused() {
        byte[] image = image();
        List<SharedTrailer> wrong = List.of(
                new SharedTrailer(List.of(new Part(1, -1, 3))),
                new SharedTrailer(List.of(new Part(1, 0, 0))),
                new SharedTrailer(List.of(new Part(1, 0, 3), new Part(2, 2, 3))),
                new SharedTrailer(List.of(new Part(1, Integer.MAX_VALUE, Integer.MAX_VALUE), new Part(2, 9, 3))));
        for (SharedTrailer trailer : wrong) {
            assertThatThrownBy(() -> SharedTrailer.of(pieces(joined(image, trailer.toBytes()), 3)))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("malformed");
        }
        assertThatThrownBy(() -> SharedTrailer.of(pieces(image, 3))).hasMessageContaining("HXSV");
        assertThatThrownBy(() -> SharedTrailer.of(pieces(java.util.Arrays.copyOf(image, 9), 3)))
                .hasMessageContaining("ends early");
    }
}
