package org.apache.spark.heapspan;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Values that tell when they cannot be read; once, and nobody gets any of them afterwards. For one thread, but for closing. */
final class CheckedValues implements PartitionStorage.Values {
    private final PartitionStorage.Values values;
    private final Consumer<Throwable> unreadable;
    /** A {@link RuntimeException} or an {@link Error}. */
    private @Nullable Throwable failure;

    CheckedValues(PartitionStorage.Values values, Consumer<Throwable> unreadable) {
        this.values = values;
        this.unreadable = unreadable;
    }

    @Override
    public boolean hasNext() {
        checkIntact();
        try {
            return values.hasNext();
        } catch (RuntimeException | Error e) {
            noteLoss(e);
            throw e;
        }
    }

    @Override
    public Object next() {
        checkIntact();
        try {
            return values.next();
        } catch (RuntimeException | Error e) {
            noteLoss(e);
            throw e;
        }
    }

    private void checkIntact() {
        if (failure instanceof RuntimeException e) {
            throw e;
        } else if (failure instanceof Error e) {
            throw e;
        }
    }

    private void noteLoss(Throwable e) {
        if (values.isLoss(e)) {
            failure = e;
            try {
                unreadable.accept(e);
            } catch (Exception further) {
                // Spark's methods throw checked exceptions without saying so, as when the driver does not answer.
                e.addSuppressed(further);
                if (further instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Override
    public boolean isLoss(Throwable e) {
        return values.isLoss(e);
    }

    @Override
    public void close() {
        values.close();
    }
}
