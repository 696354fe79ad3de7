package org.heapspan.image.type;

import java.util.ArrayList;
import java.util.List;

/**
 * A pattern of class names, as in {@code jdk.serialFilter}: a name, which brings the nested classes along, {@code Outer$*} for the
 * nested classes of a class alone, {@code package.*} for the classes of a package, {@code package.**} for those of its
 * subpackages too, {@code *} for all.
 *
 * @param prefix what the name begins with
 * @param kind how it goes on
 */
public record NamePattern(String prefix, Kind kind) {
    enum Kind {
        EXACT,
        /** No further dot follows. */
        PACKAGE,
        SUBPACKAGES
    }

    public static List<NamePattern> parseAll(List<String> patterns) {
        List<NamePattern> parsed = new ArrayList<>();
        for (String pattern : patterns) {
            parsed.add(parse(pattern));
        }
        return List.copyOf(parsed);
    }

    public static NamePattern parse(String pattern) {
        if (pattern.equals("*")) {
            return new NamePattern("", Kind.SUBPACKAGES);
        }
        int end = pattern.length();
        Kind kind = Kind.EXACT;
        if (pattern.endsWith(".**")) {
            end -= "**".length();
            kind = Kind.SUBPACKAGES;
        } else if (pattern.endsWith(".*") || pattern.endsWith("$*")) {
            end -= "*".length();
            kind = Kind.PACKAGE;
        }
        String prefix = pattern.substring(0, end);
        // The dot at the end of a package's prefix sets com.acme apart from com.acmeevil, the $ Order from OrderEvil.
        requireName(pattern, kind == Kind.EXACT ? prefix : prefix.substring(0, end - 1));
        return new NamePattern(prefix, kind);
    }

    /** Refuses what can be no name of a class or package, and would only seem to admit something. */
    private static void requireName(String pattern, String name) {
        boolean isName = !name.isEmpty() && !name.startsWith(".") && !name.endsWith(".") && !name.contains("..");
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            // What the JVM does not allow in names (JVMS 4.2), white space, and stars.
            isName &= !Character.isWhitespace(c) && "*;[/".indexOf(c) < 0;
        }
        if (!isName) {
            throw new IllegalArgumentException("'" + pattern + "' is not a pattern of class names, expected a name"
                    + " (com.acme.Order, with its nested classes), only its nested classes (com.acme.Order$*), one of them"
                    + " (com.acme.Order$Item), the classes of a package (com.acme.*), those of its subpackages too"
                    + " (com.acme.**) or all (*); a star is allowed only at the end, after a dot or a $");
        }
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

    public static boolean anyMatches(List<NamePattern> patterns, String className) {
        for (NamePattern pattern : patterns) {
            if (pattern.matches(className)) {
                return true;
            }
        }
        return false;
    }
}
