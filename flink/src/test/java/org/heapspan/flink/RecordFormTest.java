package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HexFormat;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.heapspan.flink.Samples.Account;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Circle;
import org.heapspan.flink.Samples.Shape;
import org.heapspan.flink.Samples.SpecialTrade;
import org.heapspan.flink.Samples.Square;
import org.heapspan.flink.Samples.State;
import org.heapspan.flink.Samples.Trade;
import org.junit.jupiter.api.Test;

/** Savepoints have these bytes. Keys are found by them. Other bytes need another version of the snapshot. */
final class RecordFormTest {
    private static <T> void assertForm(String form, TypeSerializer<T> serializer, T record) throws IOException {
        assertThat(HexFormat.of().formatHex(Bytes.of(serializer, record))).isEqualTo(form);
        assertThat(Bytes.read(serializer, HexFormat.of().parseHex(form))).isEqualTo(record);
    }

    @Test
    void aFlatRecordIsItsLengthAndItsBody() throws IOException {
        assertForm(
                "4481010000000000000440fd11174853504e",
                Bytes.serializer(Trade.class),
                new Trade(17, -3, 2.5, true, "HSPN"));
        assertForm("1c8100010b428301", Bytes.serializer(Account.class), new Account(1, "B", State.NEW));
    }

    @Test
    void aRecordWithTypesThatAreNotTheFirstOnesHasTheirNumbers() throws IOException {
        assertForm(
                "4601038100000000000000f83f02060513535058",
                Bytes.serializer(Trade.class, SpecialTrade.class),
                new SpecialTrade(5, 6));
        assertForm("2481000000000000f03f", Bytes.serializer(Shape.class), new Circle(1));
        assertForm("0e0103810001", Bytes.serializer(Shape.class), new Square(1));
    }

    @Test
    void aGraphHasBackReferences() throws IOException {
        String form =
                "9b0405010305090b81134164618305018504000000000000d83fb80b031753594d3301330b07851753594d340205000000000000"
                        + "e03fa00f04030d030901071753594d320205000000000000d03fd0070203111753594d310204000000000000c03fe8030103"
                        + "151753594d30020100000000000000000000031903018700048903310b85011b011701130107010f";
        TypeSerializer<Basket> baskets = Bytes.serializer(Basket.class);
        assertThat(HexFormat.of().formatHex(Bytes.of(baskets, Basket.sample()))).isEqualTo(form);
        Basket read = Bytes.read(baskets, HexFormat.of().parseHex(form));
        assertThat(read.trades).isEqualTo(Basket.sample().trades);
        assertThat(read.previous).isSameAs(read);
    }

    @Test
    void aRecordOfAnUndeclaredClassDescribesIt() throws IOException {
        String form =
                "46a901fcffff01a300004f6f72672e686561707370616e2e666c696e6b2e53616d706c6573245370656369616c5472616465"
                        + "0105416f72672e686561707370616e2e666c696e6b2e53616d706c6573245472616465000b490d616d6f756e744a0569645a"
                        + "096f70656e440b7072696365540d73796d626f6c4f6f72672e686561707370616e2e666c696e6b2e53616d706c6573245370"
                        + "656369616c547261646500034911646973636f756e748100000000000000f83f02020113535058";
        assertForm(form, Bytes.serializer(Trade.class), new SpecialTrade(1, 2));
    }
}
