package org.heapspan.exchange.keeper;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.heapspan.exchange.keeper.JournalFiles.JournalFile;
import org.heapspan.exchange.wire.KeyRecord;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code keys} of a server that keeps its keys: each change at its end ({@link JournalLayout}). It is written anew, without what was replaced
 * or removed, when it is opened and when most of it is of no use any more: as another file, which is forced to the device before it gets the name.
 * So there is a whole file at each time.
 *
 * <p>If the device fails, nothing is added any more: nobody knows what it has. Thread-safe.
 */
final class KeyJournal implements Closeable {
    static final String FILE = "keys";

    /** A file is written anew if it is so many times as long as what is live in it. */
    static final int MOST_TIMES = 2;

    /** A file up to this length is left as it is. */
    static final int LEAST_BYTES = 1 << 20;

    private static final String NEW_FILE = FILE + ".new";

    private final JournalFiles files;

    /** Held while the file is forced, or replaced by a new one. Taken before the lock of this object. */
    private final Object forcing = new Object();

    private Collection<KeyRecord> kept;
    private JournalFile file;
    private long end;
    private long liveBytes;
    private long changes;
    private volatile long forced;
    private @Nullable IOException failure;
    private boolean closed;

    private KeyJournal(JournalFiles files, Collection<KeyRecord> kept, JournalFile file, long end) {
        this.files = files;
        this.kept = kept;
        this.file = file;
        this.end = end;
        liveBytes = end;
    }

    /**
     * Reads the file, if there is one, and writes it anew.
     *
     * @throws IOException if it is damaged, or of somebody else
     */
    static KeyJournal open(JournalFiles files) throws IOException {
        Collection<KeyRecord> kept = List.of();
        try (JournalFile last = files.open(FILE)) {
            if (last != null) {
                kept = JournalLayout.read(last, files.path(FILE)).values();
            }
        }
        JournalFile file = files.make(NEW_FILE);
        try {
            JournalWriter writer = new JournalWriter(file);
            writer.begin(kept);
            writer.flush();
            file.force();
            files.rename(NEW_FILE, FILE);
            files.forceNames();
            return new KeyJournal(files, kept, file, writer.end());
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    /** The keys that the file had when it was opened. */
    synchronized Collection<KeyRecord> kept() {
        return kept;
    }

    /** Nobody asks for them again. */
    synchronized void forgetKept() {
        kept = List.of();
    }

    private void checkUsable() throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (failure != null) {
            throw new IOException(
                    "the file " + FILE + " could not be written before: " + failure.getMessage()
                            + "; no key is changed until the server is started again: mend its device, or make room there,"
                            + " before that",
                    failure);
        }
    }

    /** Nothing is added any more. */
    synchronized void fail(IOException e) {
        if (failure == null) {
            failure = e;
        }
    }

    /**
     * Adds a change.
     *
     * @param former what the key leads to until now, or null
     * @return its number
     */
    synchronized long add(KeyRecord record, @Nullable KeyRecord former) throws IOException {
        checkUsable();
        ByteBuffer bytes = JournalLayout.framed(record);
        int length = bytes.remaining();
        try {
            file.write(bytes, end);
        } catch (IOException e) {
            cutOff();
            throw e;
        }
        end += length;
        liveBytes += (record.group() == null ? 0 : length) - lengthOf(former);
        return ++changes;
    }

    private static int lengthOf(@Nullable KeyRecord record) {
        return record == null ? 0 : JournalLayout.framed(record).remaining();
    }

    /** A part of a change would make what follows unreadable. */
    private void cutOff() {
        try {
            file.truncate(end);
        } catch (IOException e) {
            fail(e);
        }
    }

    /** The number of the last change. */
    synchronized long last() {
        return changes;
    }

    /** The number of the last change that the device has for certain. */
    long forced() {
        return forced;
    }

    /** Returns when the device has a change and all before it. Of threads that wait, one does it for all. */
    void force(long change) throws IOException {
        if (forced >= change) {
            return;
        }
        synchronized (forcing) {
            if (forced >= change) {
                return;
            }
            JournalFile current;
            long until;
            synchronized (this) {
                checkUsable();
                current = file;
                until = changes;
            }
            try {
                current.force();
            } catch (IOException e) {
                fail(e);
                throw e;
            }
            forced = until;
        }
    }

    /** Whether most of the file is of no use any more. */
    synchronized boolean isWasteful() {
        return failure == null && end > LEAST_BYTES && end > MOST_TIMES * liveBytes;
    }

    /**
     * Writes the file anew. Changes go on meanwhile. If this fails, the present file is used further, unless the new one may have its
     * name already.
     *
     * @param live gives the keys and what they lead to, with all changes that were added before it is called; may have later ones
     */
    void compact(Supplier<Collection<KeyRecord>> live) throws IOException {
        JournalFile present;
        long begin;
        synchronized (this) {
            checkUsable();
            present = file;
            begin = end;
        }
        JournalFile made = files.make(NEW_FILE);
        boolean mayBeNamed = false;
        boolean used = false;
        try {
            JournalWriter writer = new JournalWriter(made);
            writer.begin(live.get());
            long until;
            synchronized (this) {
                until = end;
            }
            // What was changed meanwhile: most of it without letting others wait.
            writer.copy(present, begin, until);
            writer.flush();
            made.force();
            synchronized (forcing) {
                synchronized (this) {
                    checkUsable();
                    writer.copy(present, until, end);
                    writer.flush();
                    made.force();
                    mayBeNamed = true;
                    replaceName();
                    file = made;
                    used = true;
                    end = writer.end();
                    forced = changes;
                }
            }
            present.close();
        } finally {
            if (!used) {
                if (!mayBeNamed) {
                    giveBack(made);
                }
                made.close();
            }
        }
    }

    /** A device that is full needs the room of a file that nobody uses. */
    private static void giveBack(JournalFile unfinished) {
        try {
            unfinished.truncate(0);
        } catch (IOException e) {
            // The next attempt deletes it.
            return;
        }
    }

    private void replaceName() throws IOException {
        try {
            files.rename(NEW_FILE, FILE);
            files.forceNames();
        } catch (IOException e) {
            fail(e);
            throw e;
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        file.close();
    }
}
