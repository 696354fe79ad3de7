package org.heapspan.nativerdd;

/** A stage that runs in this process. */
final class NativeStage implements RunningStage {
    private final TaskHost host;
    private final String where;
    private long stage;
    private boolean done;

    private NativeStage(TaskHost host, String where, long stage) {
        this.host = host;
        this.where = where;
        this.stage = stage;
    }

    static NativeStage open(long table, String program, StageTask task, TaskHost host) {
        String where = "native program " + program + ", partition " + task.partition() + " of " + task.operators();
        byte[] error = new byte[BoundaryLibrary.ERROR_BYTES];
        long[] values = {
            task.kernel(),
            task.partition(),
            task.attempt(),
            task.inputs(),
            task.outputPartitions(),
            task.captures().address(),
            task.captures().sizeBytes(),
            task.freeStorageBytes(),
            0
        };
        int status = BoundaryLibrary.openStage(table, host, values, error);
        if (status != BoundaryLibrary.OK) {
            throw NativeProgram.failure(status, where, error);
        }
        return new NativeStage(host, where, values[BoundaryLibrary.STAGE]);
    }

    @Override
    public boolean advance() {
        if (done) {
            return false;
        }
        if (stage == 0) {
            throw new IllegalStateException("the stage is closed");
        }
        byte[] error = new byte[BoundaryLibrary.ERROR_BYTES];
        // Also if it fails, it must not be called again.
        done = true;
        int status = BoundaryLibrary.advanceStage(stage, host, error);
        if (status != BoundaryLibrary.OK && status != BoundaryLibrary.END) {
            throw NativeProgram.failure(status, where, error);
        }
        done = status == BoundaryLibrary.END;
        return !done;
    }

    @Override
    public void close() {
        long closed = stage;
        stage = 0;
        done = true;
        if (closed != 0) {
            BoundaryLibrary.closeStage(closed, host);
        }
    }
}
