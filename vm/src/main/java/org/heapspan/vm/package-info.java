/**
 * What a stock HotSpot lets us know and do: the door to raw object memory and the facts about the running JVM.
 *
 * <p>Every assumption about HotSpot sits here or in {@code native/src/vm}, names the HotSpot source file and the JDK
 * range it relies on, is checked at start and has a fallback. Nothing here needs a flag on the command line, prints or
 * throws because a means of access is missing: that is a {@link org.heapspan.vm.Finding}.
 */
@NullMarked
package org.heapspan.vm;

import org.jspecify.annotations.NullMarked;
