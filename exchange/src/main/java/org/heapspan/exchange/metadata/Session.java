package org.heapspan.exchange.metadata;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A client, with what it leases and populates, over all of its connections (ZCOT section 4.3). Guarded by {@link Metadata}. */
public final class Session {
    private final byte[] token;
    final String address;
    final long began;
    final Map<Group, Integer> leases = new HashMap<>();
    final Set<Group> reservations = new HashSet<>();
    int connections;

    /** Whole pages of groups that it has reserved or published, and that no key leads to. */
    long heldBytes;

    /** Read without the lock by who keeps something for it. */
    volatile boolean ended;

    /** What it has copies of, if it is a keeper that has joined. */
    @Nullable
    Node node;

    /** When it ends if it has no connection by then, in nanoseconds of the server. */
    long expires;

    /** Whether it has written to the files of the keeper. */
    boolean writesInPlace;

    /** The number of the last message that has ended leases. */
    private final AtomicLong lastRelease = new AtomicLong();

    Session(byte[] token, String address, long began) {
        this.token = token.clone();
        this.address = address;
        this.began = began;
    }

    /** Whether all that it had was given back. */
    public boolean hasEnded() {
        return ended;
    }

    /** What shows that a further connection belongs to it. */
    public byte[] token() {
        return token.clone();
    }

    /** Whether a message that ends leases has come for the first time: its client repeats it until it has the reply, and the numbers grow. */
    public boolean isNewRelease(long number) {
        return lastRelease.getAndAccumulate(number, Math::max) < number;
    }
}
