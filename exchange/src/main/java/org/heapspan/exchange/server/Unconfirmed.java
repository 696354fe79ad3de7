package org.heapspan.exchange.server;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.heapspan.exchange.metadata.Session;

/**
 * What the last replies of connections have given to clients: a lease, or reserved space. The next request of a connection shows that its client
 * knows of it. If a reply was lost, the client says so over another connection, and how many replies have come. What a later one gave is taken back:
 * otherwise it would be there as long as the session. Thread-safe.
 */
final class Unconfirmed {
    private static final int MOST_OF_SESSION = 1_000;

    /** In place of the last gift of a connection whose client does not want what may follow. */
    private static final Gift ABANDONED = new Gift(0, 0);

    /** By session, then by nonce of the connection. */
    private final Map<Session, Map<ByteBuffer, Gift>> gifts = new HashMap<>();

    /** What a reply gave: an address. The replies of a connection have the numbers from 1 on. */
    private record Gift(long reply, long address) {}

    private static final class Latest extends LinkedHashMap<ByteBuffer, Gift> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Gift> eldest) {
            return size() > MOST_OF_SESSION;
        }
    }

    private Map<ByteBuffer, Gift> of(Session session) {
        return session.hasEnded() ? new Latest() : gifts.computeIfAbsent(session, each -> new Latest());
    }

    /**
     * A reply that gives an address is about to be sent.
     *
     * @param reply its number
     * @return false if its client has abandoned the connection: it is to be taken back
     */
    synchronized boolean given(Session session, byte[] nonce, long reply, long address) {
        ByteBuffer connection = ByteBuffer.wrap(nonce);
        boolean wanted = !ABANDONED.equals(of(session).put(connection, new Gift(reply, address)));
        if (!wanted) {
            of(session).remove(connection);
        }
        return wanted;
    }

    /** The next request of a connection has come. */
    synchronized void confirm(Session session, byte[] nonce) {
        Map<ByteBuffer, Gift> ofSession = gifts.get(session);
        if (ofSession != null) {
            ofSession.computeIfPresent(ByteBuffer.wrap(nonce), (same, gift) -> gift.equals(ABANDONED) ? gift : null);
        }
    }

    /**
     * A client abandons a connection.
     *
     * @param replies how many have come to it. If its next request did not come here, the last gift was that of an earlier one, and is in use
     * @return the address that it has been given and does not know of, or 0
     */
    synchronized long abandon(Session session, byte[] nonce, long replies) {
        Gift last = of(session).put(ByteBuffer.wrap(nonce), ABANDONED);
        return last == null || last.reply <= replies ? 0 : last.address;
    }

    /** A session has ended, and with it all that it was given. */
    synchronized void end(Session session) {
        gifts.remove(session);
    }
}
