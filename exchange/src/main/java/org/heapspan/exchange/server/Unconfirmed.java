package org.heapspan.exchange.server;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.heapspan.exchange.metadata.Session;

/**
 * What the last replies of connections have given to clients: a lease, or reserved space. The next request of a connection shows that its client
 * knows of it. If a reply was lost, the client says so over another connection, and it is taken back: otherwise it would be there as long as the
 * session. Thread-safe.
 */
final class Unconfirmed {
    private static final int MOST_OF_SESSION = 1_000;

    /** In place of the addresses of a connection whose client does not want what may follow. */
    private static final long[] ABANDONED = {};

    /** By session, then by nonce of the connection. */
    private final Map<Session, Map<ByteBuffer, long[]>> gifts = new HashMap<>();

    private static final class Latest extends LinkedHashMap<ByteBuffer, long[]> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, long[]> eldest) {
            return size() > MOST_OF_SESSION;
        }
    }

    private Map<ByteBuffer, long[]> of(Session session) {
        return session.hasEnded() ? new Latest() : gifts.computeIfAbsent(session, each -> new Latest());
    }

    /**
     * A reply that gives addresses is about to be sent.
     *
     * @return false if its client has abandoned the connection: they are to be taken back
     */
    synchronized boolean given(Session session, byte[] nonce, long[] addresses) {
        ByteBuffer connection = ByteBuffer.wrap(nonce);
        boolean wanted = of(session).put(connection, addresses) != ABANDONED;
        if (!wanted) {
            of(session).remove(connection);
        }
        return wanted;
    }

    /** The next request of a connection has come. */
    synchronized void confirm(Session session, byte[] nonce) {
        Map<ByteBuffer, long[]> ofSession = gifts.get(session);
        if (ofSession != null) {
            ofSession.computeIfPresent(
                    ByteBuffer.wrap(nonce), (same, addresses) -> addresses == ABANDONED ? addresses : null);
        }
    }

    /**
     * A client abandons a connection.
     *
     * @return the addresses that it has been given and does not know of
     */
    synchronized long[] abandon(Session session, byte[] nonce) {
        long[] addresses = of(session).put(ByteBuffer.wrap(nonce), ABANDONED);
        return addresses == null ? ABANDONED : addresses;
    }

    /** A session has ended, and with it all that it was given. */
    synchronized void end(Session session) {
        gifts.remove(session);
    }
}
