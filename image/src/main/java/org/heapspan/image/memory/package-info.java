/**
 * How this module gets at memory, the stack and identity, whatever the JVM allows.
 *
 * <p>Entry points: {@link Access} (raw memory, or none), {@link IdentityTable} (numbers for objects), {@link StackRoom} (depth without overflow).
 *
 * <p>Invariants: everything works without raw memory, only slower. Nothing here knows the format of images.
 *
 * <p>Tests: {@code IdentityTableTest}, {@code StackLimitTest}, {@code LargerStackTest}, {@code ReflectionAccessTest}.
 */
@NullMarked
package org.heapspan.image.memory;

import org.jspecify.annotations.NullMarked;
