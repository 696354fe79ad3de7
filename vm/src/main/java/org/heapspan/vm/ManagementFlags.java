package org.heapspan.vm;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * HotSpot's flags through the documented management interface: for JVMs without the native library.
 *
 * <p>Starting the management classes takes tens of milliseconds, so nobody asks before the answer is needed.
 */
final class ManagementFlags {
    private final HotSpotDiagnosticMXBean diagnostics;

    private ManagementFlags(HotSpotDiagnosticMXBean diagnostics) {
        this.diagnostics = diagnostics;
    }

    /** The collector, or {@link Collector#UNKNOWN} off HotSpot and in run-time images without {@code jdk.management}. */
    static Collector collector() {
        try {
            ManagementFlags flags = of();
            if (flags.isTrue("UseG1GC")) {
                return Collector.G1;
            } else if (flags.isTrue("UseParallelGC")) {
                return Collector.PARALLEL;
            } else if (flags.isTrue("UseSerialGC")) {
                return Collector.SERIAL;
            } else if (flags.isTrue("UseZGC")) {
                return Collector.Z;
            } else if (flags.isTrue("UseShenandoahGC")) {
                return Collector.SHENANDOAH;
            } else if (flags.isTrue("UseEpsilonGC")) {
                return Collector.EPSILON;
            }
        } catch (RuntimeException | LinkageError e) {
            // Unknown, and treated with the care an unknown collector needs.
        }
        return Collector.UNKNOWN;
    }

    /** {@code ObjectAlignmentInBytes}, or 0 if it cannot be found out. */
    static int objectAlignmentBytes() {
        try {
            return Integer.parseInt(of().value("ObjectAlignmentInBytes"));
        } catch (RuntimeException | LinkageError e) {
            return 0;
        }
    }

    private static ManagementFlags of() {
        HotSpotDiagnosticMXBean diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        if (diagnostics == null) {
            throw new UnsupportedOperationException("no HotSpotDiagnosticMXBean");
        }
        return new ManagementFlags(diagnostics);
    }

    private String value(String flag) {
        return diagnostics.getVMOption(flag).getValue();
    }

    private boolean isTrue(String flag) {
        try {
            return Boolean.parseBoolean(value(flag));
        } catch (IllegalArgumentException e) {
            return false; // a collector this JVM was built without
        }
    }
}
