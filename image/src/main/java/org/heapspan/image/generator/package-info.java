/**
 * Codecs as hidden classes, generated for classes that travel field by field.
 *
 * <p>Entry point: {@link CodecGenerator}; {@link CodecPlan} is what it knows of the class.
 *
 * <p>Invariants: generated code gives the same bytes and the same objects as {@code FieldCodec}. It needs raw memory. It names classes and members of
 * this module in strings: whoever moves or renames one changes the string, and {@code GeneratedCodeTest} tells.
 *
 * <p>Tests: {@code GeneratedCodeTest}, {@code ExpectationTest}, {@code RowReadingTest}.
 */
@NullMarked
package org.heapspan.image.generator;

import org.jspecify.annotations.NullMarked;
