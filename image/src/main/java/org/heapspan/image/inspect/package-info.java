/**
 * The inspector: shows what is in an image, without loading its classes. For tools.
 *
 * <p>Entry point: {@link ImageInspector}, which gives an {@link InspectedImage}.
 *
 * <p>Invariants: accepts untrusted bytes. No other package of this module depends on this one.
 *
 * <p>Tests: {@code ImageInspectorTest}, and {@code InspectedCorpusTest} in the conformance tests.
 */
@NullMarked
package org.heapspan.image.inspect;

import org.jspecify.annotations.NullMarked;
