package org.heapspan.vm;

import java.util.Objects;

/**
 * One line of a diagnosis: what was looked at, how it is, why, and what the user can do about it.
 *
 * @param subject what was looked at, such as {@code means of access}
 * @param state how it is, such as {@code SUN_UNSAFE}
 * @param why the reason, with the text of the exception if there was one; empty if the state explains itself
 * @param whatToDo the remedy; empty if the state is the best there is
 */
public record Finding(String subject, String state, String why, String whatToDo) {
    /** State of what is opened when something first needs it, and has not been needed. */
    public static final String UNUSED = "not used so far";

    public Finding {
        Objects.requireNonNull(subject, "subject");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(whatToDo, "whatToDo");
    }

    /** Whether nothing is left to do about the subject. */
    public boolean atItsBest() {
        return whatToDo.isEmpty();
    }
}
