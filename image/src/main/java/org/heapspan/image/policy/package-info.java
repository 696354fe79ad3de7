/**
 * The policy: which codec a class gets, and which classes are refused.
 *
 * <p>Entry points: {@link ClassPolicy} decides; {@link PolicyCodecRegistry} remembers.
 *
 * <p>Invariants: the decision depends on the class, the mode and the builder's options alone. {@code docs/fidelity.md} is the policy in words.
 *
 * <p>Tests: {@code RefusalPathTest} and {@code HeapspanTest} in {@code org.heapspan}. In the conformance tests {@code RefusalCases} (what is refused, with
 * its path), {@code JdkClassesTest} (each public class of the JDK's base module) and, as a soak test, {@code ClassComparisonIT}.
 */
@NullMarked
package org.heapspan.image.policy;

import org.jspecify.annotations.NullMarked;
