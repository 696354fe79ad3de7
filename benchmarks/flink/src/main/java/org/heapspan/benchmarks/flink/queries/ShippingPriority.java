package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.time.LocalDate;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.heapspan.benchmarks.flink.queries.Rows.Customer;
import org.heapspan.benchmarks.flink.queries.Rows.LineItem;
import org.heapspan.benchmarks.flink.queries.Rows.Order;
import org.heapspan.benchmarks.flink.queries.Rows.Sale;

/** Orders that were not shipped completely at a day, those of the greatest revenue first: TPC-H 3. */
final class ShippingPriority {
    private ShippingPriority() {}

    /** Of customers of all segments if the segment is empty. */
    static DataStream<String> of(Tables tables, String segment, LocalDate day, int limit) throws IOException {
        DataStream<Order> orders = tables.customers()
                .filter(customer -> segment.isEmpty() || customer.segment().equals(segment))
                .keyBy(Customer::key, Types.LONG)
                .connect(tables.orders()
                        .filter(order -> order.date().isBefore(day))
                        .keyBy(Order::customerKey, Types.LONG))
                .process(
                        tables.join(RowKind.CUSTOMER, RowKind.ORDER, (customer, order) -> order.with(customer)),
                        tables.type(RowKind.ORDER_OF_CUSTOMER));
        DataStream<Sale> sales = orders.keyBy(Order::key, Types.LONG)
                .connect(tables.lineItems()
                        .filter(item -> item.shipped().isAfter(day))
                        .keyBy(LineItem::order, Types.LONG))
                .process(
                        tables.join(
                                RowKind.ORDER_OF_CUSTOMER,
                                RowKind.LINE_ITEM,
                                (order, item) -> order.sale(item.revenue())),
                        tables.type(RowKind.SALE_TO_CUSTOMER))
                .keyBy(sale -> sale.order().key(), Types.LONG)
                .reduce(Sale::plus);
        return Top.of(tables, sales, limit, ShippingPriority::row);
    }

    private static String row(Sale sale) {
        Order order = sale.order();
        return order.key() + "|" + sale.revenue() + "|" + order.date() + "|" + order.shipPriority() + "|"
                + order.customer().segment();
    }
}
