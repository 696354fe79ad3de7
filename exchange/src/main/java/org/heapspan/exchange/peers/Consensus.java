package org.heapspan.exchange.peers;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Gives the changes of several servers one order that survives the loss of a minority of them. Thread-safe. */
public interface Consensus extends Closeable {
    /** No peer is known to lead. */
    int NOBODY = -1;

    /** Nothing is known of a peer here. */
    long UNKNOWN = -1;

    /** Starts one; the implementation is found through a {@link java.util.ServiceLoader}. */
    interface Factory {
        /**
         * Starts.
         *
         * @throws IOException if the folder cannot be used
         */
        Consensus start(Settings settings, State state, Calls calls) throws IOException;
    }

    /**
     * Who agrees.
     *
     * @param peers names of all servers, the same everywhere
     * @param self the place of this one among them
     * @param folder for what has been agreed on
     * @param election how long a leader may be silent; others elect another one after that, and before twice as long
     * @param changesOfSnapshot after as many changes their effect is written, and they are forgotten
     */
    record Settings(List<String> peers, int self, Path folder, Duration election, int changesOfSnapshot) {
        /** Takes a copy. */
        public Settings {
            peers = List.copyOf(peers);
        }
    }

    /** What changes. The same changes have the same effects on each server. */
    interface State {
        /**
         * Makes a change. Called for one after the other, in the same order everywhere.
         *
         * @param term of the leader that made it; grows
         * @return whether it counts
         */
        boolean apply(long term, ByteBuffer change);

        /** Writes everything. Not at the same time as a change. */
        void save(Path file) throws IOException;

        /** Forgets everything and begins with what was written. */
        void load(Path file) throws IOException;

        /** This server leads from now on, or not any more. Returns at once. */
        void leads(boolean leads);
    }

    /** Asks other servers. */
    interface Calls {
        /**
         * Asks one, and waits.
         *
         * @throws IOException if it did not answer
         */
        byte[] call(int peer, byte[] message) throws IOException;
    }

    /** Answers what another server has asked through {@link Calls}. */
    byte[] answer(byte[] message) throws IOException;

    /**
     * Proposes a change. Whoever proposes one after the other finds them in this order.
     *
     * @return whether it counts, when this server has made it; fails if this server does not lead, and then it may count or not
     */
    CompletableFuture<Boolean> propose(byte[] change);

    /** Succeeds if this server still led after the call, and has made all changes that others had confirmed before it. */
    CompletableFuture<Void> confirm();

    /**
     * Gives the lead to another peer, if this one has it.
     *
     * @throws IOException if that failed
     */
    void resign() throws IOException;

    /** Which peer leads as far as this one knows, or {@link #NOBODY}. */
    int leader();

    /**
     * How many milliseconds ago another peer was last heard of, or {@link #UNKNOWN}. The leader knows it of all others, and they know it of the leader.
     * Of one that it has not heard of since it leads, the leader knows a lower bound.
     */
    long silentMillis(int peer);

    /** The term of the last change that was written here, made or not. */
    long lastTerm();
}
