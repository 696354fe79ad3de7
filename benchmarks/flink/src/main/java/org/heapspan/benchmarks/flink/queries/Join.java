package org.heapspan.benchmarks.flink.queries;

import java.io.Serializable;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Joins the one row that has a key with the rows that refer to it. In batch mode the rows of a key come together, those of the two sides in any
 * order.
 *
 * @param <K> type of the key
 * @param <A> class of the one row
 * @param <B> class of the rows that refer to it
 * @param <R> class of the results
 */
final class Join<K, A, B, R> extends KeyedCoProcessFunction<K, A, B, R> {
    private static final long serialVersionUID = 1L;

    private final TypeInformation<A> oneType;
    private final TypeInformation<B> manyType;
    private final Pairing<A, B, R> pairing;

    private transient ValueState<A> one;
    private transient ListState<B> waiting;

    /** Makes a result of two rows, or null. */
    @FunctionalInterface
    interface Pairing<A, B, R> extends Serializable {
        R of(A one, B many);
    }

    Join(TypeInformation<A> oneType, TypeInformation<B> manyType, Pairing<A, B, R> pairing) {
        this.oneType = oneType;
        this.manyType = manyType;
        this.pairing = pairing;
    }

    @Override
    public void open(OpenContext context) {
        one = getRuntimeContext().getState(new ValueStateDescriptor<>("one", oneType));
        waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", manyType));
    }

    @Override
    public void processElement1(A row, Context context, Collector<R> output) throws Exception {
        one.update(row);
        Iterable<B> early = waiting.get();
        if (early != null) {
            for (B many : early) {
                collect(row, many, output);
            }
            waiting.clear();
        }
    }

    @Override
    public void processElement2(B row, Context context, Collector<R> output) throws Exception {
        A known = one.value();
        if (known == null) {
            waiting.add(row);
        } else {
            collect(known, row, output);
        }
    }

    private void collect(A row, B many, Collector<R> output) {
        R result = pairing.of(row, many);
        if (result != null) {
            output.collect(result);
        }
    }
}
