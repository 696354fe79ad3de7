package org.heapspan.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an option names, one of a fixed number; implemented by enums. */
public interface Choice {
    /** The name of the constant. */
    String name();

    /** What one types to choose it. */
    default String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds those of some names.
     *
     * @param what each of them is, for the error
     * @throws IllegalArgumentException if there is none of a name; the message names all
     */
    static <C extends Choice> List<C> named(List<String> names, C[] all, String what) {
        return names.stream().map(name -> named(name, all, what)).toList();
    }

    private static <C extends Choice> C named(String name, C[] all, String what) {
        for (C each : all) {
            if (each.optionName().equals(name)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no " + what + " '" + name + "'; there are: " + optionNames(all));
    }

    /** All their names. */
    static String optionNames(Choice[] all) {
        return Stream.of(all).map(Choice::optionName).collect(Collectors.joining(","));
    }
}
