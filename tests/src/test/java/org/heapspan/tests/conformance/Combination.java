package org.heapspan.tests.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Who sends to whom, by which codec.
 *
 * @param sender the encoding process
 * @param receiver the decoding process
 * @param codec name for {@link Codec#named(String)}
 * @param heavy whether the heavy cases are run too
 */
record Combination(JvmSide sender, JvmSide receiver, String codec, boolean heavy) {

    @Override
    public String toString() {
        return codec + " " + sender + "->" + receiver;
    }

    private static final JvmSide J17 = JvmSide.of(17);
    private static final JvmSide J21 = JvmSide.of(21);
    private static final JvmSide J25 = JvmSide.of(25);

    private static final List<String> COLLECTORS = List.of("G1", "Parallel", "Serial");

    /** Those that property {@code heapspan.tests.combinations} chooses, a pattern for their names; all without it. */
    static List<Combination> chosen(List<Combination> all) {
        Pattern names = Pattern.compile(System.getProperty("heapspan.tests.combinations", ""));
        return all.stream()
                .filter(each -> names.matcher(each.toString()).find())
                .toList();
    }

    /** What `./dev test` runs: both Java versions both ways and one of each other kind. */
    static List<Combination> daily() {
        List<Combination> all = new ArrayList<>();
        all.add(new Combination(J17, J17, "heapspan", false));
        all.add(new Combination(J25, J25, "heapspan", true));
        all.add(new Combination(J17, J25.with("no-coops", "-XX:-UseCompressedOops"), "heapspan", false));
        all.add(new Combination(J25, verified(J17, "Serial"), "heapspan", false));
        all.add(new Combination(
                compactHeaders().with("hashCode3", hashCode(3)), J17.with("Zgc", "-XX:+UseZGC"), "heapspan", false));
        all.add(new Combination(J17, reflection(J25).with("hashCode0", hashCode(0)), "heapspan", false));
        all.add(new Combination(reflection(J17), reflection(J17), "heapspan", false));
        all.add(new Combination(J25, J25.with("unsafe", "-Dheapspan.access=unsafe"), "heapspan:stream", false));
        all.add(new Combination(J25, J17.with("Xshare-off", "-Xshare:off"), "heapspan:group", false));
        all.add(new Combination(J25, J25, "heapspan:objects", false));
        all.add(new Combination(J25, J25, "heapspan:copy", false));
        all.add(new Combination(J21, J25, "heapspan", false));
        all.add(new Combination(J25, J25, "heapspan:raw", true));
        all.add(new Combination(J25, J17, "heapspan:raw", false));
        all.add(new Combination(
                J25.with("no-coops", "-XX:-UseCompressedOops").with("wide-strings", "-XX:-CompactStrings"),
                J17,
                "heapspan:raw",
                false));
        all.add(new Combination(
                J17, J25.with("align16", "-XX:ObjectAlignmentInBytes=16"), "heapspan:raw-group", false));
        all.add(new Combination(
                J17.with("wide-class-words", "-XX:-UseCompressedClassPointers"),
                compactHeaders(),
                "heapspan:raw",
                false));
        all.add(new Combination(
                compactHeaders(), J25.with("wide-strings", "-XX:-CompactStrings"), "heapspan:raw-stream", false));
        all.add(new Combination(J17, verified(J25, "Parallel"), "heapspan:raw", false));
        // Equal layouts on both sides: the direct engine reads, with class words taken over and rewritten.
        all.add(new Combination(J17, verified(J17, "Serial"), "heapspan:raw", false));
        all.add(new Combination(J25, verified(J25, "G1"), "heapspan:raw-group", false));
        all.add(new Combination(
                J25.with("Xshare-off", "-Xshare:off"), verified(J25, "Parallel"), "heapspan:raw", false));
        all.add(new Combination(compactHeaders(), verified(compactHeaders(), "G1"), "heapspan:raw", false));
        // C1 compiles for all of the others (PairRun); here nothing compiles Heapspan in the receiver, and both
        // compilers do in both.
        all.add(new Combination(J17, verified(interpretedHeapspan(J17), "Parallel"), "heapspan:raw", false));
        all.add(new Combination(J25, verified(interpretedHeapspan(J25), "Serial"), "heapspan:raw", false));
        all.add(new Combination(bothCompilers(J25), verified(bothCompilers(J25), "Parallel"), "heapspan:raw", false));
        all.add(new Combination(J25, J25.with("portable", "-Dheapspan.direct=false"), "heapspan:raw", false));
        all.add(new Combination(J25, epsilon(J25), "heapspan:raw", false));
        all.add(new Combination(shenandoah(J17), shenandoah(J25), "heapspan:raw", false));
        all.add(new Combination(J21, J21, "heapspan:raw", false));
        return all;
    }

    /** The whole matrix, for the soak run. */
    static List<Combination> full() {
        List<Combination> all = new ArrayList<>(daily());
        List<JvmSide> variants = new ArrayList<>();
        for (JvmSide java : List.of(J17, J25)) {
            variants.add(java);
            variants.add(java.with("no-coops", "-XX:-UseCompressedOops"));
            variants.add(java.with("align16", "-XX:ObjectAlignmentInBytes=16"));
            variants.add(java.with("Xshare-off", "-Xshare:off"));
            variants.add(java.with("G1", "-XX:+UseG1GC"));
            variants.add(java.with("Parallel", "-XX:+UseParallelGC"));
            variants.add(java.with("Serial", "-XX:+UseSerialGC"));
            variants.add(java.with("Zgc", "-XX:+UseZGC"));
            variants.add(shenandoah(java));
            variants.add(epsilon(java));
            variants.add(java.with("portable", "-Dheapspan.direct=false"));
            variants.add(java.with("scalar", "-Dheapspan.cpu=scalar"));
            variants.add(java.with("avx2", "-Dheapspan.cpu=avx2"));
            variants.add(interpreted(java));
            variants.add(onlyC1(java));
            variants.add(java.with("hashCode3", hashCode(3)));
            variants.add(java.with("hashCode0", hashCode(0)));
            for (String means : List.of("native", "unsafe", "reflection")) {
                variants.add(java.with(means, "-Dheapspan.access=" + means));
            }
        }
        variants.add(compactHeaders());
        variants.add(J25.with("unsafe-denied", "--sun-misc-unsafe-memory-access=deny"));
        variants.add(J25.with("native-denied", "--illegal-native-access=deny"));
        variants.add(J25.with("all-denied", "--illegal-native-access=deny", "--sun-misc-unsafe-memory-access=deny"));
        for (JvmSide each : variants) {
            for (JvmSide java : List.of(J17, J25)) {
                all.add(new Combination(java, each, "heapspan", false));
                all.add(new Combination(each, java, "heapspan", false));
                if (!each.isReflectionOnly()) {
                    all.add(new Combination(java, each, "heapspan:raw", false));
                    all.add(new Combination(each, java, "heapspan:raw", false));
                    all.add(new Combination(each, each, "heapspan:raw", false));
                }
            }
        }
        all.add(new Combination(J25, J21, "heapspan", false));
        all.add(new Combination(reflection(J25), J25, "heapspan:raw", false));
        for (String collector : COLLECTORS) {
            all.add(new Combination(verified(J17, collector), verified(J25, collector), "heapspan", false));
            all.add(new Combination(verified(J25, collector), verified(J17, collector), "heapspan", false));
            all.add(new Combination(verified(J17, collector), verified(J25, collector), "heapspan:raw", false));
            all.add(new Combination(verified(J25, collector), verified(J17, collector), "heapspan:raw", false));
            addWaysToCompile(all, J17, collector);
            addWaysToCompile(all, J25, collector);
        }
        for (String route : List.of("stream", "file", "objects", "group", "copy")) {
            for (JvmSide java : List.of(J17, J25)) {
                all.add(new Combination(java, java, "heapspan:" + route, true));
                all.add(new Combination(java, reflection(java), "heapspan:" + route, false));
            }
        }
        return all.stream().distinct().toList();
    }

    /** Sends between JVMs that compile alike, and otherwise than usual, and between each of them and the usual one. */
    private static void addWaysToCompile(List<Combination> all, JvmSide java, String collector) {
        JvmSide usual = verified(java, collector);
        all.add(new Combination(usual, usual, "heapspan:raw", false));
        for (JvmSide each : List.of(onlyC1(java), interpreted(java))) {
            JvmSide verified = verified(each, collector);
            all.add(new Combination(verified, verified, "heapspan:raw", false));
            all.add(new Combination(usual, verified, "heapspan:raw", false));
            all.add(new Combination(verified, usual, "heapspan:raw", false));
        }
    }

    /**
     * Whether the direct engine of the receiver must make objects: raw images in memory of a heap that is laid out as the
     * receiver's. Streams may come in pieces that are not carved.
     */
    boolean mustCarve() {
        return isTrusted()
                && !codec.endsWith("-stream")
                && sender.javaFeature() == receiver.javaFeature()
                && sender.layoutOptions().equals(receiver.layoutOptions())
                && receiver.hasDirectEngine()
                && !sender.isReflectionOnly();
    }

    boolean isCopy() {
        return codec.endsWith(":copy");
    }

    /** Whether the receiver takes the bytes for trusted, so that no class is turned away. */
    boolean isTrusted() {
        return codec.startsWith("heapspan:raw");
    }

    /** Whether a side may be left with reflection as its only means of access. */
    boolean hasReflectionOnly() {
        return sender.isReflectionOnly() || receiver.isReflectionOnly();
    }

    private static JvmSide reflection(JvmSide java) {
        return java.with("reflection", "-Dheapspan.access=reflection");
    }

    private static JvmSide onlyC1(JvmSide java) {
        return java.with("C1", "-XX:TieredStopAtLevel=1");
    }

    private static JvmSide interpreted(JvmSide java) {
        return java.with("interpreted", "-Xint");
    }

    /** Heapspan and the classes that it generates are not compiled. What makes and compares graphs is, and takes a third of the time. */
    private static JvmSide interpretedHeapspan(JvmSide java) {
        return java.with(
                "interpreted-Heapspan",
                Stream.of("java", "jdk", "sun", "scala", "org.heapspan.tests")
                        .map(start -> "-XX:CompileCommand=compileonly," + start + ".*::*")
                        .toArray(String[]::new));
    }

    /** As any JVM without options compiles; in short runs only C1 does. */
    private static JvmSide bothCompilers(JvmSide java) {
        return java.with("C1+C2", "-XX:TieredStopAtLevel=4");
    }

    /**
     * HotSpot itself verifies the heap and what threads refer to before and after each collection, of which there are many. Its own tables of symbols, code and
     * classes take longer than both, and no copied object is in them.
     */
    private static JvmSide verified(JvmSide java, String collector) {
        return java.with(
                "verified-" + collector,
                "-XX:+Use" + collector + "GC",
                "-Xmn4m",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:+VerifyBeforeGC",
                "-XX:+VerifyAfterGC",
                "-XX:VerifySubSet=threads,heap");
    }

    private static JvmSide shenandoah(JvmSide java) {
        return java.with("Shenandoah", "-XX:+UseShenandoahGC");
    }

    /** Nothing is ever freed, so that the heap holds all that the corpus makes. */
    private static JvmSide epsilon(JvmSide java) {
        return java.with("Epsilon", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx4g");
    }

    private static JvmSide compactHeaders() {
        return J25.with("compact-headers", "-XX:+UseCompactObjectHeaders");
    }

    private static String[] hashCode(int generator) {
        return new String[] {"-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=" + generator};
    }
}
