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
                .filter(order -> !order.date.isBefore(from) && order.date.isBefore(before))
                .keyBy(order -> order.key, Types.LONG)
                .connect(tables.lineItems()
                        .filter(item -> item.returnFlag.equals("R"))
                        .keyBy(item -> item.order, Types.LONG))
                .process(tables.join(Order.class, LineItem.class, Sale::of), tables.type(Sale.class))
                .keyBy(sale -> sale.order.customerKey, Types.LONG)
                .reduce(Sale::plus);
        DataStream<Sale> ofCustomers = tables.customers()
                .keyBy(customer -> customer.key, Types.LONG)
                .connect(lost.keyBy(sale -> sale.order.customerKey, Types.LONG))
                .process(tables.join(Customer.class, Sale.class, ReturnedItems::by), tables.type(Sale.class));
        return Top.of(tables, ofCustomers, limit, sale -> row(sale, nations));
    }

    private static Sale by(Customer customer, Sale sale) {
        sale.order.customer = customer;
        return sale;
    }

    private static String row(Sale sale, Nations nations) {
        Customer customer = sale.order.customer;
        return String.join(
                "|",
                Long.toString(customer.key),
                customer.name,
                Long.toString(sale.revenue),
                Long.toString(customer.balanceCents),
                nations.name(customer.nation),
                customer.address,
                customer.phone,
                customer.comment);
    }
}
