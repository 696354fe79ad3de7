package org.heapspan.exchange.metadata;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.heapspan.exchange.wire.Reply;

/** A keeper that has joined: the copies that it has, and what it must be told of them (ZCOT section 4.2). Guarded by {@link Metadata}. */
final class Node {
    private static final int MOST_UNCONFIRMED = 1_000_000;
    private static final int MOST_IN_MESSAGE = 10_000;

    /** Where other keepers find it; empty if they do not. */
    final String url;

    private final Set<Group> copies = new HashSet<>();
    private final Deque<News> unconfirmed = new ArrayDeque<>();
    private long copiedBytes;
    private long last;

    /** A group, or a chunk, is no more. */
    private record News(long number, boolean chunk, long value) {}

    Node(String url) {
        this.url = url;
    }

    void add(Group group) {
        if (copies.add(group)) {
            copiedBytes += Chunks.pages(group.reservedBytes);
        }
    }

    void remove(Group group) {
        if (copies.remove(group)) {
            copiedBytes -= Chunks.pages(group.reservedBytes);
        }
    }

    Set<Group> copies() {
        return copies;
    }

    long copiedBytes() {
        return copiedBytes;
    }

    void freed(Group group) {
        remove(group);
        tell(false, group.address);
    }

    void dropped(long chunk) {
        tell(true, chunk);
    }

    private void tell(boolean chunk, long value) {
        last++;
        unconfirmed.add(new News(last, chunk, value));
    }

    /** It has dealt with everything up to this number. */
    void confirm(long number) {
        while (!unconfirmed.isEmpty() && unconfirmed.element().number <= number) {
            unconfirmed.remove();
        }
    }

    boolean hasNews() {
        return !unconfirmed.isEmpty();
    }

    /** Whether it does not ask, so that memory would be used up. */
    boolean isDeaf() {
        return unconfirmed.size() > MOST_UNCONFIRMED;
    }

    /** What it has not confirmed, as much as fits into a message. */
    Reply.Freed news() {
        long[] groups = some(false);
        long[] chunks = some(true);
        long end = unconfirmed.stream()
                .limit(MOST_IN_MESSAGE)
                .mapToLong(News::number)
                .max()
                .orElse(last);
        return new Reply.Freed(end, groups, chunks);
    }

    private long[] some(boolean chunk) {
        return unconfirmed.stream()
                .limit(MOST_IN_MESSAGE)
                .filter(each -> each.chunk == chunk)
                .mapToLong(News::value)
                .toArray();
    }
}
