package org.heapspan.benchmarks.flink.queries;

import java.io.Serializable;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.util.Collector;
import org.heapspan.benchmarks.flink.queries.Rows.Sale;

/** The first of sales in the order of their revenue, as text with their rank. All are sorted in one task. */
final class Top implements FlatMapFunction<Sale, String> {
    /** The limit of a query that has none. */
    static final int ALL = Integer.MAX_VALUE;

    private static final long serialVersionUID = 1L;

    private final int limit;
    private final Format format;
    private int rank;
    private long last = Long.MAX_VALUE;

    /** Makes text of a sale. */
    @FunctionalInterface
    interface Format extends Serializable {
        String of(Sale sale);
    }

    private Top(int limit, Format format) {
        this.limit = limit;
        this.format = format;
    }

    static DataStream<String> of(Tables tables, DataStream<Sale> sales, int limit, Format format) {
        return sales.map(sale -> sale)
                .returns(tables.type(RowKind.SALE_TO_CUSTOMER))
                .setParallelism(1)
                .fullWindowPartition()
                .sortPartition(sale -> sale.revenue(), Order.DESCENDING)
                .flatMap(new Top(limit, format))
                .returns(Types.STRING)
                .setParallelism(1);
    }

    @Override
    public void flatMap(Sale sale, Collector<String> output) {
        if (sale.revenue() > last) {
            throw new IllegalStateException("a revenue of " + sale.revenue() + " comes behind one of " + last);
        }
        last = sale.revenue();
        if (++rank <= limit) {
            // Sales of the same revenue have no certain order. Among the few of a limited query there are none.
            output.collect((limit == ALL ? "" : rank + "|") + format.of(sale));
        }
    }
}
