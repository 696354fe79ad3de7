package org.heapspan.h2;

import org.heapspan.HeapspanException.Category;

/**
 * What HotSpot makes of SIGBUS in an access to a mapping, where the device could not deliver the page: an {@link InternalError}, thrown by the access or,
 * where that was compiled, by what the thread does soon after it.
 */
final class DeviceFault {
    /** In the messages of all versions from 17 to 25 (src/hotspot/share/runtime/javaThread.cpp). */
    private static final String MARK = "unsafe memory access";

    private DeviceFault() {}

    /**
     * The failure to throw instead: nothing but these bytes is lost.
     *
     * @param what could not be read
     * @throws InternalError the same, if it is another one
     */
    static SecondHeapException asFailure(InternalError error, String what) {
        if (!String.valueOf(error.getMessage()).contains(MARK)) {
            throw error;
        }
        return new SecondHeapException(
                Category.IO,
                what + " could not be read (" + error.getMessage()
                        + "); see the system's log for errors of the device, and check whether another program has"
                        + " changed the file",
                error);
    }
}
