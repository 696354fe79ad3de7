package org.apache.spark.heapspan;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Values that tell when they cannot be read; once, and nobody gets any of them afterwards. For one thread, but for closing. */
final class CheckedValues implements PartitionStorage.Values {
    private final PartitionStorage.Values values;
    private final Consumer<RuntimeException> unreadable;
    private @Nullable RuntimeException failure;

    CheckedValues(PartitionStorage.Values values, Consumer<RuntimeException> unreadable) {
        this.values = values;
        this.unreadable = unreadable;
    }

    @Override
    public boolean hasNext() {
        checkIntact();
        try {
            return values.hasNext();
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    @Override
    public Object next() {
        checkIntact();
        try {
            return values.next();
        } catch (RuntimeException e) {
            throw failed(e);
        }
    }

    private void checkIntact() {
        if (failure != null) {
            throw failure;
        }
    }

    private RuntimeException failed(RuntimeException e) {
        if (values.isLoss(e)) {
            failure = e;
            try {
                unreadable.accept(e);
            } catch (RuntimeException further) {
                e.addSuppressed(further);
            }
        }
        return e;
    }

    @Override
    public boolean isLoss(RuntimeException e) {
        return values.isLoss(e);
    }

    @Override
    public boolean isOfObjects(RuntimeException e) {
        return values.isOfObjects(e);
    }

    @Override
    public void close() {
        values.close();
    }
}
