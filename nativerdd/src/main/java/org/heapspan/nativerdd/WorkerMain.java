package org.heapspan.nativerdd;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** The process that {@link NativeWorker} starts: runs stages, and asks for what their tasks have. */
final class WorkerMain {
    /** More than threads of tasks have: a kernel that goes deep may succeed here. */
    private static final long STACK_BYTES = 64 << 20;

    private static final int STANDARD_ERROR = 2;

    private final WorkerChannel channel;
    private final Map<Integer, Stage> stages = new HashMap<>();

    private WorkerMain(WorkerChannel channel) {
        this.channel = channel;
    }

    /** Runs until the JVM that has started it closes the channel, or ends. */
    public static void main(String[] descriptors) throws IOException, InterruptedException {
        WorkerMain worker = new WorkerMain(
                new WorkerChannel(new FileInputStream(descriptors[0]), new FileOutputStream(descriptors[1])));
        keepFilesFromChildren();
        ProcessHandle.current().parent().ifPresent(WorkerMain::endWith);
        AtomicInteger exitCode = new AtomicInteger(1);
        Thread thread = new Thread(
                null,
                () -> {
                    worker.serve();
                    exitCode.set(0);
                },
                "native worker",
                STACK_BYTES);
        thread.start();
        thread.join();
        Runtime.getRuntime().halt(exitCode.get());
    }

    /** A process that a kernel has started and left would keep the channel open, and this process would seem to work on. */
    private static void keepFilesFromChildren() {
        for (String descriptor : Objects.requireNonNull(new File("/proc/self/fd").list())) {
            if (Integer.parseInt(descriptor) > STANDARD_ERROR) {
                BoundaryLibrary.closeOnExec(Integer.parseInt(descriptor));
            }
        }
    }

    /** A kernel that takes long does not see the end of the channel. */
    private static void endWith(ProcessHandle parent) {
        Thread watch = new Thread(
                () -> {
                    parent.onExit().join();
                    Runtime.getRuntime().halt(1);
                },
                "end of the parent");
        watch.setDaemon(true);
        watch.start();
    }

    private void serve() {
        try {
            for (int command = channel.source().read();
                    command >= 0;
                    command = channel.source().read()) {
                run(command);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(int command) throws IOException {
        int number = channel.source().readInt();
        int end;
        String message = "";
        try {
            end = switch (command) {
                case WorkerChannel.OPEN -> open(number);
                case WorkerChannel.ADVANCE ->
                    stage(number).running().advance() ? WorkerChannel.ENDED_WITH_MORE : WorkerChannel.ENDED;
                case WorkerChannel.CLOSE -> close(number);
                default -> throw new IOException("the worker of a native program got the command " + command);
            };
        } catch (HostThrew e) {
            end = WorkerChannel.HOST_FAILED;
        } catch (NativeProgramException e) {
            end = WorkerChannel.PROGRAM_FAILED;
            message = String.valueOf(e.getMessage());
        }
        channel.target().writeByte(end);
        if (end == WorkerChannel.PROGRAM_FAILED) {
            channel.writeText(message);
        }
        channel.target().flush();
    }

    private Stage stage(int number) {
        Stage stage = stages.get(number);
        if (stage == null) {
            throw new IllegalStateException("no stage " + number);
        }
        return stage;
    }

    private int open(int number) throws IOException {
        Path file = Path.of(channel.readText());
        String buildId = channel.readText();
        String name = channel.readText();
        long kernel = channel.source().readLong();
        String operators = channel.readText();
        int partition = channel.source().readInt();
        int attempt = channel.source().readInt();
        int inputs = channel.source().readInt();
        int outputPartitions = channel.source().readInt();
        NativeBatch captures = channel.readMemory();
        long freeStorageBytes = channel.source().readLong();
        RemoteTask task = new RemoteTask(number);
        try {
            RunningStage running = NativeProgram.load(file, buildId, name)
                    .openStage(
                            new StageTask(
                                    kernel,
                                    operators,
                                    partition,
                                    attempt,
                                    inputs,
                                    outputPartitions,
                                    captures,
                                    freeStorageBytes),
                            task);
            stages.put(number, new Stage(running, task, captures));
        } catch (RuntimeException e) {
            task.close();
            captures.close();
            throw e;
        }
        return WorkerChannel.ENDED;
    }

    private int close(int number) {
        Stage stage = stages.remove(number);
        if (stage != null) {
            try {
                stage.running().close();
            } finally {
                stage.task().close();
                stage.captures().close();
            }
        }
        return WorkerChannel.ENDED;
    }

    private record Stage(RunningStage running, RemoteTask task, NativeBatch captures) {}

    /** The other JVM keeps what its host has thrown. */
    private static final class HostThrew extends RuntimeException {
        private static final long serialVersionUID = 1L;

        HostThrew() {
            super("the task failed", null, false, false);
        }
    }

    /** The task of a stage; what it cannot do itself, it asks for. */
    private final class RemoteTask implements TaskHost {
        private final int stage;
        private final Map<Long, NativeBatch> lent = new HashMap<>();
        private final Map<Long, NativeBatch> broadcasts = new HashMap<>();
        private long lastBatch;

        RemoteTask(int stage) {
            this.stage = stage;
        }

        void close() {
            lent.values().forEach(NativeBatch::close);
            lent.clear();
            broadcasts.values().forEach(NativeBatch::close);
            broadcasts.clear();
        }

        /** What belongs to a question. */
        private interface Arguments {
            void write() throws IOException;
        }

        /** What belongs to an answer. */
        private interface Answer {
            long read() throws IOException;
        }

        private long ask(int question, Arguments arguments, Answer answer) {
            try {
                channel.target().writeByte(question);
                channel.target().writeInt(stage);
                arguments.write();
                channel.target().flush();
                int next = channel.source().readUnsignedByte();
                while (next != WorkerChannel.ANSWER && next != WorkerChannel.THROWN) {
                    run(next);
                    next = channel.source().readUnsignedByte();
                }
                if (next == WorkerChannel.THROWN) {
                    throw new HostThrew();
                }
                return answer.read();
            } catch (NativeProgramException e) {
                // What is left of the answer would be taken for the next command, so this process ends.
                throw new UncheckedIOException(new IOException("an answer finds no memory", e));
            } catch (IOException e) {
                // The JVM that has started this one is not there any more.
                throw new UncheckedIOException(e);
            }
        }

        private long ask(int question, Arguments arguments) {
            return ask(question, arguments, () -> channel.source().readLong());
        }

        private Arguments numbers(long... numbers) {
            return () -> {
                for (long each : numbers) {
                    channel.target().writeLong(each);
                }
            };
        }

        private Arguments memory(long number, long address, long sizeBytes) {
            return () -> {
                channel.target().writeLong(number);
                channel.writeMemory(address, sizeBytes);
            };
        }

        @Override
        public long nextBatch(int input) {
            return ask(WorkerChannel.NEXT_BATCH, numbers(input), () -> {
                if (!channel.source().readBoolean()) {
                    return -1;
                }
                lent.put(++lastBatch, channel.readMemory());
                return lastBatch;
            });
        }

        private NativeBatch lent(long number) {
            NativeBatch batch = lent.get(number);
            if (batch == null) {
                throw new NativeProgramException("a stage uses the batch " + number + " after it has given it back");
            }
            return batch;
        }

        @Override
        public long batchAddress(long batch) {
            return lent(batch).address();
        }

        @Override
        public long batchSizeBytes(long batch) {
            return lent(batch).sizeBytes();
        }

        @Override
        public void releaseBatch(long number) {
            NativeBatch batch = lent.remove(number);
            if (batch != null) {
                batch.close();
            }
        }

        @Override
        public void rewindInput(int input) {
            ask(WorkerChannel.REWIND_INPUT, numbers(input));
        }

        @Override
        public void emitBatch(long address, long sizeBytes) {
            try (NativeBatch batch = NativeBatch.adopt(address, sizeBytes)) {
                ask(WorkerChannel.EMIT_BATCH, () -> channel.writeMemory(batch.address(), sizeBytes));
            }
        }

        @Override
        public void writeMapOutput(int partition, long address, long sizeBytes) {
            ask(WorkerChannel.WRITE_MAP_OUTPUT, memory(partition, address, sizeBytes));
        }

        @Override
        public boolean reserveMemory(long sizeBytes) {
            return ask(WorkerChannel.RESERVE_MEMORY, numbers(sizeBytes)) != 0;
        }

        @Override
        public void releaseMemory(long sizeBytes) {
            ask(WorkerChannel.RELEASE_MEMORY, numbers(sizeBytes));
        }

        @Override
        public long createSpill() {
            return ask(WorkerChannel.CREATE_SPILL, numbers());
        }

        @Override
        public void writeSpill(long spill, long address, long sizeBytes) {
            ask(WorkerChannel.WRITE_SPILL, memory(spill, address, sizeBytes));
        }

        @Override
        public void readSpill(long spill, long address, long sizeBytes) {
            ask(WorkerChannel.READ_SPILL, numbers(spill, sizeBytes), () -> {
                NativeBatch.read(address, sizeBytes, channel.source());
                return sizeBytes;
            });
        }

        @Override
        public void deleteSpill(long spill) {
            ask(WorkerChannel.DELETE_SPILL, numbers(spill));
        }

        @Override
        public boolean isCancelled() {
            return ask(WorkerChannel.IS_CANCELLED, numbers()) != 0;
        }

        private NativeBatch broadcast(long number) {
            if (!broadcasts.containsKey(number)) {
                ask(WorkerChannel.BROADCAST, numbers(number), () -> {
                    broadcasts.put(number, channel.readMemory());
                    return number;
                });
            }
            return Objects.requireNonNull(broadcasts.get(number));
        }

        @Override
        public long broadcastAddress(long broadcast) {
            return broadcast(broadcast).address();
        }

        @Override
        public long broadcastSizeBytes(long broadcast) {
            return broadcast(broadcast).sizeBytes();
        }

        @Override
        public void accumulate(long accumulator, long bits) {
            ask(WorkerChannel.ACCUMULATE, numbers(accumulator, bits));
        }
    }
}
