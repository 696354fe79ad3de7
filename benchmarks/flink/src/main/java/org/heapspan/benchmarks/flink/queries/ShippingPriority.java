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
                .filter(customer -> segment.isEmpty() || customer.segment.equals(segment))
                .keyBy(customer -> customer.key, Types.LONG)
                .connect(tables.orders()
                        .filter(order -> order.date.isBefore(day))
                        .keyBy(order -> order.customerKey, Types.LONG))
                .process(tables.join(Customer.class, Order.class, ShippingPriority::by), tables.type(Order.class));
        DataStream<Sale> sales = orders.keyBy(order -> order.key, Types.LONG)
                .connect(tables.lineItems()
                        .filter(item -> item.shipped.isAfter(day))
                        .keyBy(item -> item.order, Types.LONG))
                .process(tables.join(Order.class, LineItem.class, Sale::of), tables.type(Sale.class))
                .keyBy(sale -> sale.order.key, Types.LONG)
                .reduce(Sale::plus);
        return Top.of(tables, sales, limit, ShippingPriority::row);
    }

    static Order by(Customer customer, Order order) {
        order.customer = customer;
        return order;
    }

    private static String row(Sale sale) {
        Order order = sale.order;
        return order.key + "|" + sale.revenue + "|" + order.date + "|" + order.shipPriority + "|"
                + order.customer.segment;
    }
}
