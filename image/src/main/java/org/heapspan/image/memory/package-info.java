/**
 * Access to the memory of objects, identity of objects, and depth of the stack, with whatever the JVM allows.
 *
 * <p>Entry points: {@link Access} (raw memory, or none), {@link IdentityTable} (numbers for objects), {@link PlaceNumbers} and
 * {@link PlaceMarks} (the same for one record, while no object moves), {@link KeptBuffer} (bytes of images), {@link StackRoom} (depth without overflow).
 *
 * <p>Invariants: everything works without raw memory, but is slower. This package does not depend on the image format.
 *
 * <p>Tests: {@code IdentityTableTest}, {@code PlaceMarksTest}, {@code KeptBufferTest}, {@code IdentityStressTest}, {@code StackLimitTest}, {@code LargerStackTest}, {@code ReflectionAccessTest}.
 */
@NullMarked
package org.heapspan.image.memory;

import org.jspecify.annotations.NullMarked;
