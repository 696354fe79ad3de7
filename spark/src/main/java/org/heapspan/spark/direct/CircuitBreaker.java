package org.heapspan.spark.direct;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.heapspan.spark.settings.HeapspanLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's memory of executors that crashed: once one did with the direct engine on, those that start afterwards do without it, wherever
 * they run. The host would not do as a measure: on Kubernetes each executor has one of its own, and elsewhere the one that replaces another may
 * come up anywhere. Nobody has to find out whose fault it was for the application to go on. Thread-safe.
 */
public final class CircuitBreaker {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** Of executors that have not ended. */
    private final Map<String, String> hostsOfExecutors = new HashMap<>();

    private final Set<String> withoutDirectEngine = new HashSet<>();

    /** The first one; null as long as there is none. */
    private @Nullable Trip trip;

    /**
     * What switched the direct engine off.
     *
     * @param host where the executor ran
     * @param executorId the executor that crashed
     * @param signal by which it died
     * @param timeMillis when the driver learned of it
     */
    public record Trip(String host, String executorId, String signal, long timeMillis) {
        /** Why an executor gets no direct engine. */
        public String veto() {
            return what() + "; spark.heapspan.circuitBreaker=false ignores that";
        }

        private String what() {
            return "executor " + executorId + " on " + host + " died by " + signal + " while its direct engine was on";
        }
    }

    /** Called when an executor is there. */
    synchronized void started(String executorId, String host) {
        hostsOfExecutors.put(executorId, host);
    }

    /** Called when an executor has found out what it runs on. It may use the direct engine later, and asks before it does. */
    public synchronized void reported(String executorId, boolean directEngineOn) {
        if (!directEngineOn) {
            withoutDirectEngine.add(executorId);
        }
    }

    /**
     * Called when an executor is gone.
     *
     * @param reason what the cluster manager says
     */
    synchronized void ended(String executorId, String reason) {
        String host = hostsOfExecutors.remove(executorId);
        boolean wasOff = withoutDirectEngine.remove(executorId);
        String signal = CrashSignal.of(reason);
        if (host == null || wasOff || signal == null || trip != null) {
            return;
        }
        Trip first = new Trip(host, executorId, signal, System.currentTimeMillis());
        trip = first;
        LOG.warn(
                "Heapspan: {}: executors of this application that start from now on use the portable engine. See the"
                        + " stderr and the hs_err file of the executor; spark.heapspan.direct=false switches the"
                        + " direct engine off in all executors",
                first.what());
    }

    /**
     * Answers an executor that is about to use the direct engine.
     *
     * @param host where it says that it runs
     * @return why it must do without the direct engine; null if it may use it
     */
    public synchronized @Nullable String veto(String executorId, String host) {
        // The listener may hear of an executor later than of its question.
        hostsOfExecutors.putIfAbsent(executorId, host);
        withoutDirectEngine.remove(executorId);
        return trip == null ? null : trip.veto();
    }

    /** What has switched the direct engine off; null as long as nothing has. */
    public synchronized @Nullable Trip trip() {
        return trip;
    }
}
