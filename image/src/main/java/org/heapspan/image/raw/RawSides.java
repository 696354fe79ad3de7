package org.heapspan.image.raw;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.Link;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.IdentityTable;

/**
 * The side objects of a record that is being written: objects that copies refer to, and that cannot be copied themselves. All of them are
 * written in one section when every copy has its place.
 *
 * <p>If user code or a hash code takes part in reading a side object, the objects that it refers to must be complete. A copy is complete
 * when the side objects that it leads to have been read. So those of them that have not been written yet are written before such a
 * reference ({@link RawRequiredCodec}).
 */
final class RawSides {
    private static final int KEPT_SIDES = 1 << 12;

    private final ImageWriter writer;
    private final RawNumberedWriter copies;
    private final IdentityTable numbers = new IdentityTable(Access.ADDRESSES);
    private List<Object> objects = new ArrayList<>();
    private final BitSet begun = new BitSet();
    private int unbegun;

    /** Copies of which the side objects that they lead to have been written or begun, by number in the identity table. */
    private final BitSet settled = new BitSet();

    /** Sections within which side objects stand that nothing needs at once. */
    private int depth;

    RawSides(ImageWriter writer, RawNumberedWriter copies) {
        this.writer = writer;
        this.copies = copies;
    }

    int count() {
        return objects.size();
    }

    /** The number of a side object within its record. */
    int numberOf(Object object) {
        int known = numbers.track(object);
        if (known < 0) {
            objects.add(object);
            return objects.size() - 1;
        }
        return known;
    }

    /** Whether an object is a side object of this record. */
    boolean contains(Object object) {
        return !objects.isEmpty() && numbers.find(object) >= 0;
    }

    void clear() {
        if (objects.isEmpty()) {
            return;
        }
        if (objects.size() > KEPT_SIDES) {
            objects = new ArrayList<>();
        } else {
            objects.clear();
        }
        numbers.clear();
        begun.clear();
        settled.clear();
    }

    /** Writes all side objects. */
    void write() {
        if (!objects.isEmpty()) {
            unbegun = objects.size();
            int outer = writer.beginSection();
            depth = writer.sectionDepth();
            for (int number = 0; number < objects.size(); number++) {
                if (!begun.get(number)) {
                    begin(number);
                    writer.writeReference(objects.get(number));
                }
            }
            writer.writeNumber(RawFormat.SIDES_END);
            writer.endSection(outer);
        } else {
            writer.writeNumber(RawFormat.SIDES_END);
        }
    }

    private void begin(int number) {
        begun.set(number);
        unbegun--;
        writer.writeNumber(number + 1L);
    }

    /** Writes a reference to a copy, and before it what the copy needs to be complete. */
    void writeReferenceToCopy(int copy, int index) {
        if (unbegun == 0 || writer.sectionDepth() == depth || settled.get(copy)) {
            writePlain(index);
            return;
        }
        BitSet visited = new BitSet();
        List<Integer> required = required(copy, visited);
        if (required.isEmpty()) {
            writePlain(index);
        } else {
            writer.writeTagByte(RawFormat.TAG_REQUIRED);
            for (int number : required) {
                // It may have been written with one before it.
                if (!begun.get(number)) {
                    begin(number);
                    writer.writeSection(objects.get(number));
                }
            }
            writer.writeNumber(RawFormat.SIDES_END);
            writer.writeNumber(index);
        }
        settled.or(visited);
    }

    private void writePlain(int index) {
        writer.writeTagByte(ImageFormat.TAG_BACK_REFERENCE);
        writer.writeNumber(index);
    }

    /** The side objects, still due, that a copy leads to. */
    private List<Integer> required(int copy, BitSet visited) {
        List<Integer> found = new ArrayList<>();
        visited.set(copy);
        ArrayDeque<Object> open = new ArrayDeque<>();
        open.add(writer.table().object(copy));
        while (!open.isEmpty()) {
            Object object = open.remove();
            copies.formOf(object).forEachReference(object, target -> visit(target, visited, open, found));
        }
        return found;
    }

    private void visit(Object target, BitSet visited, ArrayDeque<Object> open, List<Integer> found) {
        Link link = copies.linkOf(target);
        if (link != null) {
            // Some fields refer to this one by number; others may to the object itself.
            int number = numbers.find(link);
            if (number >= 0 && !begun.get(number) && !found.contains(number)) {
                found.add(number);
            }
        }
        RawForm form = copies.formOf(target);
        if (form == RawForm.SIDE || form instanceof RawMapForm) {
            int number = numbers.find(target);
            if (number >= 0 && !begun.get(number)) {
                found.add(number);
            }
            if (number >= 0 || form == RawForm.SIDE) {
                return;
            }
        }
        if (form == RawForm.CONSTANT || form.isLeaf(target)) {
            return;
        }
        if (!form.tracked) {
            open.add(target);
            return;
        }
        int copy = copies.find(target);
        // What another thread has put there meanwhile is no copy.
        if (copy >= 0 && !settled.get(copy) && !visited.get(copy)) {
            visited.set(copy);
            open.add(target);
        }
    }
}
