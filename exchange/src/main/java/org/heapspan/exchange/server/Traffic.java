package org.heapspan.exchange.server;

import java.util.concurrent.atomic.LongAdder;

/** Counts what a server does. Thread-safe. */
public final class Traffic {
    private final LongAdder requests = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();
    private final LongAdder connectionBytes = new LongAdder();

    /**
     * Sums since the start.
     *
     * @param requests of clients
     * @param refusals of these
     * @param readBytes of groups that were found, also by clients that read them from memory
     * @param writtenBytes of groups that were committed, also by clients that wrote them to memory
     * @param connectionBytes of groups that went through connections, in both directions
     */
    public record Totals(long requests, long refusals, long readBytes, long writtenBytes, long connectionBytes) {
        /** What was added since then. */
        public Totals minus(Totals before) {
            return new Totals(
                    requests - before.requests,
                    refusals - before.refusals,
                    readBytes - before.readBytes,
                    writtenBytes - before.writtenBytes,
                    connectionBytes - before.connectionBytes);
        }
    }

    void request() {
        requests.increment();
    }

    void refusal() {
        refusals.increment();
    }

    void read(long bytes) {
        readBytes.add(bytes);
    }

    void written(long bytes) {
        writtenBytes.add(bytes);
    }

    void carried(long bytes) {
        connectionBytes.add(bytes);
    }

    /** The sums now. */
    public Totals totals() {
        return new Totals(requests.sum(), refusals.sum(), readBytes.sum(), writtenBytes.sum(), connectionBytes.sum());
    }
}
