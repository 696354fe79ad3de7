package org.heapspan.exchange.client;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a client leases from one of several servers. The server that leads next knows the groups, but not who leases them, and keeps them for the time of
 * a lease. So the client leases them again, when it reads one or sends its next sign of life. Thread-safe.
 */
final class HeldLeases {
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

    void add(Lease lease) {
        leases.add(lease);
    }

    void remove(Lease lease) {
        leases.remove(lease);
    }

    /** Leases of other sessions than the present one. */
    List<Lease> others(ServerSession present) {
        return leases.stream().filter(lease -> lease.session() != present).toList();
    }
}
