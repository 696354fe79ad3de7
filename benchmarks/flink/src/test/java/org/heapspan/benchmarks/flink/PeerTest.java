package org.heapspan.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.heapspan.benchmarks.flink.Records.LineItemTuple;
import org.heapspan.flink.HeapspanTypeInformation;
import org.junit.jupiter.api.Test;

final class PeerTest {
    private static List<Peer> peersOf(RecordKind kind) {
        return Stream.of(Peer.values()).filter(peer -> peer.takes(kind.type())).toList();
    }

    @Test
    void tuplesAreComparedWithTuplesOnly() {
        assertThat(peersOf(RecordKind.NUMBERS_AS_TUPLE)).containsExactly(Peer.TUPLES, Peer.TUPLES_BESIDE_HEAPSPAN);
        assertThat(peersOf(RecordKind.LINE_ITEM_AS_TUPLE)).containsExactly(Peer.TUPLES, Peer.TUPLES_BESIDE_HEAPSPAN);
        assertThat(peersOf(RecordKind.LINE_ITEM))
                .containsExactly(Peer.POJO, Peer.KRYO, Peer.KRYO_REGISTERED, Peer.IN_PLACE_OF_KRYO, Peer.HEAPSPAN);
        assertThat(peersOf(RecordKind.ORDER)).doesNotContain(Peer.POJO, Peer.TUPLES, Peer.TUPLES_BESIDE_HEAPSPAN);
    }

    @Test
    void heapspanLeavesTuplesToFlink() {
        assertThat(HeapspanTypeInformation.of(LineItemTuple.class).createSerializer(new SerializerConfigImpl()))
                .isEqualTo(Peer.TUPLES.serializer(LineItemTuple.class));
    }

    @Test
    void heapspanInPlaceOfKryoLeavesTuplesToFlink() {
        assertThat(Peer.TUPLES_BESIDE_HEAPSPAN.serializer(LineItemTuple.class))
                .isEqualTo(Peer.TUPLES.serializer(LineItemTuple.class));
    }

    @Test
    void aTupleHasTheValuesOfItsRecord() {
        assertThat(Peer.TUPLES.serializer(LineItemTuple.class)).isInstanceOf(TupleSerializer.class);
        LineItemTuple first =
                (LineItemTuple) RecordKind.LINE_ITEM_AS_TUPLE.records().get(0);
        Records.LineItem item = Records.lineItems().get(0);
        assertThat(first.f0).isEqualTo(item.orderKey);
        assertThat(first.f7).isEqualTo(item.comment);
    }
}
