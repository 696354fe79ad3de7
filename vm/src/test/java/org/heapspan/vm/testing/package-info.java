/** Runs other JVMs from a test. */
@NullMarked
package org.heapspan.vm.testing;

import org.jspecify.annotations.NullMarked;
