package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.heapspan.benchmarks.flink.Peer;
import org.heapspan.benchmarks.flink.queries.Rows.Customer;
import org.heapspan.benchmarks.flink.queries.Rows.LineItem;
import org.heapspan.benchmarks.flink.queries.Rows.Offer;
import org.heapspan.benchmarks.flink.queries.Rows.Order;
import org.heapspan.benchmarks.flink.queries.Rows.Supplier;

/**
 * The tables of TPC-H as streams of objects.
 *
 * @param environment of the job
 * @param folder of the files, which {@code tpchgen-cli} has made
 * @param peer serializes the objects
 */
record Tables(StreamExecutionEnvironment environment, Path folder, Peer peer) {
    DataStream<LineItem> lineItems() throws IOException {
        return scan("lineitem", LineItem.class, LineItem::read);
    }

    DataStream<Order> orders() throws IOException {
        return scan("orders", Order.class, Order::read);
    }

    DataStream<Customer> customers() throws IOException {
        return scan("customer", Customer.class, Customer::read);
    }

    DataStream<Supplier> suppliers() throws IOException {
        return scan("supplier", Supplier.class, Supplier::read);
    }

    DataStream<Offer> offers() throws IOException {
        return scan("partsupp", Offer.class, Offer::read);
    }

    Nations nations() throws IOException {
        return Nations.read(folder);
    }

    <T> TypeInformation<T> type(Class<T> rows) {
        return peer.information(rows);
    }

    <A, B, R> Join<Long, A, B, R> join(Class<A> one, Class<B> many, Join.Pairing<A, B, R> pairing) {
        return new Join<>(type(one), type(many), pairing);
    }

    private <T> DataStream<T> scan(String table, Class<T> rows, Scan.Parser<T> parser) throws IOException {
        Scan<T> scan = new Scan<>(folder.resolve(table + ".tbl"), parser);
        return environment
                .fromSequence(0, scan.parts() - 1)
                .flatMap(scan)
                .returns(type(rows))
                .name(table);
    }
}
