package org.heapspan.exchange.page;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.heapspan.exchange.server.Traffic;

/** What a server did in each second of the last ten minutes. Thread-safe. */
final class TrafficHistory {
    static final int SECONDS = 600;

    private final List<Second> seconds = new ArrayList<>();
    private Traffic.Totals before;

    /** One second: what was added to the totals, and the memory at its end. */
    record Second(Traffic.Totals added, long usedBytes) {}

    TrafficHistory(Traffic.Totals now) {
        before = now;
    }

    /** To be called each second. */
    synchronized void add(Traffic.Totals now, long usedBytes) {
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
