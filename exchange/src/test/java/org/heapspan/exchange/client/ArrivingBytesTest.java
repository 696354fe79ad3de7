package org.heapspan.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of bytes that nobody wants. */
@Tag("once")
final class ArrivingBytesTest {
    private static ByteBuffer block() {
        return ByteBuffer.allocate(10);
    }

    private static ArrivingBytes discarded() throws Exception {
        ArrivingBytes arriving = new ArrivingBytes();
        arriving.add(block());
        arriving.discard();
        arriving.add(block());
        return arriving;
    }

    @Test
    void theyAreForgotten() throws Exception {
        ArrivingBytes arriving = discarded();
        arriving.end(null);
        assertThat(arriving.all()).isEmpty();
    }

    @Test
    void theirDamageIsTold() throws Exception {
        ArrivingBytes arriving = discarded();
        arriving.end(new RefusedException(RefusalCode.CHECKSUM, "damaged"));
        assertThatThrownBy(arriving::awaitEnd).isInstanceOf(RefusedException.class);
    }

    @Test
    void memoryThatTheyLackIsNotMissed() throws Exception {
        ArrivingBytes wanted = new ArrivingBytes();
        wanted.end(new OutOfMemoryError("none for the bytes"));
        assertThatThrownBy(wanted::awaitEnd).isInstanceOf(OutOfMemoryError.class);

        ArrivingBytes arriving = discarded();
        arriving.end(new OutOfMemoryError("none for the bytes"));
        assertThatCode(arriving::awaitEnd).doesNotThrowAnyException();
    }
}
