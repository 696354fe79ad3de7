package org.heapspan.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.exchange.GlobalHeapTest.fails;
import static org.heapspan.exchange.GlobalHeapTest.settled;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.heapspan.exchange.ExchangeException.Reason;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(Eventually.TEST_SECONDS)
final class ExchangeObjectStreamTest {
    @AfterAll
    static void closeOrigins() throws IOException {
        Place.closeOrigins();
    }

    private interface Writing {
        void write(ObjectOutputStream out) throws Exception;
    }

    private static byte[] written(GlobalHeap heap, Writing writing) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ExchangeObjectOutputStream(bytes, heap)) {
            writing.write(out);
        }
        return bytes.toByteArray();
    }

    private static ObjectInputStream reading(byte[] bytes, GlobalHeap heap) throws Exception {
        return new ExchangeObjectInputStream(new ByteArrayInputStream(bytes), heap);
    }

    @ParameterizedTest
    @EnumSource
    void objectsTravelThroughTheExchangeAndBytesThroughTheStream(Place place) throws Exception {
        place.run((server, sender) -> {
            Model model = new Model("sent", 50_000);
            byte[] bytes = written(sender, out -> {
                out.writeInt(42);
                out.writeObject(model);
                out.writeUTF("between");
                out.writeObject("a text");
                out.writeObject(null);
                out.writeObject(new int[] {1, 2, 3});
                out.writeObject(Thread.State.WAITING);
            });
            assertThat(bytes.length).isLessThan(500);
            sender.close();
            try (GlobalHeap receiver = place.connect(server);
                    ObjectInputStream in = reading(bytes, receiver)) {
                assertThat(in.readInt()).isEqualTo(42);
                assertThat(model.isSame((Model) in.readObject())).isTrue();
                assertThat(in.readUTF()).isEqualTo("between");
                assertThat(in.readObject()).isEqualTo("a text");
                assertThat(in.readObject()).isNull();
                assertThat((int[]) in.readObject()).containsExactly(1, 2, 3);
                assertThat(in.readObject()).isSameAs(Thread.State.WAITING);
                assertThatThrownBy(in::readObject).isInstanceOf(EOFException.class);
                settled(server);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void anObjectThatIsWrittenAgainIsTheSame(Place place) throws Exception {
        place.run((server, heap) -> {
            List<String> list = new ArrayList<>(List.of("a"));
            byte[] bytes = written(heap, out -> {
                out.writeObject(list);
                out.writeObject(list);
                out.reset();
                out.writeObject(list);
            });
            try (ObjectInputStream in = reading(bytes, heap)) {
                Object first = in.readObject();
                assertThat(first).isEqualTo(list);
                assertThat(in.readObject()).isSameAs(first);
                assertThat(in.readObject()).isEqualTo(list).isNotSameAs(first);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void aStreamIsReadOnce(Place place) throws Exception {
        place.run((server, heap) -> {
            byte[] bytes = written(heap, out -> out.writeObject("once"));
            assertThat(reading(bytes, heap).readObject()).isEqualTo("once");
            fails(Reason.GROUP_GONE, () -> reading(bytes, heap).readObject());
            settled(server);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JOINED")
    void whatNobodyReadsIsFreed(Place place) throws Exception {
        try (ExchangeServer server = ExchangeServer.start(place.server().withHandOver(Duration.ofMillis(100)));
                GlobalHeap heap = place.connect(server)) {
            byte[] bytes = written(heap, out -> out.writeObject("never read"));
            settled(server);
            fails(Reason.GROUP_GONE, () -> reading(bytes, heap).readObject());
        }
    }

    /** Java's own deserialization is not a way in. */
    @ParameterizedTest
    @EnumSource
    void aStreamOfJavaSerializationIsRefused(Place place) throws Exception {
        place.run((server, heap) -> {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(new BitSet(3));
            }
            assertThatThrownBy(() -> reading(bytes.toByteArray(), heap).readObject())
                    .isInstanceOf(InvalidClassException.class)
                    .hasMessageContaining("REJECTED");
        });
    }

    @ParameterizedTest
    @EnumSource
    void anAddressWithAnotherLengthIsRefused(Place place) throws Exception {
        place.run((server, heap) -> {
            byte[] bytes = written(heap, out -> out.writeObject("value"));
            ByteArrayOutputStream changed = new ByteArrayOutputStream();
            ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes));
            GroupReference reference = (GroupReference) in.readObject();
            try (ObjectOutputStream out = new ObjectOutputStream(changed)) {
                out.writeObject(new GroupReference(reference.address(), reference.sizeBytes() + 1));
            }
            fails(Reason.PROTOCOL, () -> reading(changed.toByteArray(), heap).readObject());
        });
    }
}
