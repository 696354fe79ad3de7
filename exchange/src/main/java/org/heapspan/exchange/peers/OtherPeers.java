package org.heapspan.exchange.peers;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;

/** The other servers that replicate their keys: what they are asked, and which bytes they are sent. Thread-safe. */
final class OtherPeers implements Closeable {
    private static final System.Logger LOGGER = System.getLogger(OtherPeers.class.getName());

    private static final int COPYING_THREADS = 4;
    private static final int MOST_WAITING_COPIES = 10_000;

    private final PeerSettings settings;
    private final KeptBytes kept;
    private final Duration timeout;
    private final List<PeerLink> links = new ArrayList<>();
    private final List<ThreadPoolExecutor> copying = new ArrayList<>();

    OtherPeers(PeerSettings settings, KeptBytes kept, Duration timeout) {
        this.settings = settings;
        this.kept = kept;
        this.timeout = timeout;
        for (int i = 0; i < settings.places().size(); i++) {
            links.add(new PeerLink(PeerLink.settings(settings, i)));
            copying.add(executor());
        }
    }

    private static ThreadPoolExecutor executor() {
        ThreadPoolExecutor made = new ThreadPoolExecutor(
                COPYING_THREADS,
                COPYING_THREADS,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_WAITING_COPIES),
                work -> {
                    Thread thread = new Thread(work, "heapspan-exchange-copies");
                    thread.setDaemon(true);
                    return thread;
                });
        made.allowCoreThreadTimeOut(true);
        return made;
    }

    /** Asks one of them for the consensus. */
    byte[] ask(int peer, byte[] message) throws IOException {
        return links.get(peer).ask(message);
    }

    /** Returns when a majority of all servers has the bytes of a group that is here. */
    void copy(long run, GroupDescription group) throws IOException {
        int needed = settings.places().size() / 2;
        Copying copies = new Copying(needed, settings.places().size() - 1);
        boolean enough = links.stream().filter(each -> !each.isPausing()).count() > needed;
        for (int i = 0; i < links.size(); i++) {
            if (i != settings.self()) {
                copy(i, run, group, copies, !enough);
            }
        }
        copies.await(timeout);
    }

    private void copy(int peer, long run, GroupDescription group, Copying copies, boolean always) {
        PeerLink link = links.get(peer);
        Runnable work = () -> {
            try {
                link.copy(client -> kept.send(client, link, run, group));
                copies.succeeded();
            } catch (RefusedException e) {
                copies.failed(String.valueOf(e.getMessage()), e.code() == RefusalCode.FULL);
            } catch (IOException | RuntimeException e) {
                copies.failed(String.valueOf(e.getMessage()), false);
            }
        };
        if (!always && link.isPausing()) {
            copies.failed("it did not answer a moment ago", false);
            return;
        }
        try {
            copying.get(peer).execute(work);
        } catch (RejectedExecutionException e) {
            copies.failed("too many copies wait for it", false);
        }
    }

    /** Nobody needs a group that was {@linkplain #copy copied}. Who does not hear of it frees the copy when another run begins. */
    void forget(long run, long address) {
        for (int i = 0; i < links.size(); i++) {
            PeerLink link = links.get(i);
            if (i != settings.self() && !link.isPausing()) {
                try {
                    copying.get(i).execute(() -> forget(link, run, address));
                } catch (RejectedExecutionException e) {
                    LOGGER.log(System.Logger.Level.DEBUG, "a copy is not needed, but was not deleted", e);
                }
            }
        }
    }

    private static void forget(PeerLink link, long run, long address) {
        try {
            link.copy(client -> client.call(new Request.ForgetCopy(run, address), Reply.Done.class, link.timeout()));
        } catch (IOException | RefusedException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "a copy is not needed, but was not deleted", e);
        }
    }

    /**
     * Gets the bytes of a group from any of them.
     *
     * @throws RefusedException if none that can be reached has them, or {@link RefusalCode#UNREACHABLE} if none can be reached, or
     *     {@link RefusalCode#FULL} if there is no room for them here
     */
    void fetch(GroupDescription group) throws RefusedException {
        List<String> failures = new ArrayList<>();
        boolean answered = false;
        for (int i = 0; i < links.size(); i++) {
            if (i != settings.self()) {
                try {
                    kept.fetch(links.get(i), group);
                    return;
                } catch (FullException e) {
                    throw new RefusedException(
                            RefusalCode.FULL, "the bytes of a group have no room here: " + e.getMessage());
                } catch (IOException | RefusedException e) {
                    answered |= e instanceof RefusedException;
                    failures.add(settings.places().get(i) + ": " + e.getMessage());
                }
            }
        }
        throw new RefusedException(
                answered ? RefusalCode.STORAGE : RefusalCode.UNREACHABLE,
                "the bytes at 0x" + Long.toHexString(group.address())
                        + " are not on this server, and no other one that has them can be reached: " + failures);
    }

    /** No more copies are sent. Questions of the consensus are answered still. */
    void endCopies() {
        copying.forEach(ThreadPoolExecutor::shutdownNow);
    }

    @Override
    public void close() {
        endCopies();
        links.forEach(PeerLink::close);
    }
}
