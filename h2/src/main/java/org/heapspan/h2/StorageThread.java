package org.heapspan.h2;

import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Writes buffers to the storage, one after the other and off the threads of those who fill them (TeraHeap section 3.2: explicit asynchronous
 * writes of 2 MB). Those who fill buffers faster than they are written wait.
 */
final class StorageThread {
    /** The length of a buffer, but for regions that are shorter. */
    static final int BUFFER_BYTES = 2 << 20;

    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final Semaphore permits;
    private final ConcurrentLinkedDeque<ByteBuffer> idle = new ConcurrentLinkedDeque<>();
    private final Semaphore idleRoom;
    private final int bufferBytes;
    private final Runnable end = this::doNothing;
    private final Thread thread;

    /** Guarded by the queue. */
    private boolean closed;

    StorageThread(SecondHeapOptions options) {
        permits = new Semaphore(options.writeBuffers());
        idleRoom = new Semaphore(options.writeBuffers());
        bufferBytes = Math.min(BUFFER_BYTES, options.regionBytes());
        thread = new Thread(this::run, "heapspan-h2-storage");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    int bufferBytes() {
        return bufferBytes;
    }

    /** An empty buffer. */
    ByteBuffer takeBuffer() {
        ByteBuffer buffer = idle.pollLast();
        if (buffer == null) {
            return ByteBuffer.allocateDirect(bufferBytes);
        }
        idleRoom.release();
        return buffer.clear();
    }

    /** Takes back a buffer to which nobody refers any more. */
    void giveBack(ByteBuffer buffer) {
        if (idleRoom.tryAcquire()) {
            idle.addLast(buffer);
        }
    }

    /**
     * Queues a write; waits while there are as many as may be.
     *
     * @throws SecondHeapException if the heap has been closed
     */
    void write(Runnable task) {
        permits.acquireUninterruptibly();
        boolean accepted = false;
        try {
            accepted = later(() -> {
                try {
                    task.run();
                } finally {
                    permits.release();
                }
            });
        } finally {
            if (!accepted) {
                permits.release();
            }
        }
        if (!accepted) {
            throw SecondHeap.closed();
        }
    }

    /**
     * Queues something else, without waiting.
     *
     * @return false if the heap has been closed
     */
    boolean later(Runnable task) {
        synchronized (queue) {
            return !closed && queue.add(task);
        }
    }

    /** Ends the thread once all that is queued has been done, and waits for that. */
    void close() {
        synchronized (queue) {
            closed = true;
            queue.add(end);
        }
        boolean interrupted = false;
        while (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (true) {
            Runnable task = next();
            if (task == end) {
                return;
            }
            if (task != null) {
                runAndGoOn(task);
            }
        }
    }

    private static void runAndGoOn(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            // Each task tells those who wait for it by itself. Others wait for the tasks behind it, and for ever if the
            // thread ended here.
            logQuietly("a task of the second heap's storage failed", e);
        }
    }

    /** For threads that have to go on whatever happens. */
    static void logQuietly(String message, Throwable failure) {
        try {
            System.getLogger("org.heapspan").log(System.Logger.Level.WARNING, message, failure);
        } catch (Throwable e) {
            // As when memory is used up, which may be what the failure is, too.
            return;
        }
    }

    private void doNothing() {
        // The last task, which is known by its identity.
    }

    private @Nullable Runnable next() {
        try {
            return queue.take();
        } catch (InterruptedException | OutOfMemoryError e) {
            // Nobody has a reason to interrupt it, and on JDK 17 waiting takes memory; what is queued has to be
            // written all the same.
            return null;
        }
    }
}
