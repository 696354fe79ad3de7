package org.heapspan.nativerdd;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/**
 * A process that runs stages of native programs for one task: if a kernel crashes, that process ends instead of this JVM. Batches are copied to it and
 * back through pipes. Memory, spills and output stay with the {@link TaskHost} in this JVM. For one thread at a time; stages may feed each other.
 */
public final class NativeWorker implements AutoCloseable {
    /** Whatever the program writes to standard output goes to standard error; what it reads from standard input is empty. */
    private static final String REDIRECT = "ulimit -c 0; exec 3>&1 4<&0 1>&2 0</dev/null; exec \"$@\"";

    private static final Set<String> OPTIONS_OF_OTHER_JVMS =
            Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private static final int FIRST_TO_ASK_FOR_NATIVE_ACCESS = 22;
    private static final int SECONDS_TO_END = 10;
    private static final int SIGNAL = 128;

    private final Process process;
    private final WorkerChannel channel;
    private final Path folder;
    private final Map<Integer, TaskHost> hosts = new HashMap<>();
    private int lastStage;
    private boolean closed;
    private @Nullable NativeProgramException death;

    private NativeWorker(Process process, Path folder) {
        this.process = process;
        this.folder = folder;
        channel = new WorkerChannel(process.getInputStream(), process.getOutputStream());
    }

    /**
     * Starts a process.
     *
     * @return the process, which has no program yet
     * @throws NativeProgramException if it cannot be started
     */
    public static NativeWorker start() {
        return start(System.getenv());
    }

    static NativeWorker start(Map<String, String> environment) {
        try {
            Path folder = Files.createTempDirectory("heapspan-worker");
            boolean started = false;
            try {
                NativeWorker worker = new NativeWorker(start(folder, environment), folder);
                started = true;
                return worker;
            } finally {
                if (!started) {
                    Files.delete(folder);
                }
            }
        } catch (IOException e) {
            throw new NativeProgramException("no process for a native program can be started: " + e.getMessage(), e);
        }
    }

    static Process start(Path folder, Map<String, String> environment) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                REDIRECT,
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + folder.resolve("crash")));
        if (Runtime.version().feature() >= FIRST_TO_ASK_FOR_NATIVE_ACCESS) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        for (String property : System.getProperties().stringPropertyNames()) {
            if (property.startsWith("heapspan.") || property.equals("java.io.tmpdir")) {
                command.add("-D" + property + "=" + System.getProperty(property));
            }
        }
        command.addAll(List.of("-cp", classPath(), WorkerMain.class.getName(), "/proc/self/fd/4", "/proc/self/fd/3"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        // A JVM does not start with two collectors, nor with more heap at first than at most.
        builder.environment().keySet().removeAll(OPTIONS_OF_OTHER_JVMS);
        return builder.start();
    }

    /** Where these classes are: in one jar, or in several. */
    private static String classPath() {
        Set<String> places = new LinkedHashSet<>();
        for (Class<?> each : List.of(WorkerMain.class, VirtualMachine.class)) {
            CodeSource source = each.getProtectionDomain().getCodeSource();
            if (source == null) {
                return System.getProperty("java.class.path");
            }
            places.add(Path.of(URI.create(source.getLocation().toString())).toString());
        }
        return String.join(File.pathSeparator, places);
    }

    /**
     * Makes a stage that runs in the process.
     *
     * @param file the program
     * @param buildId as for {@link NativeProgram#load(Path, String, String)}
     * @param name what messages call the program
     * @param task what it is
     * @param host what it calls
     * @return the stage
     * @throws NativeProgramException if the program failed, or the process has ended; what the host throws is thrown unchanged
     */
    public RunningStage openStage(Path file, String buildId, String name, StageTask task, TaskHost host) {
        int number = ++lastStage;
        String where = "native program " + name + ", partition " + task.partition() + " of " + task.operators();
        hosts.put(number, host);
        command(WorkerChannel.OPEN, number, where, () -> {
            channel.writeText(file.toString());
            channel.writeText(buildId);
            channel.writeText(name);
            channel.target().writeLong(task.kernel());
            channel.writeText(task.operators());
            channel.target().writeInt(task.partition());
            channel.target().writeInt(task.attempt());
            channel.target().writeInt(task.inputs());
            channel.target().writeInt(task.outputPartitions());
            channel.writeMemory(task.captures().address(), task.captures().sizeBytes());
            channel.target().writeLong(task.freeStorageBytes());
        });
        return new WorkerStage(number, where);
    }

    private final class WorkerStage implements RunningStage {
        private final int number;
        private final String where;
        private boolean done;
        private boolean ended;

        WorkerStage(int number, String where) {
            this.number = number;
            this.where = where;
        }

        @Override
        public boolean advance() {
            if (ended) {
                throw new IllegalStateException("the stage is closed");
            }
            if (!done) {
                // Also if it fails, it must not be called again.
                done = true;
                done = command(WorkerChannel.ADVANCE, number, where, () -> {}) != WorkerChannel.ENDED_WITH_MORE;
            }
            return !done;
        }

        @Override
        public void close() {
            if (!ended && !closed && death == null) {
                ended = true;
                command(WorkerChannel.CLOSE, number, where, () -> {});
                hosts.remove(number);
            }
            ended = true;
        }
    }

    /** What belongs to a message. */
    private interface Arguments {
        void write() throws IOException;
    }

    private int command(int command, int stage, String where, Arguments arguments) {
        if (closed) {
            throw new IllegalStateException("the worker is closed");
        }
        if (death != null) {
            throw death;
        }
        // The first exception counts: a program that failed may still release what it holds.
        Throwable thrown = null;
        try {
            channel.target().writeByte(command);
            channel.target().writeInt(stage);
            arguments.write();
            channel.target().flush();
            for (; ; ) {
                int next = channel.source().readUnsignedByte();
                switch (next) {
                    case WorkerChannel.ENDED, WorkerChannel.ENDED_WITH_MORE -> {
                        return next;
                    }
                    case WorkerChannel.PROGRAM_FAILED -> throw new NativeProgramException(channel.readText());
                    case WorkerChannel.HOST_FAILED ->
                        throw NativeWorker.<RuntimeException>unchanged(
                                thrown == null ? new IllegalStateException("the host did not fail") : thrown);
                    default -> {
                        Throwable now = answered(next);
                        thrown = thrown == null ? now : thrown;
                    }
                }
            }
        } catch (IOException e) {
            throw died(where);
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Hosts throw checked exceptions of Scala, too.
    private static <E extends Throwable> E unchanged(Throwable thrown) throws E {
        throw (E) thrown;
    }

    private @Nullable Throwable answered(int question) throws IOException {
        try {
            return answer(question);
        } catch (NativeProgramException e) {
            // There was no memory for what belongs to the question, which now is unread.
            death = e;
            throw e;
        }
    }

    /** Answers a question. Returns what the host has thrown, or null. */
    private @Nullable Throwable answer(int question) throws IOException {
        DataInputStream source = channel.source();
        TaskHost host = hosts.get(source.readInt());
        if (host == null) {
            throw new IOException("a question for a stage that is not there");
        }
        // All that is read is read before the host is called, which may throw.
        switch (question) {
            case WorkerChannel.NEXT_BATCH -> {
                int input = (int) source.readLong();
                return tell(() -> {
                    long number = host.nextBatch(input);
                    return () -> {
                        channel.target().writeBoolean(number >= 0);
                        if (number >= 0) {
                            channel.writeMemory(host.batchAddress(number), host.batchSizeBytes(number));
                            host.releaseBatch(number);
                        }
                    };
                });
            }
            case WorkerChannel.REWIND_INPUT -> {
                int input = (int) source.readLong();
                return tellNumber(() -> {
                    host.rewindInput(input);
                    return 0;
                });
            }
            case WorkerChannel.EMIT_BATCH -> {
                long sizeBytes = source.readLong();
                long address = readOwned(sizeBytes);
                return tellNumber(() -> {
                    host.emitBatch(address, sizeBytes);
                    return 0;
                });
            }
            case WorkerChannel.WRITE_MAP_OUTPUT -> {
                int partition = (int) source.readLong();
                try (NativeBatch memory = channel.readMemory()) {
                    return tellNumber(() -> {
                        host.writeMapOutput(partition, memory.address(), memory.sizeBytes());
                        return 0;
                    });
                }
            }
            case WorkerChannel.RESERVE_MEMORY -> {
                long sizeBytes = source.readLong();
                return tellNumber(() -> host.reserveMemory(sizeBytes) ? 1 : 0);
            }
            case WorkerChannel.RELEASE_MEMORY -> {
                long sizeBytes = source.readLong();
                return tellNumber(() -> {
                    host.releaseMemory(sizeBytes);
                    return 0;
                });
            }
            case WorkerChannel.CREATE_SPILL -> {
                return tellNumber(host::createSpill);
            }
            case WorkerChannel.WRITE_SPILL -> {
                long spill = source.readLong();
                try (NativeBatch memory = channel.readMemory()) {
                    return tellNumber(() -> {
                        host.writeSpill(spill, memory.address(), memory.sizeBytes());
                        return 0;
                    });
                }
            }
            case WorkerChannel.READ_SPILL -> {
                long spill = source.readLong();
                try (NativeBatch memory = NativeBatch.allocate(source.readLong())) {
                    return tell(() -> {
                        host.readSpill(spill, memory.address(), memory.sizeBytes());
                        return () -> NativeBatch.write(memory.address(), memory.sizeBytes(), channel.target());
                    });
                }
            }
            case WorkerChannel.DELETE_SPILL -> {
                long spill = source.readLong();
                return tellNumber(() -> {
                    host.deleteSpill(spill);
                    return 0;
                });
            }
            case WorkerChannel.IS_CANCELLED -> {
                return tellNumber(() -> host.isCancelled() ? 1 : 0);
            }
            case WorkerChannel.BROADCAST -> {
                long number = source.readLong();
                return tell(() -> {
                    long address = host.broadcastAddress(number);
                    long sizeBytes = host.broadcastSizeBytes(number);
                    return () -> channel.writeMemory(address, sizeBytes);
                });
            }
            case WorkerChannel.ACCUMULATE -> {
                long accumulator = source.readLong();
                long bits = source.readLong();
                return tellNumber(() -> {
                    host.accumulate(accumulator, bits);
                    return 0;
                });
            }
            default -> throw new IOException("the question " + question + " is unknown");
        }
    }

    /** What a host is asked. */
    private interface Question<T> {
        T ask();
    }

    private @Nullable Throwable tellNumber(Question<? extends Number> question) throws IOException {
        return tell(() -> {
            long number = question.ask().longValue();
            return () -> channel.target().writeLong(number);
        });
    }

    private @Nullable Throwable tell(Question<Arguments> question) throws IOException {
        Arguments answer;
        try {
            answer = question.ask();
        } catch (Throwable e) {
            channel.target().writeByte(WorkerChannel.THROWN);
            channel.target().flush();
            return e;
        }
        channel.target().writeByte(WorkerChannel.ANSWER);
        answer.write();
        channel.target().flush();
        return null;
    }

    /** Reads memory for a host, which will own it. */
    private long readOwned(long sizeBytes) throws IOException {
        long address = BoundaryLibrary.allocate(Math.max(sizeBytes, 1));
        if (address == 0) {
            throw new IOException("no memory for a batch of " + sizeBytes + " bytes");
        }
        try {
            NativeBatch.read(address, sizeBytes, channel.source());
        } catch (IOException e) {
            BoundaryLibrary.free(address);
            throw e;
        }
        return address;
    }

    /** Says what has happened to the process. It is asked once, for the stage that was at work; others are in their calls of hosts. */
    private NativeProgramException died(String where) {
        NativeProgramException known = death;
        if (known == null) {
            known = new NativeProgramException(where + ": the program " + howItEnded()
                    + ". This was in a process of its own, as an attempt of this task had failed before.");
            death = known;
        }
        return known;
    }

    private String howItEnded() {
        int exitCode = -1;
        try {
            if (process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
                exitCode = process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        CrashReport report = CrashReport.read(folder.resolve("crash"));
        if (report != null) {
            return "crashed: " + report.signal() + " at " + report.frame();
        }
        return switch (exitCode) {
            case -1 -> "does not answer any more";
            case SIGNAL + 4 -> "crashed: SIGILL";
            case SIGNAL + 6 -> "crashed: SIGABRT, as by abort() or a failed assertion; its standard error says more";
            case SIGNAL + 7 -> "crashed: SIGBUS";
            case SIGNAL + 8 -> "crashed: SIGFPE";
            case SIGNAL + 9 -> "was killed, perhaps as the system had no memory left";
            case SIGNAL + 11 -> "crashed: SIGSEGV, perhaps as its stack was full";
            default -> "ended its process with the exit code " + exitCode + "; its standard error may say more";
        };
    }

    /** Ends the process, also while it is at work: the call that waits for it fails. For any thread. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Ends the process. Its stages are closed without a call. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        process.destroyForcibly();
        hosts.clear();
        try {
            channel.source().close();
            Files.deleteIfExists(folder.resolve("crash"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
