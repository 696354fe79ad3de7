/**
 * The generator of codecs: one hidden class for each class that is written field by field.
 *
 * <p>Entry point: {@link CodecGenerator}; {@link CodecPlan} describes the class for it.
 *
 * <p>Invariants: generated code gives the same bytes and the same objects as {@code FieldCodec}. It needs raw memory. It names classes and members of
 * this module in strings. If you move or rename one, change the string. {@code GeneratedCodeTest} finds strings that are wrong.
 *
 * <p>Tests: {@code GeneratedCodeTest}, {@code ExpectationTest}, {@code RowReadingTest}.
 */
@NullMarked
package org.heapspan.image.generator;

import org.jspecify.annotations.NullMarked;
