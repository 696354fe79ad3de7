/** A second heap on mapped storage, after TeraHeap: objects that the collector never scans and that cost next to nothing on the heap. */
@NullMarked
package org.heapspan.h2;

import org.jspecify.annotations.NullMarked;
