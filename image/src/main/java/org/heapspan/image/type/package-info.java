/**
 * What is known of classes: which fields travel, how images describe a class, what of the JDK is vetted.
 *
 * <p>Entry points: {@link TypeDescription} (a class as an image describes it), {@link ClassFields} (a class's fields), {@link FieldAccess} (one field).
 *
 * <p>Invariants: nothing here reads or writes objects of an image, and no class is loaded or initialized by looking at it.
 *
 * <p>Tests: {@code EvolutionTest}, {@code DerivedObjectsTest}, {@code SerialNumbersTest}.
 */
@NullMarked
package org.heapspan.image.type;

import org.jspecify.annotations.NullMarked;
