/**
 * Facts about classes: which fields are written, how an image describes a class, which JDK classes are vetted.
 *
 * <p>Entry points: {@link TypeDescription} (a class as an image describes it), {@link ClassFields} (a class's fields), {@link FieldAccess} (one field).
 *
 * <p>Invariants: this package does not read or write objects of an image. It does not load or initialize a class by examining it.
 *
 * <p>Tests: {@code EvolutionTest}, {@code DerivedObjectsTest}, {@code SerialNumbersTest}.
 */
@NullMarked
package org.heapspan.image.type;

import org.jspecify.annotations.NullMarked;
