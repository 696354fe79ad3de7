package org.heapspan.flink;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.BroadcastProcessFunction;
import org.apache.flink.util.Collector;
import org.heapspan.flink.Samples.Basket;
import org.heapspan.flink.Samples.Trade;

/** Looks for trades in a rule, which is an object graph in the broadcast state. Fails once, after a checkpoint that has the rule. */
final class RuleFunction extends BroadcastProcessFunction<Trade, Basket, Long>
        implements CheckpointedFunction, CheckpointListener {
    static final MapStateDescriptor<String, Basket> RULES =
            new MapStateDescriptor<>("rules", Types.STRING, HeapspanTypeInformation.of(Basket.class));

    private static final AtomicBoolean FAILED = new AtomicBoolean();
    private static final AtomicInteger FOUND = new AtomicInteger();
    private static final AtomicInteger MISSED = new AtomicInteger();

    private transient boolean ruled;
    private transient boolean ruledAtCheckpoint;
    private transient boolean mayFail;

    static void begin() {
        FAILED.set(false);
        FOUND.set(0);
        MISSED.set(0);
    }

    static boolean hasFailed() {
        return FAILED.get();
    }

    static int foundAfterFailure() {
        return FOUND.get();
    }

    static int missedAfterFailure() {
        return MISSED.get();
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {
        // The broadcast state is Flink's matter.
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {
        ruledAtCheckpoint = ruled;
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        mayFail = ruledAtCheckpoint;
    }

    @Override
    public void processElement(Trade trade, ReadOnlyContext context, Collector<Long> output) throws Exception {
        if (mayFail && FAILED.compareAndSet(false, true)) {
            throw new IllegalStateException("fails on purpose");
        }
        Basket rule = context.getBroadcastState(RULES).get("rule");
        boolean found = rule != null && rule.previous == rule && rule.bySymbol.get(trade.symbol).id == trade.id % 5;
        if (FAILED.get()) {
            (found ? FOUND : MISSED).incrementAndGet();
        }
    }

    @Override
    public void processBroadcastElement(Basket rule, Context context, Collector<Long> output) throws Exception {
        context.getBroadcastState(RULES).put("rule", rule);
        ruled = true;
    }
}
