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
 * beforehand is fixed when it starts. The executor asks when something first needs the direct engine, which waits for the answer. So the driver
 * knows which executors use it. Without an answer this executor stays with the portable engine.
 */
public final class DirectEnginePermission {
    private static final long PATIENCE_SECONDS = 10;

    private final PluginContext context;
    private final CompletableFuture<@Nullable String> veto = new CompletableFuture<>();

    private DirectEnginePermission(PluginContext context) {
        this.context = context;
    }

    /** Closes the gate of this JVM until the driver has allowed it. */
    public static void closeGate(PluginContext context) {
        DirectEngineGate.close(new DirectEnginePermission(context)::veto);
    }

    /** Asks the driver; never fails. */
    private void ask() {
        try {
            Object answer = context.ask(new DirectEngineQuestion(context.executorID(), ExecutorHost.name()));
            // A driver of another version that knows nothing of the question has nothing against it.
            veto.complete(answer instanceof DirectEngineAnswer told ? told.veto() : null);
        } catch (Exception | LinkageError e) {
            veto.complete("the question to the driver whether executors have crashed failed: " + e);
        }
    }

    /** Asked once. */
    private @Nullable String veto() {
        // In a thread of its own: Spark may wait for minutes.
        Thread asking = new Thread(this::ask, "heapspan-permission");
        asking.setDaemon(true);
        asking.start();
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
