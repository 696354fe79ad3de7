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
 * The tables of TPC-H as streams of rows.
 *
 * @param environment of the job
 * @param folder of the files, which {@code tpchgen-cli} has made
 * @param peer serializes the rows, and decides on their form
 */
record Tables(StreamExecutionEnvironment environment, Path folder, Peer peer) {
    DataStream<LineItem> lineItems() throws IOException {
        return scan("lineitem", RowKind.LINE_ITEM, ObjectRows.LineItem::read, TupleRows.LineItem::read);
    }

    DataStream<Order> orders() throws IOException {
        return scan("orders", RowKind.ORDER, ObjectRows.Order::read, TupleRows.Order::read);
    }

    DataStream<Customer> customers() throws IOException {
        return scan("customer", RowKind.CUSTOMER, ObjectRows.Customer::read, TupleRows.Customer::read);
    }

    DataStream<Supplier> suppliers() throws IOException {
        return scan("supplier", RowKind.SUPPLIER, ObjectRows.Supplier::read, TupleRows.Supplier::read);
    }

    DataStream<Offer> offers() throws IOException {
        return scan("partsupp", RowKind.OFFER, ObjectRows.Offer::read, TupleRows.Offer::read);
    }

    Nations nations() throws IOException {
        return Nations.read(folder);
    }

    @SuppressWarnings("unchecked") // Queries see rows as what their class implements.
    <T> TypeInformation<T> type(RowKind<T> rows) {
        return (TypeInformation<T>)
                (peer.isForTuples()
                        ? peer.information(rows.tuples(), rows.nested().toArray(Class<?>[]::new))
                        : peer.information(rows.objects()));
    }

    <A, B, R> Join<Long, A, B, R> join(RowKind<A> one, RowKind<B> many, Join.Pairing<A, B, R> pairing) {
        return new Join<>(type(one), type(many), pairing);
    }

    private <T> DataStream<T> scan(String table, RowKind<T> rows, Scan.Parser<T> objects, Scan.Parser<T> tuples)
            throws IOException {
        Scan<T> scan = new Scan<>(folder.resolve(table + ".tbl"), peer.isForTuples() ? tuples : objects);
        return environment
                .fromSequence(0, scan.parts() - 1)
                .flatMap(scan)
                .returns(type(rows))
                .name(table);
    }
}
