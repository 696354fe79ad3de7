package org.heapspan.image.inspect;

import org.heapspan.image.format.PrintableText;

/** Texts out of an image in a form that does no harm to a terminal. */
final class InspectText {
    static final char ELLIPSIS = '\u2026';

    /** How long a value may be that is shown. */
    static final int VALUE_LIMIT_CHARS = 60;

    private static final int NAME_LIMIT_CHARS = 200;

    private InspectText() {}

    /** A class or field name, printable and not too long. */
    static String name(String name) {
        return PrintableText.of(
                name.length() <= NAME_LIMIT_CHARS ? name : name.substring(0, NAME_LIMIT_CHARS) + ELLIPSIS);
    }

    /** A class name as source code has it: {@code long[]} for {@code [J}. */
    static String className(String binaryName) {
        int dimensions = 0;
        while (dimensions < binaryName.length() && binaryName.charAt(dimensions) == '[') {
            dimensions++;
        }
        if (dimensions == 0 || dimensions > 255 || dimensions == binaryName.length()) {
            return name(binaryName);
        }
        String element = binaryName.substring(dimensions);
        String plain = switch (element.charAt(0)) {
            case 'Z' -> "boolean";
            case 'B' -> "byte";
            case 'S' -> "short";
            case 'C' -> "char";
            case 'I' -> "int";
            case 'J' -> "long";
            case 'F' -> "float";
            case 'D' -> "double";
            case 'L' -> element.substring(1, element.endsWith(";") ? element.length() - 1 : element.length());
            default -> element;
        };
        return name(plain) + "[]".repeat(dimensions);
    }

    static String quoted(String text) {
        return '"' + PrintableText.of(text) + '"';
    }
}
