package org.heapspan.spark.keys;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The driver's answer to a {@link KeysQuestion}: the next keys that the asker does not know, as many as fit into a message.
 *
 * @param firstNumber number of the first of the keys
 * @param keys in the order of their numbers
 * @param count how many keys have a number
 * @param full whether no further key gets one
 */
record KeysAnswer(int firstNumber, @Nullable List<String> keys, int count, boolean full) implements Serializable {}
