/**
 * Values that many groups have in common (ZCOT section 5): they are in one group, to which the others refer. Knows nothing of connections. Internal.
 *
 * <p>Entry points: {@link SharedScope} finds the values of a graph that are shared already, {@link RepeatedValues} those that should be. {@link
 * SharedTrailer} is what a group says about the groups that it refers to.
 *
 * <p>Invariants: a shared value is found only by an equal value of the same class. A trailer can lie, and harms nothing but its own group.
 *
 * <p>Tests: {@code SharedTrailerTest}, {@code RepeatedValuesTest}, {@code SharedValuesTest}.
 */
@NullMarked
package org.heapspan.exchange.sharing;

import org.jspecify.annotations.NullMarked;
