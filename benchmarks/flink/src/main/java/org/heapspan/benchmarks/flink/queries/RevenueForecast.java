package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.heapspan.benchmarks.flink.queries.Rows.LineItem;

/** What small orders of a year would have brought without their discount: TPC-H 6. No row goes to another task. */
final class RevenueForecast {
    private RevenueForecast() {}

    static DataStream<String> of(Tables tables, int year) throws IOException {
        return tables.lineItems()
                .filter(item -> isSmall(item, year))
                .map(item -> item.cents() * item.discountPercent())
                .returns(Types.LONG)
                .fullWindowPartition()
                .reduce(Long::sum)
                .map(sum -> sum)
                .returns(Types.LONG)
                .setParallelism(1)
                .fullWindowPartition()
                .reduce(Long::sum)
                .map(sum -> Long.toString(sum))
                .returns(Types.STRING)
                .setParallelism(1);
    }

    private static boolean isSmall(LineItem item, int year) {
        return item.shipped().getYear() == year
                && item.discountPercent() >= 5
                && item.discountPercent() <= 7
                && item.quantity() < 24;
    }
}
