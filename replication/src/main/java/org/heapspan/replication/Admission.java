package org.heapspan.replication;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

/**
 * Whether a server takes part in elections. One with an empty folder may have lost it, and with it what it has confirmed and for whom it has voted: its
 * vote could elect a server without the last changes, or a second leader. So it is a newcomer at first. It becomes a member in one of two ways:
 *
 * <ul>
 *   <li>The folders of all servers are empty: the group begins. Whoever sees that first tells the others, which are told apart by the ids of their
 *       folders.
 *   <li>So many members have said what they know that each majority of which this server may have been a part has one of them; this server has
 *       everything that these have then, from a leader of their last term or a later one; and all elections of its former life have ended.
 * </ul>
 *
 * Thread-safe.
 */
final class Admission {
    private static final String NEWCOMER = "newcomer";
    private static final String MEMBER = "member";

    private final Path file;
    private final int serverCount;
    private final long patienceNanos;
    private final long startNanos = System.nanoTime();
    private final long silenceNanos;
    private boolean isMember;
    private List<UUID> folders;
    private @Nullable Standing needed;

    private Admission(
            Path file, int serverCount, Duration patience, Duration silence, boolean isMember, List<UUID> folders) {
        this.file = file;
        this.serverCount = serverCount;
        this.patienceNanos = patience.toNanos();
        // A newcomer has told no leader anything that this one may count on still.
        this.silenceNanos = isMember ? silence.toNanos() : 0;
        this.isMember = isMember;
        this.folders = folders;
    }

    /**
     * Reads what was written, or begins as a newcomer.
     *
     * @param file beside the folder. It is written at once or not at all, so an empty one is damaged: nobody knows whether this server was a newcomer
     * @param isEmpty whether the folder has nothing
     * @param patience after this time, no election in which the server took part in a former life goes on
     * @param silence for this time, a leader answers by itself after a member has heard from it. A member that is started does not know of that
     */
    static Admission open(Path file, boolean isEmpty, int serverCount, Duration patience, Duration silence)
            throws IOException {
        boolean isThere = Files.exists(file);
        // Damaged bytes are no failure of the decoder.
        List<String> lines = isThere ? Files.readAllLines(file, StandardCharsets.ISO_8859_1) : List.of();
        String first = lines.isEmpty() ? "" : lines.get(0);
        boolean wasNewcomer = first.equals(NEWCOMER);
        if (isThere && (wasNewcomer || !isEmpty)) {
            try {
                List<UUID> folders =
                        lines.stream().skip(1).map(UUID::fromString).toList();
                if (wasNewcomer ? folders.size() == 1 : first.equals(MEMBER)) {
                    return new Admission(file, serverCount, patience, silence, !wasNewcomer, folders);
                }
            } catch (IllegalArgumentException e) {
                throw damaged(file, lines, e);
            }
            throw damaged(file, lines, null);
        }
        Admission begun = new Admission(
                file, serverCount, patience, silence, !isEmpty, isEmpty ? List.of(UUID.randomUUID()) : List.of());
        begun.write();
        return begun;
    }

    private static IOException damaged(Path file, List<String> lines, @Nullable Exception cause) {
        return new IOException(
                file + " is damaged: it has the lines " + lines + ", expected '" + NEWCOMER
                        + "' and the id of a folder, or '"
                        + MEMBER
                        + "' and the ids of the first folders; delete it and the folder beside it: then this server"
                        + " gets everything from the others",
                cause);
    }

    private void write() throws IOException {
        StringBuilder text = new StringBuilder(isMember ? MEMBER : NEWCOMER).append('\n');
        folders.forEach(each -> text.append(each).append('\n'));
        WholeFile.write(
                file,
                file.resolveSibling(file.getFileName() + ".new"),
                unfinished -> Files.writeString(unfinished, text, StandardCharsets.US_ASCII));
    }

    /** Whether this server has everything that it has ever confirmed. */
    synchronized boolean isMember() {
        return isMember;
    }

    /** Whether this server votes, and can be elected. */
    boolean votes() {
        return isMember() && System.nanoTime() - startNanos >= silenceNanos;
    }

    /** Whether this server follows a leader of a term. */
    synchronized boolean mayFollow(long term) {
        return isMember || needed != null && term >= needed.term();
    }

    synchronized Standing standing(long term, TermIndex last) {
        return new Standing(isMember, folders, term, last);
    }

    /**
     * A newcomer has asked all other servers.
     *
     * @param others what those have said that have answered
     * @param own the last entry of its log that is on the device, and its term
     */
    synchronized void hear(List<Standing> others, Standing own) throws IOException {
        UUID folder = folders.get(0);
        for (Standing each : others) {
            if (each.isMember() && each.folders().contains(folder)) {
                become(each.folders());
                return;
            }
        }
        if (others.size() == serverCount - 1
                && own.term() == 0
                && others.stream().noneMatch(Standing::knowsGroup)) {
            List<UUID> all = new ArrayList<>(folders);
            others.forEach(each -> all.addAll(each.folders()));
            become(all);
            return;
        }
        List<Standing> members = others.stream().filter(Standing::isMember).toList();
        if (needed == null && members.size() > serverCount / 2) {
            long term = members.stream().mapToLong(Standing::term).max().orElseThrow();
            TermIndex last = members.stream()
                    .map(Standing::last)
                    .max(TermIndex::compareTo)
                    .orElseThrow();
            needed = new Standing(true, List.of(), term, last);
        }
        if (needed != null
                && own.last().compareTo(needed.last()) >= 0
                && System.nanoTime() - startNanos >= patienceNanos) {
            become(List.of());
        }
    }

    private void become(List<UUID> known) throws IOException {
        List<UUID> before = folders;
        folders = List.copyOf(known);
        isMember = true;
        boolean written = false;
        try {
            write();
            written = true;
        } finally {
            if (!written) {
                isMember = false;
                folders = before;
            }
        }
    }
}
