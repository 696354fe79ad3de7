package org.heapspan.cli;

import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.vm.VirtualMachine;

/**
 * Has the direct engine make some objects, for a tenth of a second or less: a JVM that has just begun had no windows that could be told of.
 */
final class WindowTrial {
    /** The largest takes 260 KB, which fits into half a region of G1 in the smallest heaps. */
    private static final int[] STRING_COUNTS = {10, 500, 5_000};

    private static final int IMAGES_OF_EACH_SIZE = 200;

    private WindowTrial() {}

    /** Does nothing where there is no direct engine. */
    static void run() {
        if (VirtualMachine.current().carver() == null) {
            return;
        }
        Heapspan heapspan = Heapspan.create();
        for (int count : STRING_COUNTS) {
            String[] strings = new String[count];
            for (int i = 0; i < count; i++) {
                strings[i] = "record " + i;
            }
            byte[] image = heapspan.encode(strings, Encoding.RAW);
            for (int i = 0; i < IMAGES_OF_EACH_SIZE; i++) {
                String[] unused = heapspan.decodeTrusted(image, String[].class);
            }
        }
    }
}
