package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.time.LocalDate;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.heapspan.benchmarks.flink.queries.Rows.Customer;
import org.heapspan.benchmarks.flink.queries.Rows.LineItem;
import org.heapspan.benchmarks.flink.queries.Rows.Order;
import org.heapspan.benchmarks.flink.queries.Rows.Sale;

/** Customers who returned items, those of the greatest lost revenue first: TPC-H 10. */
final class ReturnedItems {
    private ReturnedItems() {}

    /** Of orders from a day on, and before another day. */
    static DataStream<String> of(Tables tables, LocalDate from, LocalDate before, int limit) throws IOException {
        Nations nations = tables.nations();
        DataStream<Sale> lost = tables.orders()
                .filter(order -> !order.date().isBefore(from) && order.date().isBefore(before))
                .keyBy(Order::key, Types.LONG)
                .connect(tables.lineItems()
                        .filter(item -> item.returnFlag().equals("R"))
                        .keyBy(LineItem::order, Types.LONG))
                .process(
                        tables.join(RowKind.ORDER, RowKind.LINE_ITEM, (order, item) -> order.sale(item.revenue())),
                        tables.type(RowKind.SALE))
                .keyBy(sale -> sale.order().customerKey(), Types.LONG)
                .reduce(Sale::plus);
        DataStream<Sale> ofCustomers = tables.customers()
                .keyBy(Customer::key, Types.LONG)
                .connect(lost.keyBy(sale -> sale.order().customerKey(), Types.LONG))
                .process(
                        tables.join(RowKind.CUSTOMER, RowKind.SALE, (customer, sale) -> sale.with(customer)),
                        tables.type(RowKind.SALE_TO_CUSTOMER));
        return Top.of(tables, ofCustomers, limit, sale -> row(sale, nations));
    }

    private static String row(Sale sale, Nations nations) {
        Customer customer = sale.order().customer();
        return String.join(
                "|",
                Long.toString(customer.key()),
                customer.name(),
                Long.toString(sale.revenue()),
                Long.toString(customer.balanceCents()),
                nations.name(customer.nation()),
                customer.address(),
                customer.phone(),
                customer.comment());
    }
}
