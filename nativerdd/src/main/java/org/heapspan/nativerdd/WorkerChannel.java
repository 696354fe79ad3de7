package org.heapspan.nativerdd;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a JVM and its worker say to each other. The JVM commands: open, advance or close a stage. Until the command has ended, the worker may ask for
 * what {@link TaskHost} has; and the JVM, before it answers, may give further commands, for a stage that feeds the first one. So both sides always
 * know who speaks next. For one thread at a time on each side.
 */
final class WorkerChannel {
    // Commands, and how they end.
    static final int OPEN = 1;
    static final int ADVANCE = 2;
    static final int CLOSE = 3;
    static final int ENDED = 10;
    static final int ENDED_WITH_MORE = 11;
    static final int PROGRAM_FAILED = 12;
    static final int HOST_FAILED = 13;

    // Questions, and how they are answered.
    static final int NEXT_BATCH = 20;
    static final int REWIND_INPUT = 21;
    static final int EMIT_BATCH = 22;
    static final int WRITE_MAP_OUTPUT = 23;
    static final int RESERVE_MEMORY = 24;
    static final int RELEASE_MEMORY = 25;
    static final int CREATE_SPILL = 26;
    static final int WRITE_SPILL = 27;
    static final int READ_SPILL = 28;
    static final int DELETE_SPILL = 29;
    static final int IS_CANCELLED = 30;
    static final int BROADCAST = 31;
    static final int ACCUMULATE = 32;
    static final int ANSWER = 40;
    static final int THROWN = 41;

    private static final int BUFFER_BYTES = 128 << 10;

    private final DataInputStream source;
    private final DataOutputStream target;

    WorkerChannel(InputStream source, OutputStream target) {
        this.source = new DataInputStream(new BufferedInputStream(source, BUFFER_BYTES));
        this.target = new DataOutputStream(new BufferedOutputStream(target, BUFFER_BYTES));
    }

    DataInputStream source() {
        return source;
    }

    DataOutputStream target() {
        return target;
    }

    void writeText(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        target.writeInt(bytes.length);
        target.write(bytes);
    }

    String readText() throws IOException {
        return new String(source.readNBytes(source.readInt()), StandardCharsets.UTF_8);
    }

    /** Writes memory, behind its size. */
    void writeMemory(long address, long sizeBytes) throws IOException {
        target.writeLong(sizeBytes);
        NativeBatch.write(address, sizeBytes, target);
    }

    /** Reads memory that has its size in front of it. */
    NativeBatch readMemory() throws IOException {
        NativeBatch memory = NativeBatch.allocate(source.readLong());
        try {
            NativeBatch.read(memory.address(), memory.sizeBytes(), source);
        } catch (IOException | RuntimeException e) {
            memory.close();
            throw e;
        }
        return memory;
    }
}
