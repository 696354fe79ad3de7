package org.heapspan.benchmarks.flink.queries;

import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;

/** Sums up an answer in accumulators of the job. Lets no row pass. */
final class AnswerSink extends RichFilterFunction<String> {
    private static final long serialVersionUID = 1L;

    private final LongCounter rows = new LongCounter();
    private final LongCounter hash = new LongCounter();

    @Override
    public void open(OpenContext context) {
        getRuntimeContext().addAccumulator("rows", rows);
        getRuntimeContext().addAccumulator("hash", hash);
    }

    @Override
    public boolean filter(String row) {
        Answer answer = Answer.of(row);
        rows.add(answer.rows());
        hash.add(answer.hash());
        return false;
    }

    static Answer of(JobExecutionResult result) {
        return new Answer(result.getAccumulatorResult("rows"), result.getAccumulatorResult("hash"));
    }
}
