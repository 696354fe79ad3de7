package org.heapspan.spark.keys;

import java.io.Serializable;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An executor asks the driver for keys that it does not know yet, and for numbers of keys that it has met often. Sent as {@code TypesQuestion} is.
 *
 * @param keys identity of the {@link DriverKeys} that are meant
 * @param knownCount the asker knows the keys with the numbers below this one
 * @param repeated keys that shall have a number
 */
public record KeysQuestion(
        @Nullable UUID keys, int knownCount, @Nullable List<String> repeated) implements Serializable {}
