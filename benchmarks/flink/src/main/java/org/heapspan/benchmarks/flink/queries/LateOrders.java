package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.heapspan.benchmarks.flink.queries.Rows.LineItem;
import org.heapspan.benchmarks.flink.queries.Rows.Order;

/** How many orders of each quarter of a year had an item that came late: TPC-H 4, for a year. */
final class LateOrders implements AggregateFunction<Order, Tuple2<Integer, Long>, String> {
    private static final long serialVersionUID = 1L;

    private LateOrders() {}

    static DataStream<String> of(Tables tables, int year) throws IOException {
        return tables.orders()
                .filter(order -> order.date().getYear() == year)
                .keyBy(Order::key, Types.LONG)
                .connect(tables.lineItems()
                        .filter(item -> item.committed().isBefore(item.received()))
                        .keyBy(LineItem::order, Types.LONG))
                .process(tables.join(RowKind.ORDER, RowKind.LINE_ITEM, LateOrders::first), tables.type(RowKind.ORDER))
                .keyBy(Order::quarter, Types.INT)
                .window(GlobalWindows.createWithEndOfStreamTrigger())
                .aggregate(new LateOrders(), Types.TUPLE(Types.INT, Types.LONG), Types.STRING);
    }

    /** The order with the first of its items that came late, and nothing with the others. */
    private static Order first(Order order, LineItem item) {
        if (order.status().isEmpty()) {
            return null;
        }
        order.setStatus("");
        return order;
    }

    @Override
    public Tuple2<Integer, Long> createAccumulator() {
        return Tuple2.of(0, 0L);
    }

    @Override
    public Tuple2<Integer, Long> add(Order order, Tuple2<Integer, Long> count) {
        return Tuple2.of(order.quarter(), count.f1 + 1);
    }

    @Override
    public Tuple2<Integer, Long> merge(Tuple2<Integer, Long> first, Tuple2<Integer, Long> second) {
        throw new UnsupportedOperationException("no windows are merged");
    }

    @Override
    public String getResult(Tuple2<Integer, Long> count) {
        return count.f0 + "|" + count.f1;
    }
}
