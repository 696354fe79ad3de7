package org.heapspan.vm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the findings about a JVM in the order a reader wants them. */
final class Diagnosis {
    private Diagnosis() {}

    static List<Finding> of(VirtualMachine machine, List<Finding> accessFindings, @Nullable String factsRejected) {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding(
                "JVM",
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                System.getProperty("java.vm.vendor") + ", " + System.getProperty("os.name") + " "
                        + System.getProperty("os.arch"),
                ""));
        findings.add(means(machine, accessFindings));
        findings.addAll(accessFindings);
        findings.add(collector(machine.collector()));
        findings.add(layout(machine));
        findings.add(counter(machine, factsRejected));
        CpuFeatures cpu = machine.cpuFeatures();
        findings.add(new Finding(
                "CPU", cpu.avx512() ? "AVX-512" : cpu.avx2() ? "AVX2" : "scalar", "widest vectors found", ""));
        return List.copyOf(findings);
    }

    private static Finding means(VirtualMachine machine, List<Finding> accessFindings) {
        String forced = System.getProperty(AccessMeans.PROPERTY);
        String why = forced != null ? "forced by -D" + AccessMeans.PROPERTY + "=" + forced : "";
        String whatToDo = "";
        if (machine.means() != AccessMeans.NATIVE_LIBRARY) {
            whatToDo = accessFindings.isEmpty()
                    ? "remove -D" + AccessMeans.PROPERTY + " to use the best means there is"
                    : "see the lines that follow";
            why = why.isEmpty() ? "better means failed" : why;
        } else if (why.isEmpty()) {
            why = "no flags needed";
        }
        return new Finding("means of access", machine.means().name(), why, whatToDo);
    }

    private static Finding collector(Collector collector) {
        if (collector.movesOnlyInPauses()) {
            return new Finding("collector", collector.displayName(), "objects move in pauses only", "");
        }
        return new Finding(
                "collector",
                collector.displayName(),
                "objects may move at any time, so Heapspan keeps to portable code",
                "for the fastest engine use -XX:+UseG1GC, -XX:+UseParallelGC or -XX:+UseSerialGC");
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

    private static Finding counter(VirtualMachine machine, @Nullable String factsRejected) {
        if (machine.collectionCounterAddress() != 0) {
            return new Finding("collection counter", "found", "CollectedHeap::_total_collections", "");
        }
        String why = factsRejected != null
                ? factsRejected
                : machine.collector().movesOnlyInPauses() ? "not in HotSpot's tables" : "of no use with this collector";
        String whatToDo = machine.means() == AccessMeans.NATIVE_LIBRARY ? "" : "let the native library load";
        return new Finding("collection counter", "not in use", why, whatToDo);
    }
}
