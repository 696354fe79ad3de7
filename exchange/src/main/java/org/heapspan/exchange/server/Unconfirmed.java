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

    /** In place of the address of a connection whose client does not want what may follow. */
    private static final long ABANDONED = 0;

    /** By session, then by nonce of the connection. */
    private final Map<Session, Map<ByteBuffer, Long>> gifts = new HashMap<>();

    private static final class Latest extends LinkedHashMap<ByteBuffer, Long> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Long> eldest) {
            return size() > MOST_OF_SESSION;
        }
    }

    private Map<ByteBuffer, Long> of(Session session) {
        return session.hasEnded() ? new Latest() : gifts.computeIfAbsent(session, each -> new Latest());
    }

    /**
     * A reply that gives an address is about to be sent.
     *
     * @return false if its client has abandoned the connection: it is to be taken back
     */
    synchronized boolean given(Session session, byte[] nonce, long address) {
        ByteBuffer connection = ByteBuffer.wrap(nonce);
        Long before = of(session).put(connection, address);
        boolean wanted = before == null || before != ABANDONED;
        if (!wanted) {
            of(session).remove(connection);
        }
        return wanted;
    }

    /** The next request of a connection has come. */
    synchronized void confirm(Session session, byte[] nonce) {
        Map<ByteBuffer, Long> ofSession = gifts.get(session);
        if (ofSession != null) {
            ofSession.computeIfPresent(
                    ByteBuffer.wrap(nonce), (same, address) -> address == ABANDONED ? address : null);
        }
    }

    /**
     * A client abandons a connection.
     *
     * @return the address that it has been given and does not know of, or 0
     */
    synchronized long abandon(Session session, byte[] nonce) {
        Long address = of(session).put(ByteBuffer.wrap(nonce), ABANDONED);
        return address == null ? ABANDONED : address;
    }

    /** A session has ended, and with it all that it was given. */
    synchronized void end(Session session) {
        gifts.remove(session);
    }
}
