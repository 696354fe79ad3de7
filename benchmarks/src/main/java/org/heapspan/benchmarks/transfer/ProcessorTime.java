package org.heapspan.benchmarks.transfer;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How long this JVM has kept processors busy, all its threads together. */
final class ProcessorTime {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ProcessorTime() {}

    static long nanos() {
        return SYSTEM.getProcessCpuTime();
    }
}
