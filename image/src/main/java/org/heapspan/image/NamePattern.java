package org.heapspan.image;

import java.util.ArrayList;
import java.util.List;

/**
 * A pattern of class names, as in {@code jdk.serialFilter}: a name, {@code package.*} for the classes of a package,
 * {@code package.**} for those of its subpackages too, {@code *} for all.
 *
 * @param prefix what the name begins with
 * @param kind how it goes on
 */
record NamePattern(String prefix, Kind kind) {
    enum Kind {
        EXACT,
        PACKAGE,
        SUBPACKAGES
    }

    static List<NamePattern> parseAll(List<String> patterns) {
        List<NamePattern> parsed = new ArrayList<>();
        for (String pattern : patterns) {
            parsed.add(parse(pattern));
        }
        return List.copyOf(parsed);
    }

    static NamePattern parse(String pattern) {
        if (pattern.isBlank() || pattern.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException("'" + pattern + "' is no pattern of class names, expected for instance"
                    + " com.acme.Order, com.acme.* or com.acme.**");
        }
        if (pattern.endsWith("**")) {
            return new NamePattern(pattern.substring(0, pattern.length() - 2), Kind.SUBPACKAGES);
        }
        if (pattern.equals("*")) {
            return new NamePattern("", Kind.SUBPACKAGES);
        }
        if (pattern.endsWith(".*")) {
            return new NamePattern(pattern.substring(0, pattern.length() - 1), Kind.PACKAGE);
        }
        if (pattern.indexOf('*') >= 0) {
            throw new IllegalArgumentException("'" + pattern + "': a star may only stand at the end, after a dot");
        }
        return new NamePattern(pattern, Kind.EXACT);
    }

    boolean matches(String className) {
        return switch (kind) {
            // A class that is named brings its nested classes along.
            case EXACT ->
                className.equals(prefix) || className.startsWith(prefix) && className.charAt(prefix.length()) == '$';
            case PACKAGE -> className.startsWith(prefix) && className.indexOf('.', prefix.length()) < 0;
            case SUBPACKAGES -> className.startsWith(prefix);
        };
    }

    static boolean anyMatches(List<NamePattern> patterns, String className) {
        for (NamePattern pattern : patterns) {
            if (pattern.matches(className)) {
                return true;
            }
        }
        return false;
    }
}
