package org.heapspan.exchange.metadata;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Which keepers have joined, and which groups they have copies of: the copy sets and dependency sets of ZCOT section 4.2. Guarded by
 * {@link Metadata}.
 */
final class CopySets {
    private static final int MOST_PLACES = 16;
    private static final int MOST_NEEDED = 10_000;
    private static final int MOST_PORT = 65_535;

    private final Set<Session> keepers = new LinkedHashSet<>();

    /** A session is that of a keeper from now on. Its host is the one that its connection comes from. */
    void join(Session session, int port) {
        if (session.node == null) {
            session.node = new Node(url(session.address, port));
            keepers.add(session);
        }
    }

    private static String url(String address, int port) {
        int colon = address.lastIndexOf(':');
        if (colon < 0 || port <= 0 || port > MOST_PORT) {
            return "";
        }
        String host = address.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return Endpoint.tcp(bracketed ? host.substring(1, host.length() - 1) : host, port)
                .toString();
    }

    void leave(Session session) {
        Node node = session.node;
        if (node != null) {
            node.copies().forEach(group -> group.copies.remove(session));
            keepers.remove(session);
        }
    }

    void add(Session session, Node node, Group group) {
        if (group.copies.isEmpty()) {
            group.copies = new HashSet<>();
        }
        group.copies.add(session);
        node.add(group);
    }

    void drop(Session session, Node node, Group group) {
        // The set cannot be changed while no keeper has a copy.
        if (group.copies.contains(session)) {
            group.copies.remove(session);
            node.remove(group);
        }
    }

    /** A group is no more; says whether a keeper must be told. */
    boolean freed(Group group) {
        for (Session session : group.copies) {
            Node node = session.node;
            if (node != null) {
                node.freed(group);
            }
        }
        return !group.copies.isEmpty();
    }

    /** A chunk gets no more groups; says whether a keeper must be told. */
    boolean dropped(long chunk) {
        for (Session session : keepers) {
            Node node = session.node;
            if (node != null) {
                node.dropped(chunk);
            }
        }
        return !keepers.isEmpty();
    }

    /** Where else a group is, in any order, and what it needs that a keeper does not have. */
    Reply.Copies find(Group group, @Nullable Session asking) {
        List<String> places = new ArrayList<>();
        for (Session session : group.copies) {
            Node node = session.node;
            if (session != asking && node != null && !node.url.isEmpty()) {
                places.add(node.url);
            }
        }
        Collections.shuffle(places);
        return new Reply.Copies(places.subList(0, Math.min(MOST_PLACES, places.size())), needed(group, asking));
    }

    private static long[] needed(Group group, @Nullable Session asking) {
        Set<Group> found = new LinkedHashSet<>();
        Deque<Group> next = new ArrayDeque<>(group.needed);
        while (!next.isEmpty() && found.size() < MOST_NEEDED) {
            Group needed = next.remove();
            if (found.add(needed)) {
                next.addAll(needed.needed);
            }
        }
        return found.stream()
                .filter(each -> asking == null || !each.copies.contains(asking))
                .mapToLong(each -> each.address)
                .toArray();
    }

    /** Keepers that do not listen to what they are told. */
    List<Session> deaf() {
        return keepers.stream()
                .filter(session -> session.node != null && session.node.isDeaf())
                .toList();
    }

    /** For people, the first of them. */
    List<Overview.Keeper> overview(int most) {
        List<Overview.Keeper> rows = new ArrayList<>();
        for (Session session : keepers) {
            Node node = session.node;
            if (node != null && rows.size() < most) {
                rows.add(new Overview.Keeper(
                        node.url.isEmpty() ? session.address : node.url,
                        session.connections,
                        node.copies().size(),
                        node.copiedBytes()));
            }
        }
        return rows;
    }
}
