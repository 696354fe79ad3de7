package org.heapspan.image.serialization;

import java.io.InvalidObjectException;
import java.io.ObjectInputValidation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What readObject methods have registered to be called once the root has been read. Not thread-safe. */
final class ObjectValidations {
    private final List<Validation> registered = new ArrayList<>();

    private record Validation(ObjectInputValidation validation, int priority) {}

    void add(@Nullable ObjectInputValidation validation, int priority) throws InvalidObjectException {
        if (validation == null) {
            throw new InvalidObjectException("null callback");
        }
        int index = 0;
        while (index < registered.size() && registered.get(index).priority() > priority) {
            index++;
        }
        registered.add(index, new Validation(validation, priority));
    }

    /** Runs what was registered, highest priority first, of equal ones the last first, as Java does. */
    void run() {
        while (!registered.isEmpty()) {
            Validation next = registered.remove(0);
            try {
                next.validation().validateObject();
            } catch (InvalidObjectException | RuntimeException e) {
                clear();
                throw HookCodec.hookFailure(next.validation().getClass(), "validateObject", e);
            }
        }
    }

    void clear() {
        registered.clear();
    }
}
