package org.heapspan.tests.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One side of a pair: which Java, with which options.
 *
 * @param javaFeature 17, 21 or 25
 * @param label short name of the options, part of test names
 * @param options options of the JVM
 */
public record JvmSide(int javaFeature, String label, List<String> options) {

    private static final Map<Integer, Boolean> HAS_SHENANDOAH = new ConcurrentHashMap<>();

    /** Copies the options. */
    public JvmSide {
        options = List.copyOf(options);
    }

    /** A Java without options. */
    public static JvmSide of(int javaFeature) {
        return new JvmSide(javaFeature, "", List.of());
    }

    /** The same with more options. */
    public JvmSide with(String optionLabel, String... moreOptions) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(moreOptions));
        return new JvmSide(javaFeature, label.isEmpty() ? optionLabel : label + "+" + optionLabel, all);
    }

    /** The launcher, from the property {@code heapspan.jdk<feature>.home}; null where there is none. */
    public Path launcher() {
        String home = System.getProperty("heapspan.jdk" + javaFeature + ".home", "");
        if (home.isEmpty() && Runtime.version().feature() == javaFeature) {
            home = System.getProperty("java.home");
        }
        if (home.isEmpty()) {
            return null;
        }
        Path launcher = Path.of(home, "bin", "java");
        return Files.isExecutable(launcher) ? launcher : null;
    }

    /** Whether the JVM has the collector that its options name. All but one are in every build of HotSpot. */
    boolean hasItsCollector() {
        String option = "-XX:+UseShenandoahGC";
        return !options.contains(option) || HAS_SHENANDOAH.computeIfAbsent(javaFeature, feature -> accepts(option));
    }

    private boolean accepts(String option) {
        try {
            return new ProcessBuilder(launcher().toString(), option, "-version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while asking a JVM for its collectors", e);
        }
    }

    /** The options that decide how objects lie in the heap; two JVMs of one version with the same ones are laid out alike. */
    List<String> layoutOptions() {
        return options.stream()
                .filter(option -> option.matches(
                        ".*(UseCompressed|CompactObjectHeaders|ObjectAlignment|CompactStrings|UseZGC).*"))
                .toList();
    }

    /** Whether this JVM has a direct engine by its options; docs/support.md lists what takes it away. */
    boolean hasDirectEngine() {
        boolean oldDoor = javaFeature < 22;
        return options.stream()
                .noneMatch(option -> option.matches(
                        ".*(UseZGC|UseShenandoahGC|heapspan.direct=false|heapspan.access=(unsafe|reflection)|native-access=deny).*"
                                + (oldDoor ? "|.*(-UseCompressedClassPointers|-Xcheck:jni).*" : "")));
    }

    /** Whether nothing but reflection may be left to reach fields. */
    boolean isReflectionOnly() {
        return options.contains("-Dheapspan.access=reflection")
                || (options.contains("--illegal-native-access=deny")
                        && options.contains("--sun-misc-unsafe-memory-access=deny"));
    }

    @Override
    public String toString() {
        return label.isEmpty() ? "" + javaFeature : javaFeature + "(" + label + ")";
    }
}
