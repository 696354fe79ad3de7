package org.heapspan.spark.nativerdd;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.heapspan.BlockMapOutput;
import org.apache.spark.heapspan.BlockShuffle;
import org.apache.spark.heapspan.TaskFile;
import org.apache.spark.heapspan.TaskMemory;
import org.apache.spark.util.TaskCompletionListener;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import org.heapspan.nativerdd.NativeWorker;
import org.heapspan.nativerdd.RunningStage;
import org.heapspan.nativerdd.TaskHost;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/**
 * A stage of a native program in a task of Spark: an iterator of the batches that it emits, or what writes a map output. Frees all that it holds at the end
 * of its work, or of the task. For one thread, which need not be that of the task: {@code pipe} reads its input in a thread of its own, which may be
 * within this stage when the task ends. So the end waits until the stage has left the program, which sees that it is cancelled.
 */
final class StageRun extends AbstractIterator<RddBatch>
        implements TaskHost, TaskCompletionListener, BlockShuffle.MapSide {

    /** Begins to read an input. */
    interface Input {
        Iterator<RddBatch> iterator();
    }

    /** What a stage runs. */
    interface Code {
        /** What the code has captured, to be closed after the stage. */
        NativeBatch openCaptures();

        /**
         * Makes the stage.
         *
         * @param worker the process that it runs in; null for this one
         */
        RunningStage open(
                int partition,
                int attempt,
                int inputs,
                NativeBatch captures,
                TaskHost host,
                @Nullable NativeWorker worker);

        /** Broadcasts and accumulators. */
        SharedValues shared();
    }

    /** A level takes 2 to 4 KB of the stack, and what kernels have on it; threads of tasks have 1 MB. */
    private static final int MOST_STAGES_AT_ONCE = 100;

    /** A setting for benchmarks only. */
    private static final String ON_HEAP = "spark.benchmark.native.onHeap";

    /** How many stages are running in a thread, each within the next one. */
    private static final ThreadLocal<int[]> DEPTH = ThreadLocal.withInitial(() -> new int[1]);

    private final TaskContext context;
    private final Code code;
    private final int partition;
    private final boolean inWorker;
    private final List<Input> inputs;
    private final List<@Nullable Iterator<RddBatch>> iterators = new ArrayList<>();
    private final TaskMemory memory;
    private final boolean onHeap = SparkEnv.get().conf().getBoolean(ON_HEAP, false);

    private final Emitted emitted;
    private final Map<Long, RddBatch> loans = new HashMap<>();
    private final Map<Long, TaskFile> spills = new HashMap<>();
    private final Map<Long, NativeBatch> broadcasts = new HashMap<>();
    private long lastNumber;

    /** Held while this is at work. */
    private final ReentrantLock atWork = new ReentrantLock();

    /** The thread that was at work last. */
    private volatile @Nullable Thread reader;

    /** Whether the task has ended. */
    private volatile boolean ended;

    private @Nullable NativeBatch captures;
    private @Nullable RunningStage stage;
    private @Nullable BlockMapOutput output;
    private boolean done;

    /**
     * A stage of a task.
     *
     * @param afterCrash whether an executor has ended in an earlier attempt at this stage
     */
    StageRun(Code code, int partition, List<Input> inputs, TaskContext context, boolean afterCrash) {
        this.code = code;
        this.partition = partition;
        // The first attempt may have ended an executor; then this one must not.
        inWorker = afterCrash || context.attemptNumber() > 0;
        this.inputs = inputs;
        this.context = context;
        memory = new TaskMemory(context);
        emitted = new Emitted(context);
        inputs.forEach(input -> iterators.add(null));
        context.addTaskCompletionListener(this);
    }

    private void begin() {
        atWork.lock();
        reader = Thread.currentThread();
    }

    @Override
    public boolean hasNext() {
        begin();
        try {
            while (emitted.isEmpty() && !done) {
                if (!advance(opened())) {
                    finish();
                }
            }
            return !emitted.isEmpty();
        } finally {
            atWork.unlock();
        }
    }

    @Override
    public RddBatch next() {
        begin();
        try {
            if (!hasNext()) {
                throw new NoSuchElementException("the stage has emitted all batches");
            }
            return emitted.remove();
        } finally {
            atWork.unlock();
        }
    }

    @Override
    public void writeTo(BlockMapOutput target) {
        begin();
        try {
            output = target;
            RunningStage running = opened();
            while (advance(running)) {
                // A map side emits nothing, so there is nothing to take between two calls.
            }
            finish();
        } finally {
            atWork.unlock();
        }
    }

    /** Each stage that feeds this one runs within this call. A stack that overflows in native code would end the JVM. */
    private boolean advance(RunningStage stage) {
        int[] depth = DEPTH.get();
        if (depth[0] == MOST_STAGES_AT_ONCE) {
            throw new NativeProgramException(
                    "more than " + MOST_STAGES_AT_ONCE
                            + " stages feed each other without a shuffle; call checkpoint() in the loop that makes them, and an action");
        }
        depth[0]++;
        try {
            return stage.advance();
        } catch (NativeProgramException e) {
            // What ends a task that was killed is this.
            failIfEnded();
            throw e;
        } finally {
            depth[0]--;
        }
    }

    private RunningStage opened() {
        RunningStage open = stage;
        if (open == null) {
            if (done) {
                throw new IllegalStateException("the task has ended");
            }
            BatchLoan.sweep();
            BroadcastMemory.sweep();
            NativeBatch captured = code.openCaptures();
            captures = captured;
            open = code.open(
                    partition,
                    context.attemptNumber(),
                    inputs.size(),
                    captured,
                    this,
                    inWorker ? TaskWorker.of(context) : null);
            stage = open;
        }
        return open;
    }

    @Override
    public void onTaskCompletion(TaskContext task) {
        ended = true;
        if (!atWork.tryLock()) {
            Thread other = reader;
            if (other != null) {
                // It may wait for what will not come any more.
                other.interrupt();
            }
            atWork.lock();
        }
        try (emitted) {
            finish();
        } finally {
            atWork.unlock();
        }
    }

    /** Frees what the stage holds, but for the batches that it has emitted. */
    private void finish() {
        boolean first = !done;
        done = true;
        RunningStage open = stage;
        stage = null;
        try {
            if (open != null) {
                open.close();
            }
        } finally {
            loans.values().forEach(BatchLoan::giveBack);
            loans.clear();
            // Those that a process that ended has left.
            spills.values().forEach(this::delete);
            spills.clear();
            broadcasts.values().forEach(NativeBatch::close);
            broadcasts.clear();
            if (captures != null) {
                captures.close();
                captures = null;
            }
            if (first) {
                context.taskMetrics().incPeakExecutionMemory(memory.peakBytes());
            }
            memory.release(Long.MAX_VALUE);
        }
    }

    /**
     * What one call of the stage has emitted, and nobody has taken. Most calls end after a few megabytes; but a kernel may make much of one element. What
     * memory is refused for is in a file, behind what is in memory. Nothing is added before all of the file has been taken.
     */
    static final class Emitted implements AutoCloseable {
        /** Is not asked for. */
        static final long FREE_BYTES = 16 << 20;

        private final TaskContext context;
        private final TaskMemory memory;
        private final ArrayDeque<RddBatch> batches = new ArrayDeque<>();
        private long heldBytes;
        private @Nullable TaskFile file;
        private long filed;

        Emitted(TaskContext context) {
            this.context = context;
            memory = new TaskMemory(context);
        }

        boolean isEmpty() {
            return batches.isEmpty() && filed == 0;
        }

        void add(RddBatch batch) {
            if (batch.isOnHeap()) {
                batches.add(batch);
                return;
            }
            long sizeBytes = batch.memory().sizeBytes();
            if (filed == 0 && (heldBytes + sizeBytes <= FREE_BYTES || memory.reserve(sizeBytes))) {
                heldBytes += sizeBytes;
                batches.add(batch);
                return;
            }
            try (batch) {
                TaskFile target = file == null ? new TaskFile() : file;
                file = target;
                BatchSerializer.write(target.output(), false, batch.memory().address(), sizeBytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            filed++;
            context.taskMetrics().incMemoryBytesSpilled(sizeBytes);
        }

        RddBatch remove() {
            RddBatch batch = batches.poll();
            if (batch == null) {
                return read();
            }
            if (batches.isEmpty()) {
                heldBytes = 0;
                memory.release(Long.MAX_VALUE);
            }
            return batch;
        }

        private RddBatch read() {
            TaskFile source = file;
            if (source == null) {
                throw new NoSuchElementException("nothing was emitted");
            }
            try {
                RddBatch batch = BatchSerializer.read(source.input());
                if (batch == null) {
                    throw new EOFException("the spilled batches of a stage end before the last one; they are damaged");
                }
                filed--;
                if (filed == 0) {
                    deleteFile();
                }
                return batch;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void deleteFile() {
            if (file != null) {
                context.taskMetrics().incDiskBytesSpilled(file.delete());
                file = null;
            }
        }

        @Override
        public void close() {
            batches.forEach(RddBatch::close);
            batches.clear();
            filed = 0;
            deleteFile();
            memory.release(Long.MAX_VALUE);
        }
    }

    private void failIfEnded() {
        if (ended) {
            throw new TaskKilledException("the task has ended, and another thread still reads its input");
        }
        context.killTaskIfInterrupted();
    }

    @Override
    public long nextBatch(int input) {
        failIfEnded();
        Iterator<RddBatch> iterator = iterators.get(input);
        if (iterator == null) {
            iterator = inputs.get(input).iterator();
            iterators.set(input, iterator);
        }
        if (!iterator.hasNext()) {
            return -1;
        }
        RddBatch batch = BatchLoan.take(iterator.next());
        loans.put(++lastNumber, batch);
        return lastNumber;
    }

    @Override
    public long batchAddress(long batch) {
        return loan(batch).memory().address();
    }

    @Override
    public long batchSizeBytes(long batch) {
        return loan(batch).memory().sizeBytes();
    }

    private RddBatch loan(long batch) {
        RddBatch loan = loans.get(batch);
        if (loan == null) {
            throw new NativeProgramException("a stage uses the batch " + batch + " after it has given it back");
        }
        return loan;
    }

    @Override
    public void releaseBatch(long batch) {
        RddBatch loan = loans.remove(batch);
        if (loan != null) {
            BatchLoan.giveBack(loan);
        }
    }

    @Override
    public void rewindInput(int input) {
        iterators.set(input, null);
    }

    @Override
    public void emitBatch(long address, long sizeBytes) {
        NativeBatch batch = NativeBatch.adopt(address, sizeBytes);
        try {
            // One call of a stage may emit for long.
            failIfEnded();
        } catch (Throwable e) {
            batch.close();
            throw e;
        }
        emitted.add(onHeap ? RddBatch.onHeap(batch) : new RddBatch(batch));
    }

    @Override
    public void writeMapOutput(int reducer, long address, long sizeBytes) {
        failIfEnded();
        BlockMapOutput target = output;
        if (target == null) {
            throw new NativeProgramException("a stage that is no map side writes a map output");
        }
        try {
            BatchSerializer.write(target.streamFor(reducer), target.isCompressed(), address, sizeBytes);
            target.countRecord();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean reserveMemory(long sizeBytes) {
        boolean granted = memory.reserve(sizeBytes);
        // Spark may have dropped cached partitions to make room.
        BatchLoan.sweep();
        return granted;
    }

    @Override
    public void releaseMemory(long sizeBytes) {
        memory.release(sizeBytes);
    }

    @Override
    public long createSpill() {
        try {
            spills.put(++lastNumber, new TaskFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return lastNumber;
    }

    private TaskFile spill(long number) {
        TaskFile spill = spills.get(number);
        if (spill == null) {
            throw new NativeProgramException("a stage uses the spill " + number + " after it has deleted it");
        }
        return spill;
    }

    @Override
    public void writeSpill(long spill, long address, long sizeBytes) {
        failIfEnded();
        try {
            NativeBatch.write(address, sizeBytes, spill(spill).output());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        context.taskMetrics().incMemoryBytesSpilled(sizeBytes);
    }

    @Override
    public void readSpill(long spill, long address, long sizeBytes) {
        try {
            NativeBatch.read(address, sizeBytes, spill(spill).input());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void deleteSpill(long spill) {
        TaskFile deleted = spills.remove(spill);
        if (deleted != null) {
            delete(deleted);
        }
    }

    private void delete(TaskFile spill) {
        context.taskMetrics().incDiskBytesSpilled(spill.delete());
    }

    @Override
    public boolean isCancelled() {
        return ended || context.isInterrupted();
    }

    @Override
    public long broadcastAddress(long broadcast) {
        return broadcasts.computeIfAbsent(broadcast, code.shared()::broadcast).address();
    }

    @Override
    public long broadcastSizeBytes(long broadcast) {
        return broadcasts.computeIfAbsent(broadcast, code.shared()::broadcast).sizeBytes();
    }

    @Override
    public void accumulate(long accumulator, long bits) {
        code.shared().accumulate(accumulator, bits);
    }
}
