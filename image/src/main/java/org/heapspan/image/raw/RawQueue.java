package org.heapspan.image.raw;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A ring buffer of objects that have a place in the object space and have not been written yet, in the order of their places. */
final class RawQueue {
    private static final int INITIAL_ENTRIES = 64;
    private static final int KEPT_ENTRIES = 1 << 14;

    private @Nullable Object[] objects = new Object[INITIAL_ENTRIES];
    private @Nullable RawForm[] forms = new RawForm[INITIAL_ENTRIES];
    private long[] places = new long[INITIAL_ENTRIES];
    private int head;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    void add(Object object, RawForm form, long place) {
        if (count == objects.length) {
            grow();
        }
        int at = head + count & objects.length - 1;
        objects[at] = object;
        forms[at] = form;
        places[at] = place;
        count++;
    }

    private void grow() {
        int old = objects.length;
        @Nullable Object[] newObjects = new Object[old * 2];
        @Nullable RawForm[] newForms = new RawForm[old * 2];
        long[] newPlaces = new long[old * 2];
        int first = old - head;
        System.arraycopy(objects, head, newObjects, 0, first);
        System.arraycopy(objects, 0, newObjects, first, head);
        System.arraycopy(forms, head, newForms, 0, first);
        System.arraycopy(forms, 0, newForms, first, head);
        System.arraycopy(places, head, newPlaces, 0, first);
        System.arraycopy(places, 0, newPlaces, first, head);
        objects = newObjects;
        forms = newForms;
        places = newPlaces;
        head = 0;
    }

    Object object() {
        Object object = objects[head];
        if (object == null) {
            throw new IllegalStateException("the queue is empty");
        }
        return object;
    }

    RawForm form() {
        RawForm form = forms[head];
        if (form == null) {
            throw new IllegalStateException("the queue is empty");
        }
        return form;
    }

    long place() {
        return places[head];
    }

    void remove() {
        objects[head] = null;
        forms[head] = null;
        head = head + 1 & objects.length - 1;
        count--;
    }

    void clear() {
        if (objects.length > KEPT_ENTRIES) {
            objects = new Object[INITIAL_ENTRIES];
            forms = new RawForm[INITIAL_ENTRIES];
            places = new long[INITIAL_ENTRIES];
        } else if (count > 0) {
            Arrays.fill(objects, null);
            Arrays.fill(forms, null);
        }
        head = 0;
        count = 0;
    }
}
