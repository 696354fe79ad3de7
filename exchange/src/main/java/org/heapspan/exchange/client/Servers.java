package org.heapspan.exchange.client;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.heapspan.exchange.transport.Endpoint;

/** The servers of a client: one, or several of which one leads. Thread-safe. */
public final class Servers {
    private final List<Endpoint> all;
    private int current;

    /** Begins with any of them. */
    public Servers(List<Endpoint> all) {
        this.all = all;
        current = ThreadLocalRandom.current().nextInt(all.size());
    }

    /** Whether another one may answer if one does not. */
    public boolean areSeveral() {
        return all.size() > 1;
    }

    /** The one to ask. */
    public synchronized Endpoint current() {
        return all.get(current);
    }

    /**
     * One was asked, and does not lead, or does not answer.
     *
     * @param refusal what it has said; it may end with the leader, who is believed only if he is one of these
     */
    public synchronized void leave(Endpoint asked, String refusal) {
        if (!asked.equals(all.get(current))) {
            return;
        }
        String last = refusal.substring(refusal.lastIndexOf(' ') + 1);
        for (int i = 0; i < all.size(); i++) {
            if (i != current && all.get(i).toString().equals(last)) {
                current = i;
                return;
            }
        }
        current = (current + 1) % all.size();
    }

    @Override
    public String toString() {
        return all.stream().map(Endpoint::toString).collect(Collectors.joining(", "));
    }
}
