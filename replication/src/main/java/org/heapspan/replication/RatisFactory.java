package org.heapspan.replication;

import java.io.IOException;
import org.heapspan.exchange.peers.Consensus;

/** Starts a consensus on Apache Ratis. Found through a {@link java.util.ServiceLoader}. */
public final class RatisFactory implements Consensus.Factory {
    /** For the loader. */
    public RatisFactory() {}

    @Override
    public Consensus start(Consensus.Settings settings, Consensus.State state, Consensus.Calls calls)
            throws IOException {
        return RatisConsensus.start(settings, state, calls);
    }
}
