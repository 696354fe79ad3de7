package org.heapspan.flink;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Trade;

/**
 * Counts the records of each key. Each record gives one result, a {@link Trade}: {@code id} is the number of the record. {@code symbol} is its key.
 * {@code amount} is how many records the key has had. {@code price} is the number of the process that has counted.
 */
final class SurvivingCounts extends KeyedProcessFunction<String, Trade, Trade> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Basket> state;

    private SurvivingCounts() {}

    /**
     * Makes the job.
     *
     * @param hurry a file; until it exists, records come slowly
     */
    static DataStream<Trade> of(StreamExecutionEnvironment environment, long records, int keys, Path hurry) {
        return environment
                .fromSequence(1, records)
                .map(new Numbers(keys, hurry.toString()))
                .returns(HeapspanTypeInformation.of(Trade.class))
                .keyBy(trade -> trade.symbol)
                .process(new SurvivingCounts())
                .returns(HeapspanTypeInformation.of(Trade.class));
    }

    private static final class Numbers implements MapFunction<Long, Trade> {
        private static final long serialVersionUID = 1L;

        private final int keys;
        private final String hurry;
        private transient boolean hurries;

        private Numbers(int keys, String hurry) {
            this.keys = keys;
            this.hurry = hurry;
        }

        @Override
        public Trade map(Long number) throws InterruptedException {
            hurries |= Files.exists(Path.of(hurry));
            if (!hurries) {
                // Barriers pass between records, so no record may wait for long.
                Thread.sleep(10);
            }
            return new Trade(number, 1, 0, false, "key " + number % keys);
        }
    }

    @Override
    public void open(OpenContext context) {
        state = getRuntimeContext()
                .getState(new ValueStateDescriptor<>("basket", HeapspanTypeInformation.of(Basket.class)));
    }

    @Override
    public void processElement(Trade trade, Context context, Collector<Trade> output) throws Exception {
        Basket basket = state.value();
        if (basket == null) {
            basket = new Basket(context.getCurrentKey());
            basket.previous = basket;
            basket.trades.add(new Trade());
            basket.bySymbol.put("sum", basket.trades.get(0));
        }
        // The list and the map refer to one object, which is one object after a restart, too.
        basket.previous.trades.get(0).amount += trade.amount;
        state.update(basket);
        int count = basket.bySymbol.get("sum").amount;
        output.collect(new Trade(trade.id, count, ProcessHandle.current().pid(), false, trade.symbol));
    }
}
