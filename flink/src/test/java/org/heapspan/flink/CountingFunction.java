package org.heapspan.flink;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Trade;
import org.heapspan.flink.Samples.Transfer;

/** Keeps the trades of each key in a basket, and fails after checkpoints. Keys are objects, and baskets are object graphs. */
final class CountingFunction extends KeyedProcessFunction<Transfer, Trade, Long> implements CheckpointListener {
    private static final Map<String, Integer> COUNTS = new ConcurrentHashMap<>();
    private static final AtomicInteger FAILURES_LEFT = new AtomicInteger();

    /** Records that have waited for a failure. */
    private static final AtomicInteger WAITED = new AtomicInteger();

    /** So many of them come soon one after the other. */
    private static final int SOON = 400;

    private transient ValueState<Basket> state;

    /** A checkpoint of this attempt is complete, so that the state is restored from it. */
    private transient volatile boolean mayFail;

    static void begin(int failures) {
        COUNTS.clear();
        FAILURES_LEFT.set(failures);
        WAITED.set(0);
    }

    /**
     * A record for this function. They come slowly as long as failures are to come: checkpoints must be between them. The last ones come so slowly that the job
     * has failed before they end, also where tasks begin late and the first checkpoint takes long.
     */
    static Trade tradeOf(long number, int keys) throws InterruptedException {
        if (FAILURES_LEFT.get() > 0) {
            Thread.sleep(WAITED.incrementAndGet() < SOON ? 2 : 50);
        }
        return new Trade(number, (int) number, 1, false, "key " + number % keys);
    }

    /** The key of a record. Some equal keys have one string in both fields, others two equal strings. */
    static Transfer keyOf(Trade trade) {
        return new Transfer(trade.symbol, trade.id % 2 == 0 ? trade.symbol : new String(trade.symbol));
    }

    static Map<String, Integer> counts() {
        return COUNTS;
    }

    static int failuresLeft() {
        return FAILURES_LEFT.get();
    }

    @Override
    public void open(OpenContext context) {
        state = getRuntimeContext()
                .getState(new ValueStateDescriptor<>("basket", HeapspanTypeInformation.of(Basket.class)));
    }

    @Override
    public void processElement(Trade trade, Context context, Collector<Long> output) throws Exception {
        if (mayFail && FAILURES_LEFT.getAndUpdate(left -> Math.max(left - 1, 0)) > 0) {
            throw new IllegalStateException("fails on purpose");
        }
        Basket basket = state.value();
        if (basket == null) {
            basket = new Basket(context.getCurrentKey().from());
            basket.previous = basket;
        }
        if (basket.trades.size() < 10) {
            basket.trades.add(trade);
        }
        Trade sum = basket.bySymbol.computeIfAbsent("sum", any -> new Trade());
        sum.amount++;
        state.update(basket);
        COUNTS.merge(context.getCurrentKey().from(), sum.amount, Math::max);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        mayFail = true;
    }
}
