package org.heapspan.exchange.client;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.heapspan.exchange.metadata.FullException;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.MalformedFrameException;
import org.heapspan.exchange.wire.RefusedException;

/**
 * The copies of a group that keepers have. They are asked one after the other, with the secret and the TLS of the client: a keeper that does not accept
 * them is passed over. For one thread.
 */
public final class KeeperCopies {
    private static final System.Logger LOGGER = System.getLogger(KeeperCopies.class.getName());

    private static final int MOST_ASKED = 3;

    private final ClientSettings settings;
    private final GroupDescription group;
    private final List<String> failures = new ArrayList<>();

    /** What is done with a keeper that may have a copy. */
    public interface Use<T> {
        T of(ExchangeClient keeper) throws IOException, RefusedException;
    }

    /** None has been asked yet. */
    public KeeperCopies(ClientSettings settings, GroupDescription group) {
        this.settings = settings;
        this.group = group;
    }

    /**
     * Uses the first keeper with a good copy. One that is silent for the whole time limit is the last that is asked.
     *
     * @param places URLs of keepers, in any order
     * @param deadline until when a keeper is asked. It may then take as much time as is left, again for each piece of the bytes
     * @return empty if no keeper has a good copy
     * @throws FullException if there is no room for the bytes here
     */
    public <T> Optional<T> from(List<String> places, Deadline deadline, Use<T> use) throws FullException {
        for (String place : places.subList(0, Math.min(MOST_ASKED, places.size()))) {
            Duration left = Duration.ofMillis(deadline.remainingMillis());
            if (deadline.hasPassed()) {
                failures.add(place + " (no time was left)");
                continue;
            }
            try (ExchangeClient keeper = new ExchangeClient(settings.ofKeeper(keeperAt(place), left))) {
                return Optional.of(use.of(keeper));
            } catch (FullException e) {
                throw e;
            } catch (IOException | RefusedException e) {
                failures.add(place + " (" + e.getMessage() + ")");
                LOGGER.log(
                        System.Logger.Level.INFO,
                        "the group at 0x" + Long.toHexString(group.address()) + " could not be fetched from the keeper "
                                + place + ": " + e.getMessage());
                if (e instanceof SocketTimeoutException
                        || Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
        }
        return Optional.empty();
    }

    private static Endpoint keeperAt(String place) throws MalformedFrameException {
        try {
            Endpoint endpoint = Endpoint.parse(place);
            if (!endpoint.isInProcess()) {
                return endpoint;
            }
        } catch (IllegalArgumentException e) {
            throw new MalformedFrameException(String.valueOf(e.getMessage()));
        }
        throw new MalformedFrameException("a keeper is a place in the network");
    }

    /** Which keepers were asked in vain, and why, for people. */
    public List<String> failures() {
        return List.copyOf(failures);
    }
}
