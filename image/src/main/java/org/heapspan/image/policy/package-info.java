/**
 * The policy: which codec a class gets, and which classes are refused.
 *
 * <p>Entry points: {@link ClassPolicy} decides; {@link PolicyCodecRegistry} remembers.
 *
 * <p>Invariants: the decision depends on the class, the mode and the builder's options alone. {@code docs/fidelity.md} is the policy in words.
 *
 * <p>Tests: {@code HeapspanTest}, {@code RefusalPathTest}, {@code EvolutionTest}, and the class comparison of the conformance tests.
 */
@NullMarked
package org.heapspan.image.policy;

import org.jspecify.annotations.NullMarked;
