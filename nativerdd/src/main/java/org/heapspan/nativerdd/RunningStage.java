package org.heapspan.nativerdd;

/** A stage of a native program that runs in a task, in this process or in a worker. For one thread at a time. */
public interface RunningStage extends AutoCloseable {
    /**
     * Lets the stage work until it has emitted a batch, or is done.
     *
     * @return false if it is done
     * @throws NativeProgramException if the program failed; what the host throws is thrown unchanged
     * @throws IllegalStateException if the stage is closed
     */
    boolean advance();

    /** Ends the stage, which may release what it holds. Further calls do nothing. */
    @Override
    void close();
}
