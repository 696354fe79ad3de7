package org.heapspan.tests.direct;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.tests.conformance.JvmSide;
import org.heapspan.tests.direct.DirectEngineRun.Expected;

/** Under what the direct engine is run: what `./dev test` does daily, and all of it. */
final class DirectEngineMatrix {
    private static final JvmSide J17 = JvmSide.of(17);
    private static final JvmSide J21 = JvmSide.of(21);
    private static final JvmSide J25 = JvmSide.of(25);
    private static final List<String> COLLECTORS = List.of("G1", "Parallel", "Serial");

    private DirectEngineMatrix() {}

    /** Some seconds each. */
    static List<DirectEngineRun> daily() {
        List<DirectEngineRun> all = new ArrayList<>();
        all.add(DirectEngineRun.stress(based(verified(J17, "G1")), "threads=16", "gc", "churn")
                .withForeignImages());
        all.add(DirectEngineRun.stress(compactHeaders(verified(J25, "G1")), "threads=16", "gc", "churn", "virtual")
                .withForeignImages());
        all.add(DirectEngineRun.stress(verified(J25, "Parallel").with("wide", "-XX:-UseCompressedOops"), "threads=16")
                .withForeignImages());
        all.add(DirectEngineRun.stress(recorded(J17.with("G1", "-XX:+UseG1GC")), "threads=8", "inspect"));
        all.add(DirectEngineRun.stress(recorded(J25.with("G1", "-XX:+UseG1GC")), "threads=8", "inspect", "virtual"));
        all.add(broken(J25, "G1"));
        all.add(broken(J17, "Parallel"));
        all.add(hot(J25, 300_000));
        all.add(checkedJni(J17));
        all.add(lockedCollector(J17, "G1"));
        return all;
    }

    /** Hours, or minutes of the shortest kind. */
    static List<DirectEngineRun> full() {
        List<DirectEngineRun> all = new ArrayList<>();
        for (JvmSide java : List.of(J17, J25)) {
            for (String collector : COLLECTORS) {
                addWaysToLie(all, verified(java, collector));
                all.add(broken(java, collector));
            }
        }
        for (String collector : COLLECTORS) {
            addWaysToLie(all, compactHeaders(verified(J25, collector)));
            all.add(DirectEngineRun.stress(
                    verified(J25, collector).with("wide-class-words", "-XX:-UseCompressedClassPointers"), "gc"));
            all.add(DirectEngineRun.stress(verified(J21, collector), "gc", "churn"));
        }
        for (JvmSide java : List.of(J17, J25)) {
            for (String collector : COLLECTORS) {
                all.add(DirectEngineRun.stress(
                        recorded(java.with(collector, "-XX:+Use" + collector + "GC")), "threads=16", "inspect"));
                all.add(lockedCollector(java, collector));
            }
            all.add(DirectEngineRun.stress(
                    verified(java, "G1").with("interpreted", "-Xint"), "threads=16", "nodes=100", "churn"));
            all.add(DirectEngineRun.stress(verified(java, "G1").with("C1", "-XX:TieredStopAtLevel=1"), "churn"));
            all.add(hot(java, 5_000_000));
            all.add(hot(java.with("C1", "-XX:TieredStopAtLevel=1"), 1_500_000));
            all.add(hot(java.with("interpreted", "-Xint"), 200_000));
            all.add(checkedJni(java));
            all.add(epsilon(java));
            all.add(DirectEngineRun.stress(java.with("portable", "-Dheapspan.direct=false", "-Xmx160m"), "churn")
                    .expecting(Expected.DECLINES));
        }
        for (String collector : COLLECTORS) {
            all.add(lockedCollector(J21, collector));
        }
        all.add(DirectEngineRun.stress(
                J17.with("biased-locks", "-XX:+UseBiasedLocking", "-XX:BiasedLockingStartupDelay=0", "-Xmx160m"),
                "gc"));
        all.add(DirectEngineRun.stress(J17.with("no-tlab", "-XX:-UseTLAB", "-Xmx160m"), "gc"));
        all.add(DirectEngineRun.stress(verified(J25, "G1").with("no-tlab", "-XX:-UseTLAB"), "gc"));
        return all;
    }

    /** References of each form, at each place of the heap. */
    private static void addWaysToLie(List<DirectEngineRun> all, JvmSide jvm) {
        // A heap this small lies below 4 GB, where references are not shifted, unless it is told to lie elsewhere.
        all.add(DirectEngineRun.stress(jvm, arguments(jvm)).withForeignImages());
        all.add(DirectEngineRun.stress(jvm.with("shifted", "-XX:HeapBaseMinAddress=8g"), arguments(jvm)));
        all.add(DirectEngineRun.stress(based(jvm), arguments(jvm)).withForeignImages());
        all.add(DirectEngineRun.stress(jvm.with("wide", "-XX:-UseCompressedOops"), arguments(jvm))
                .withForeignImages());
        all.add(DirectEngineRun.stress(
                        jvm.with("align16", "-XX:ObjectAlignmentInBytes=16", "-XX:HeapBaseMinAddress=8g"),
                        arguments(jvm))
                .withForeignImages());
    }

    private static String[] arguments(JvmSide jvm) {
        return jvm.javaFeature() >= 21 ? new String[] {"gc", "churn", "virtual"} : new String[] {"gc", "churn"};
    }

    /** Beyond 32 GB references count from a base. */
    private static JvmSide based(JvmSide jvm) {
        return jvm.with("based", "-XX:HeapBaseMinAddress=40g");
    }

    private static JvmSide compactHeaders(JvmSide jvm) {
        return jvm.with("compact-headers", "-XX:+UseCompactObjectHeaders");
    }

    /** HotSpot itself verifies the heap before and after each collection. */
    private static JvmSide verified(JvmSide java, String collector) {
        JvmSide jvm = java.with(
                "verified-" + collector,
                "-Xmx128m",
                "-XX:+Use" + collector + "GC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+VerifyBeforeGC",
                "-XX:+VerifyAfterGC");
        return collector.equals("G1")
                ? jvm.with("marking", "-XX:InitiatingHeapOccupancyPercent=5", "-XX:+VerifyDuringGC")
                : jvm;
    }

    /** With a recording that samples old objects and looks for what keeps them. */
    private static JvmSide recorded(JvmSide java) {
        return java.with(
                "recorded",
                "-Xmx192m",
                // The archive of classes refers to classes that are not loaded yet, which heap dumps leave out.
                "-Xshare:off",
                "-XX:+UseStringDeduplication",
                "-XX:StringDeduplicationAgeThreshold=1",
                "-XX:StartFlightRecording:settings=profile,path-to-gc-roots=true,dumponexit=true,"
                        + "filename={directory}/" + Traces.RECORDING,
                "-Xlog:jfr+startup=error",
                "-Xlog:stringdedup=info:file={directory}/" + Traces.DEDUPLICATION);
    }

    /** Small heaps and many threads, where locking the collector is known to bring OutOfMemoryError (JDK-8192647, JDK-8308507). */
    private static DirectEngineRun lockedCollector(JvmSide java, String collector) {
        return DirectEngineRun.stress(
                java.with("small-" + collector, "-Xmx64m", "-XX:+Use" + collector + "GC"),
                "threads=32",
                "keep=1",
                "nodes=200",
                "litter=0");
    }

    private static DirectEngineRun broken(JvmSide java, String collector) {
        return new DirectEngineRun(verified(java, collector), BrokenImage.class, List.of(), Expected.CRASHES, false);
    }

    private static DirectEngineRun hot(JvmSide java, long count) {
        return new DirectEngineRun(
                java.with("hot", "-Xmx128m"), HotDecode.class, List.of("count=" + count), Expected.CARVES, false);
    }

    /** On JDK 17 and 21 it gives out copies of arrays. */
    private static DirectEngineRun checkedJni(JvmSide java) {
        return DirectEngineRun.stress(java.with("checked-JNI", "-Xcheck:jni", "-Xmx160m"), "threads=8", "churn")
                .expecting(java.javaFeature() >= 22 ? Expected.CARVES : Expected.DECLINES);
    }

    /** Nothing is ever freed, so that the run has to be short. */
    private static DirectEngineRun epsilon(JvmSide java) {
        return new DirectEngineRun(
                java.with("Epsilon", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx2g"),
                HotDecode.class,
                List.of("count=100000"),
                Expected.CARVES,
                false);
    }
}
