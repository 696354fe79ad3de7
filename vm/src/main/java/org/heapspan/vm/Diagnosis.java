package org.heapspan.vm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the findings about a JVM in the order a reader wants them. */
final class Diagnosis {
    /** JEP 472: the first JDK that warns of libraries loaded without leave. */
    private static final int FIRST_TO_WARN = 24;

    static final String ENABLE_NATIVE_ACCESS = "--enable-native-access=" + moduleName();

    private Diagnosis() {}

    private static String moduleName() {
        Module module = Diagnosis.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    static List<Finding> of(
            VirtualMachine machine,
            @Nullable CarverOpening opening,
            NativeLibrary.@Nullable Failure libraryFailure,
            @Nullable String unsafeFailure,
            @Nullable String factsFailure) {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding(
                "JVM",
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                System.getProperty("java.vm.vendor") + ", " + System.getProperty("os.name") + " "
                        + System.getProperty("os.arch"),
                ""));
        findings.add(means(machine.means()));
        if (libraryFailure != null) {
            findings.add(new Finding("native library", "not in use", libraryFailure.why(), libraryFailure.whatToDo()));
        }
        if (unsafeFailure != null) {
            findings.add(new Finding(
                    "sun.misc.Unsafe",
                    "not in use",
                    unsafeFailure,
                    "let the native library load; or start with --sun-misc-unsafe-memory-access=allow (JDK 23 and"
                            + " later) on a JDK that has module jdk.unsupported"));
        }
        findings.add(collector(machine.collector()));
        findings.add(layout(machine));
        findings.add(counter(machine, factsFailure));
        CpuFeatures cpu = machine.cpuFeatures();
        findings.add(new Finding(
                "CPU", cpu.avx512() ? "AVX-512" : cpu.avx2() ? "AVX2" : "scalar", "widest vectors found", ""));
        findings.add(directEngine(opening));
        Carver carver = opening == null ? null : opening.carver();
        if (carver != null) {
            findings.add(windows(carver.statistics()));
        }
        return List.copyOf(findings);
    }

    private static Finding directEngine(@Nullable CarverOpening opening) {
        if (opening == null) {
            return new Finding("direct engine", Finding.UNUSED, "no raw image has been read", "");
        }
        Carver carver = opening.carver();
        String wrong = carver == null ? null : carver.switchedOff();
        return wrong == null
                ? new Finding("direct engine", carver == null ? "off" : "on", opening.why(), opening.whatToDo())
                : new Finding("direct engine", "off", "switched off: " + wrong, "report this with the image");
    }

    private static Finding means(AccessMeans means) {
        String forced = System.getProperty(AccessMeans.PROPERTY);
        if (forced != null) {
            boolean best = means == AccessMeans.NATIVE_LIBRARY;
            return new Finding(
                    "means of access",
                    means.name(),
                    "forced by -D" + AccessMeans.PROPERTY + "=" + forced,
                    best ? "" : "remove -D" + AccessMeans.PROPERTY + " to use the best means there is");
        }
        if (means != AccessMeans.NATIVE_LIBRARY) {
            return new Finding("means of access", means.name(), "better means failed", "see the lines that follow");
        }
        return new Finding(
                "means of access",
                means.name(),
                Runtime.version().feature() < FIRST_TO_WARN
                        ? "needs no flags"
                        : "needs no flags; " + ENABLE_NATIVE_ACCESS + " avoids the JVM's warning about it",
                "");
    }

    private static Finding collector(Collector collector) {
        if (collector.movesOnlyInPauses()) {
            return new Finding("collector", collector.displayName(), "objects move in pauses only", "");
        }
        return new Finding(
                "collector",
                collector.displayName(),
                "objects can move at any time, so the direct engine cannot be used",
                "to use the direct engine, start the JVM with -XX:+UseG1GC, -XX:+UseParallelGC or -XX:+UseSerialGC");
    }

    private static Finding layout(VirtualMachine machine) {
        HeapLayout layout = machine.heapLayout();
        if (!layout.isKnown()) {
            return new Finding(
                    "heap layout", "unknown", "needs raw memory", "raw images need a better means of access");
        }
        StringBuilder why = new StringBuilder()
                .append(layout.referenceSizeBytes())
                .append("-byte references, ")
                .append(layout.objectHeaderSizeBytes())
                .append("-byte headers")
                .append(layout.compactHeaders() ? " (compact)" : "")
                .append(", alignment ")
                .append(layout.objectAlignmentBytes());
        HotSpotFacts facts = machine.hotSpotFacts();
        if (facts != null && facts.compressedReferences()) {
            why.append(", reference shift ")
                    .append(facts.referenceShift())
                    .append(", base 0x")
                    .append(Long.toHexString(facts.referenceBaseAddress()));
        }
        return new Finding("heap layout", String.format("%016x", layout.fingerprint()), why.toString(), "");
    }

    private static Finding windows(WindowStatistics statistics) {
        StringBuilder why = new StringBuilder();
        if (statistics.windows() != 0) {
            why.append("longest ").append(duration(statistics.longestNanos()));
            for (int i = 0; i < statistics.windowsByLength().size(); i++) {
                long count = statistics.windowsByLength().get(i);
                if (count != 0) {
                    why.append(", ").append(count).append(" from ").append(duration(1L << i));
                }
            }
        }
        statistics
                .declines()
                .forEach((reason, count) -> why.append(why.length() == 0 ? "" : ", ")
                        .append(count)
                        .append(" declined as ")
                        .append(reason));
        return new Finding("windows", Long.toString(statistics.windows()), why.toString(), "");
    }

    private static String duration(long nanos) {
        if (nanos < 10_000) {
            return nanos + " ns";
        }
        return nanos < 10_000_000 ? nanos / 1_000 + " us" : nanos / 1_000_000 + " ms";
    }

    private static Finding counter(VirtualMachine machine, @Nullable String factsFailure) {
        if (machine.collectionCounterAddress() != 0) {
            return new Finding("collection counter", "found", "CollectedHeap::_total_collections", "");
        }
        String why = factsFailure != null
                ? factsFailure
                : machine.collector().movesOnlyInPauses() ? "not in HotSpot's tables" : "of no use with this collector";
        String whatToDo = machine.means() == AccessMeans.NATIVE_LIBRARY ? "" : "let the native library load";
        return new Finding("collection counter", "not in use", why, whatToDo);
    }
}
