package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.image.graph.StringForm;

/** Strings of a raw image whose characters are in a later chunk, or that need another form in this JVM. Not thread-safe. */
final class RawStrings {
    private List<String> incomplete = new ArrayList<>(0);
    private final List<String> otherForm = new ArrayList<>(0);

    void clear() {
        incomplete.clear();
        otherForm.clear();
    }

    /** Lets a string be checked once its characters are there. */
    void checkLater(String string) {
        incomplete.add(string);
    }

    /** Lets a string get the form that this JVM wants, once its characters are there. */
    void convertLater(String string) {
        otherForm.add(string);
    }

    /**
     * Finishes the strings whose characters have come.
     *
     * @param allFilled false if the array of one of them may go on in the next chunk
     * @return whether none is left that is not in order
     */
    boolean settle(boolean allFilled) {
        if (!incomplete.isEmpty()) {
            List<String> left = new ArrayList<>(0);
            for (String string : incomplete) {
                if (!StringForm.isSound(string)) {
                    left.add(string);
                }
            }
            incomplete = left;
        }
        if (allFilled && incomplete.isEmpty() && !otherForm.isEmpty()) {
            otherForm.forEach(StringForm::convert);
            otherForm.clear();
        }
        return incomplete.isEmpty();
    }
}
