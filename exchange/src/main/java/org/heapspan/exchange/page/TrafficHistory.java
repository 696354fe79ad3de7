package org.heapspan.exchange.page;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.heapspan.exchange.server.Traffic;

/** What a server did in each second of the last ten minutes. {@link #run} is to be called each second. Thread-safe. */
final class TrafficHistory implements Runnable {
    static final int SECONDS = 600;

    private static final System.Logger LOGGER = System.getLogger(TrafficHistory.class.getName());

    private final Source source;
    private final List<Second> seconds = new ArrayList<>();
    private Traffic.Totals before;

    /** Whether nothing is known of the latest second. */
    private boolean missing;

    /** The server. */
    interface Source {
        Traffic.Totals totals();

        long usedBytes();
    }

    /** One second: what was added to the totals, and the memory at its end. */
    record Second(Traffic.Totals added, long usedBytes) {}

    TrafficHistory(Source source) {
        this.source = source;
        before = source.totals();
    }

    /**
     * Adds a second; never fails, as nobody would call it again. Where the server cannot say what it has done, the second is like one without
     * traffic: that comes with the next one, and each line still has a number for each second.
     */
    @Override
    public void run() {
        try {
            Traffic.Totals now = source.totals();
            add(now, source.usedBytes(), false);
        } catch (RuntimeException | Error e) {
            if (addMissing()) {
                LOGGER.log(
                        System.Logger.Level.WARNING,
                        "the server cannot say what it does; its page shows no traffic until it can",
                        e);
            }
        }
    }

    /** Returns whether the second before was not missing. */
    private synchronized boolean addMissing() {
        boolean first = !missing;
        add(before, seconds.isEmpty() ? 0 : seconds.get(seconds.size() - 1).usedBytes(), true);
        return first;
    }

    private synchronized void add(Traffic.Totals now, long usedBytes, boolean isMissing) {
        missing = isMissing;
        if (seconds.size() == SECONDS) {
            seconds.remove(0);
        }
        seconds.add(new Second(now.minus(before), usedBytes));
        before = now;
    }

    /** One number of each second, the latest last. */
    synchronized List<Long> line(ToLongFunction<Second> number) {
        return seconds.stream().map(number::applyAsLong).toList();
    }
}
