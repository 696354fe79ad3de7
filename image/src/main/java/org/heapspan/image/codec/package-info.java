/**
 * Codecs written by hand: strings, boxes, arrays, enums, the collections of the JDK and of Scala, and values of the JDK.
 *
 * <p>Entry point: {@link BuiltInTypes}, the types that the format knows, with their tags. The codec of {@code HashMap} is in {@link MapCodecs}.
 *
 * <p>Invariants: a codec has no state. It validates what it reads. Tags never change their meaning.
 *
 * <p>Tests: {@code BuiltInTypesTest}, {@code ComparedCodecsTest}, {@code ImmutableCollectionCodecsTest}, {@code ContainerLimitsTest}. For maps
 * and sets that place entries by their hash: {@code HashContainerCases} in the conformance tests, and {@code SectionOrderTest} in {@code graph}.
 */
@NullMarked
package org.heapspan.image.codec;

import org.jspecify.annotations.NullMarked;
