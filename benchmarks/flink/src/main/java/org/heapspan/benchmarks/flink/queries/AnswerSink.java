package org.heapspan.benchmarks.flink.queries;

import java.io.Serializable;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;

/**
 * Sums up an answer in accumulators of the job. Lets no row pass.
 *
 * @param <T> class of the rows
 */
final class AnswerSink<T> extends RichFilterFunction<T> {
    private static final long serialVersionUID = 1L;

    private final Form<T> form;
    private final LongCounter rows = new LongCounter();
    private final LongCounter hash = new LongCounter();

    /** Knows the answer that has one row. */
    @FunctionalInterface
    interface Form<T> extends Serializable {
        Answer of(T row);
    }

    AnswerSink(Form<T> form) {
        this.form = form;
    }

    @Override
    public void open(OpenContext context) {
        getRuntimeContext().addAccumulator("rows", rows);
        getRuntimeContext().addAccumulator("hash", hash);
    }

    @Override
    public boolean filter(T row) {
        Answer answer = form.of(row);
        rows.add(answer.rows());
        hash.add(answer.hash());
        return false;
    }

    static Answer of(JobExecutionResult result) {
        return new Answer(result.getAccumulatorResult("rows"), result.getAccumulatorResult("hash"));
    }
}
