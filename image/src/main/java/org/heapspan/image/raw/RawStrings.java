package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.image.graph.StringForm;

/** Strings of a raw image that need another form in this JVM, once their characters are there. Not thread-safe. */
final class RawStrings {
    private final List<String> otherForm = new ArrayList<>(0);

    void clear() {
        otherForm.clear();
    }

    /** Lets a string get the form that this JVM wants. */
    void convertLater(String string) {
        otherForm.add(string);
    }

    /** Gives all strings the form that this JVM wants. */
    void convert() {
        otherForm.forEach(StringForm::convert);
        otherForm.clear();
    }
}
