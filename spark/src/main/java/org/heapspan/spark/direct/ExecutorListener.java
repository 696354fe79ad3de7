package org.heapspan.spark.direct;

import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;

/** Tells the {@link CircuitBreaker} which executors there are and how they end. */
public final class ExecutorListener extends SparkListener {
    private final CircuitBreaker breaker;

    public ExecutorListener(CircuitBreaker breaker) {
        this.breaker = breaker;
    }

    @Override
    public void onExecutorAdded(SparkListenerExecutorAdded added) {
        breaker.started(added.executorId(), added.executorInfo().executorHost());
    }

    @Override
    public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
        breaker.ended(removed.executorId(), removed.reason());
    }
}
