package org.heapspan.tests.conformance;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One side of a pair: which Java, with which options.
 *
 * @param javaFeature 17, 21 or 25
 * @param label short name of the options, part of test names
 * @param options options of the JVM
 */
public record JvmSide(int javaFeature, String label, List<String> options) {

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
