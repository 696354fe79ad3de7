package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.time.LocalDate;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.heapspan.benchmarks.flink.queries.Rows.LineItem;

/** What all items that were shipped until a day cost: TPC-H 1. */
final class PricingSummary implements AggregateFunction<LineItem, PricingSummary.Sums, String> {
    private static final long serialVersionUID = 1L;

    /** Of the items with the same flags. */
    public static class Sums {
        public String flags = "";
        public long quantity;
        public long cents;
        public long revenue;
        public long charge;
        public long discountPercent;
        public long count;

        public Sums() {}
    }

    private PricingSummary() {}

    static DataStream<String> of(Tables tables, LocalDate lastShipped) throws IOException {
        return tables.lineItems()
                .filter(item -> !item.shipped().isAfter(lastShipped))
                .keyBy(LineItem::flags, Types.STRING)
                .window(GlobalWindows.createWithEndOfStreamTrigger())
                .aggregate(new PricingSummary(), TypeInformation.of(Sums.class), Types.STRING);
    }

    @Override
    public Sums createAccumulator() {
        return new Sums();
    }

    @Override
    public Sums add(LineItem item, Sums sums) {
        sums.flags = item.flags();
        sums.quantity += item.quantity();
        sums.cents += item.cents();
        sums.revenue += item.revenue();
        sums.charge += item.revenue() * (100 + item.taxPercent());
        sums.discountPercent += item.discountPercent();
        sums.count++;
        return sums;
    }

    @Override
    public Sums merge(Sums first, Sums second) {
        throw new UnsupportedOperationException("no windows are merged");
    }

    @Override
    public String getResult(Sums sums) {
        return String.join(
                "|",
                sums.flags,
                Long.toString(sums.quantity),
                Long.toString(sums.cents),
                Long.toString(sums.revenue),
                Long.toString(sums.charge),
                Long.toString(sums.discountPercent),
                Long.toString(sums.count));
    }
}
