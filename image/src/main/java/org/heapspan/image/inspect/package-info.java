/**
 * What an image holds, without loading a class of it; for tools.
 *
 * <p>Entry point: {@link ImageInspector}, which gives an {@link InspectedImage}.
 *
 * <p>Invariants: untrusted bytes are welcome. Nothing of the rest of this module depends on this package.
 *
 * <p>Tests: {@code ImageInspectorTest}, and the inspected corpus of the conformance tests.
 */
@NullMarked
package org.heapspan.image.inspect;

import org.jspecify.annotations.NullMarked;
