package org.heapspan.benchmarks.exchange;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What can be measured alone. */
enum Part {
    /** How long one call takes. */
    CALLS,
    /** How long the first byte of a long object takes. */
    FIRST,
    /** Published groups, connections, and object streams of small data sets. */
    JVMS,
    /** How many bytes come from another host in a second. */
    NETWORK,
    /** A client on another host. */
    KEEPERS,
    /** Values that come again. */
    VALUES,
    /** Object streams of data of the sizes that papers have. */
    PAPERS,
    /** Redis, with the same objects. */
    REDIS,
    /** How many requests a server answers. */
    METADATA,
    /** Servers that replicate their keys. */
    REPLICAS;

    /**
     * The parts of a list of names with commas.
     *
     * @throws IllegalArgumentException if there is no part of a name; the message lists them
     */
    static Set<Part> of(String names) {
        Set<Part> parts = EnumSet.noneOf(Part.class);
        for (String name : names.split(",", -1)) {
            parts.add(Arrays.stream(values())
                    .filter(part -> part.title().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("no part '" + name + "'; there are " + titles())));
        }
        return parts;
    }

    private static List<String> titles() {
        return Arrays.stream(values()).map(Part::title).toList();
    }

    private String title() {
        return name().toLowerCase(Locale.ROOT);
    }
}
