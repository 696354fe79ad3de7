/** Heapspan: moves Java object graphs between unmodified JVMs as object images. */
@NullMarked
package org.heapspan;

import org.jspecify.annotations.NullMarked;
