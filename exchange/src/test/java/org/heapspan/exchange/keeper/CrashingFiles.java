package org.heapspan.exchange.keeper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Files of a system that ends, or whose device fails, at a step that a test chooses. It knows what is written and what the device has, which differ
 * until a file, or the names of the folder, are forced.
 */
final class CrashingFiles implements JournalFiles {
    /** What is left for the next start. */
    enum Left {
        /** The process was killed: all that was written. */
        WRITTEN,
        /** The host has crashed: what was forced. */
        FORCED,
        /** The host has crashed, and the device has all names, but of the files what was forced. */
        FORCED_WITH_NAMES,
        /** The same, and files are as long as they were, with zeros. */
        ZEROS_WITH_NAMES
    }

    /** The end of the process. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static final class Content {
        byte[] written = {};
        byte[] forced = {};
    }

    private Map<String, Content> names = new HashMap<>();
    private Map<String, Content> forcedNames = new HashMap<>();

    /** The step that does not happen, counted from 1; 0 for none. */
    private int lastStep;

    private boolean crashes;
    private int steps;

    /** The process ends at this step; of what it writes there, the device has half. */
    void crashAt(int step) {
        lastStep = step;
        crashes = true;
        steps = 0;
    }

    /** This step is an error, and no other. */
    void failAt(int step) {
        lastStep = step;
        crashes = false;
        steps = 0;
    }

    /** Whether this step was reached. */
    boolean hasReached(int step) {
        return steps >= step;
    }

    /** The files that the next process finds. */
    CrashingFiles after(Left left) {
        CrashingFiles next = new CrashingFiles();
        Map<String, Content> found = left == Left.FORCED ? forcedNames : names;
        found.forEach((name, content) -> {
            Content copy = new Content();
            copy.written = left == Left.WRITTEN ? content.written.clone() : content.forced.clone();
            if (left == Left.ZEROS_WITH_NAMES) {
                copy.written = Arrays.copyOf(content.forced, Math.max(content.forced.length, content.written.length));
            }
            copy.forced = copy.written.clone();
            next.names.put(name, copy);
        });
        next.forcedNames = new HashMap<>(next.names);
        return next;
    }

    boolean has(String name) {
        return names.containsKey(name);
    }

    byte[] content(String name) {
        return names.get(name).written.clone();
    }

    void setContent(String name, byte[] content) {
        Content changed = new Content();
        changed.written = content.clone();
        changed.forced = content.clone();
        names.put(name, changed);
        forcedNames.put(name, changed);
    }

    private boolean isLast() {
        return ++steps == lastStep;
    }

    private void step() throws IOException {
        if (isLast()) {
            end();
        }
    }

    private void end() throws IOException {
        if (crashes) {
            throw new Crash();
        }
        throw new IOException("the device has failed");
    }

    @Override
    public @Nullable JournalFile open(String name) throws IOException {
        step();
        Content content = names.get(name);
        return content == null ? null : new OpenFile(content);
    }

    @Override
    public JournalFile make(String name) throws IOException {
        step();
        Content content = new Content();
        names.put(name, content);
        return new OpenFile(content);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        step();
        names.put(to, names.remove(from));
    }

    @Override
    public void forceNames() throws IOException {
        step();
        forcedNames = new HashMap<>(names);
    }

    @Override
    public String path(String name) {
        return name;
    }

    private final class OpenFile implements JournalFile {
        private final Content content;
        private boolean closed;

        OpenFile(Content content) {
            this.content = content;
        }

        private void checkOpen() throws IOException {
            if (closed) {
                throw new IOException("the file is closed");
            }
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            checkOpen();
            int length = (int) Math.min(target.remaining(), content.written.length - offset);
            if (length <= 0) {
                return -1;
            }
            target.put(content.written, (int) offset, length);
            return length;
        }

        @Override
        public void write(ByteBuffer source, long offset) throws IOException {
            checkOpen();
            boolean isLast = isLast();
            byte[] bytes = new byte[isLast ? source.remaining() / 2 : source.remaining()];
            source.get(bytes);
            content.written =
                    Arrays.copyOf(content.written, Math.max(content.written.length, (int) offset + bytes.length));
            System.arraycopy(bytes, 0, content.written, (int) offset, bytes.length);
            if (isLast) {
                end();
            }
        }

        @Override
        public void truncate(long length) throws IOException {
            checkOpen();
            step();
            content.written = Arrays.copyOf(content.written, (int) length);
        }

        @Override
        public void force() throws IOException {
            checkOpen();
            step();
            content.forced = content.written.clone();
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
