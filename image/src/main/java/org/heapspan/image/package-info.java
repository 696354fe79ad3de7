/** Object graph to image and back: formats, encoders, decoders, type registry. */
@NullMarked
package org.heapspan.image;

import org.jspecify.annotations.NullMarked;
