package org.heapspan.spark.direct;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.heapspan.ExecutorHost;
import org.heapspan.vm.DirectEngineGate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the direct engine of an executor closed until the driver's {@link CircuitBreaker} has allowed it: what the driver tells all executors
 * beforehand is fixed when it starts. Who wants the direct engine earlier waits for the answer, which takes one round trip
 * at the executor's start; without an answer this executor stays with the portable engine.
 */
public final class DirectEnginePermission {
    private static final long PATIENCE_SECONDS = 10;

    private final CompletableFuture<@Nullable String> veto = new CompletableFuture<>();

    /** Closes the gate of this JVM. */
    public void closeGate() {
        DirectEngineGate.close(this::veto);
    }

    /** Asks the driver, and opens the gate or has it closed for good; never fails. */
    public void ask(PluginContext context) {
        try {
            Object answer = context.ask(new DirectEngineQuestion(context.executorID(), ExecutorHost.name()));
            // A driver of another version that knows nothing of the question has nothing against it.
            veto.complete(answer instanceof DirectEngineAnswer told ? told.veto() : null);
        } catch (Exception | LinkageError e) {
            veto.complete("the question to the driver whether executors have crashed failed: " + e);
        }
    }

    private @Nullable String veto() {
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        try {
            while (true) {
                try {
                    return veto.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    // A task is killed that happens to be the first; the answer is for the whole JVM.
                    interrupted = true;
                } catch (TimeoutException | ExecutionException e) {
                    return "the driver did not answer within " + PATIENCE_SECONDS + " s whether executors have crashed";
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
