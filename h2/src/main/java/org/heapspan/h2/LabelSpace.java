package org.heapspan.h2;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What is known of a label: its roots that wait to be moved, and its open region. */
final class LabelSpace {
    final Label label;

    /** Smaller than that of labels that were used later. */
    final long number;

    /** In which its next bytes go, or {@link Regions#NONE}; guarded by {@link Regions}. */
    int openRegion = Regions.NONE;

    /** Handles and appenders; guarded by the map of labels. */
    int users;

    /** Held by whoever moves it. */
    final Object moving = new Object();

    private final ArrayDeque<HandleState> tagged = new ArrayDeque<>();
    private int closedTagged;
    private long refusedRoots;

    LabelSpace(Label label, long number) {
        this.label = label;
        this.number = number;
    }

    /** Adds a root that waits to be moved. */
    synchronized void tag(HandleState state) {
        tagged.addLast(state);
    }

    /** Notes that a root which waits has been closed; it is not looked for, but after many of them all are. */
    synchronized void closedWhileTagged() {
        closedTagged++;
        if (closedTagged > 16 + tagged.size() / 2) {
            tagged.removeIf(HandleState::isClosed);
            closedTagged = 0;
        }
    }

    /** Takes all roots that wait. */
    synchronized List<HandleState> takeTagged() {
        List<HandleState> all = new ArrayList<>(tagged);
        tagged.clear();
        closedTagged = 0;
        return all;
    }

    synchronized boolean hasTagged() {
        return !tagged.isEmpty();
    }

    synchronized long taggedRoots() {
        return tagged.stream().filter(state -> !state.isClosed()).count();
    }

    synchronized void refused() {
        refusedRoots++;
    }

    synchronized long refusedRoots() {
        return refusedRoots;
    }
}
