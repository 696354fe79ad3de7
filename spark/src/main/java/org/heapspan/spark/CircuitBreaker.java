package org.heapspan.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's memory of executors that crashed: where one did with the direct engine on, those that start on that host afterwards do
 * without it. Nobody has to find out whose fault it was for the application to go on. Thread-safe.
 */
final class CircuitBreaker {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanPlugin.class);

    private final Map<String, String> hostsOfExecutors = new HashMap<>();
    private final Set<String> withoutDirectEngine = new HashSet<>();
    private final Map<String, Trip> trips = new LinkedHashMap<>();

    /**
     * What switched the direct engine off on a host.
     *
     * @param host where
     * @param executorId the executor that crashed
     * @param signal by which it died
     * @param timeMillis when the driver learned of it
     */
    record Trip(String host, String executorId, String signal, long timeMillis) {
        /** Why an executor gets no direct engine. */
        String veto() {
            return "executor " + executorId + " died on this host by " + signal
                    + " while its direct engine was on; spark.heapspan.circuitBreaker=false ignores that";
        }
    }

    /** Called when an executor is there. */
    synchronized void started(String executorId, String host) {
        hostsOfExecutors.put(executorId, host);
    }

    /** Called when an executor has found out what it runs on. */
    synchronized void reported(String executorId, boolean directEngineOn) {
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
        if (host == null || wasOff || signal == null || trips.containsKey(host)) {
            return;
        }
        trips.put(host, new Trip(host, executorId, signal, System.currentTimeMillis()));
        LOG.warn(
                "Heapspan: executor {} on {} died by {} while its direct engine was on: executors that start on that host from now on use the"
                        + " portable engine. Its stderr and hs_err file say more; spark.heapspan.direct=false switches the direct engine"
                        + " off everywhere",
                executorId,
                host,
                signal);
    }

    /**
     * Answers an executor that starts.
     *
     * @param host where it says that it runs
     * @return why it must do without the direct engine; null if it may use it
     */
    synchronized @Nullable String veto(String executorId, String host) {
        // The listener may hear of an executor later than of its question.
        Trip trip = trips.get(hostsOfExecutors.computeIfAbsent(executorId, any -> host));
        return trip == null ? null : trip.veto();
    }

    /** The hosts on which it has switched the direct engine off, in order of time. */
    synchronized List<Trip> trips() {
        return new ArrayList<>(trips.values());
    }
}
