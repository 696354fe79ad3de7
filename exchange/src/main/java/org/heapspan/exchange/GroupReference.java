package org.heapspan.exchange;

import java.io.Serializable;

/**
 * What an object stream carries instead of an object: where it is in the exchange space (ZCOT section 3.3: "the object's start address and the
 * data length").
 *
 * @param address of its group
 * @param sizeBytes length of its image
 */
record GroupReference(long address, long sizeBytes) implements Serializable {}
