package org.heapspan.spark.types;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The driver's answer to a {@link TypesQuestion}: all types that the asker does not know, those among them that it asked for.
 *
 * @param firstNumber number of the first of the types
 * @param types in the order of their numbers
 * @param full whether no further type gets a number
 */
record TypesAnswer(int firstNumber, @Nullable List<TypeText> types, boolean full) implements Serializable {}
