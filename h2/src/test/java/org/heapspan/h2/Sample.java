package org.heapspan.h2;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Objects whose contents follow from a number, so that any copy can be checked. */
final class Sample {
    final long number;
    final String text;
    final List<Integer> values;
    transient String note;
    Sample next;

    Sample(long number) {
        this.number = number;
        text = "sample " + number;
        values = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            values.add((int) (number * 31 + i));
        }
        note = "note " + number;
    }

    static List<Sample> list(int from, int count) {
        List<Sample> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(new Sample(from + i));
        }
        return all;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Sample sample
                && number == sample.number
                && text.equals(sample.text)
                && values.equals(sample.values)
                && Objects.equals(note, sample.note);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return text;
    }
}
