package org.heapspan.replication;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.heapspan.exchange.peers.Consensus;
import org.heapspan.vm.Upkeep;

/** Asks the other servers until this one, which has an empty folder, is a member. */
final class Newcomer {
    private static final System.Logger LOGGER = System.getLogger(Newcomer.class.getName());

    private static final long ASK_PAUSE_MILLIS = 50;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final RaftServer server;
    private final PeerRpc rpc;
    private final RaftGroupId group;
    private final Consensus.Settings settings;
    private final Admission admission;
    private final Upkeep asking;

    /** When it was told last that this server is a newcomer. */
    private long toldNanos;

    Newcomer(RaftServer server, PeerRpc rpc, RaftGroupId group, Consensus.Settings settings, Admission admission) {
        this.server = server;
        this.rpc = rpc;
        this.group = group;
        this.settings = settings;
        this.admission = admission;
        asking = new Upkeep(
                "heapspan-replication-newcomer",
                ASK_PAUSE_MILLIS,
                this::ask,
                Upkeep.log(LOGGER, System.Logger.Level.WARNING, "the other servers could not be asked"));
    }

    /** Begins to ask, unless this server is a member. */
    void start() {
        if (!admission.isMember()) {
            toldNanos = System.nanoTime();
            asking.start();
        }
    }

    private void ask() {
        if (admission.isMember()) {
            asking.end();
            return;
        }
        List<String> silent = new ArrayList<>();
        try {
            List<Standing> others = standings(silent);
            admission.hear(others, own());
        } catch (IOException | RuntimeException e) {
            silent.add(e.toString());
        }
        tell(silent);
    }

    private void tell(List<String> silent) {
        if (!admission.isMember() && System.nanoTime() - toldNanos > TELL_NANOS) {
            toldNanos = System.nanoTime();
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "the folder of this server was empty when it was started, so it takes no part in elections"
                            + " before it has what the other servers know; not heard of: " + silent);
        }
    }

    private List<Standing> standings(List<String> silent) {
        List<Standing> found = new ArrayList<>();
        for (int i = 0; i < settings.peers().size() && !asking.hasEnded(); i++) {
            if (i != settings.self()) {
                try {
                    found.add(rpc.standing(i, group));
                } catch (IOException e) {
                    silent.add(settings.peers().get(i) + " (" + e.getMessage() + ")");
                }
            }
        }
        return found;
    }

    /** What is in the memory of this server only does not count. */
    private Standing own() throws IOException {
        RaftServer.Division division = server.getDivision(group);
        TermIndex last = PeerRpc.last(division);
        RaftLog log = division.getRaftLog();
        boolean isOnDevice = Math.max(log.getFlushIndex(), log.getSnapshotIndex()) >= last.getIndex();
        return admission.standing(division.getInfo().getCurrentTerm(), isOnDevice ? last : TermIndex.INITIAL_VALUE);
    }

    void close() {
        asking.close();
    }
}
