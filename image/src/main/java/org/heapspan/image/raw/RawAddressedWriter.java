package org.heapspan.image.raw;

import org.heapspan.ObjectLinks;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.StringForm;
import org.heapspan.image.memory.Access;
import org.heapspan.image.memory.Restart;
import org.heapspan.image.memory.ScratchSlot;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Writes records of a raw image whose objects it knows by their addresses: by the bits of the slots that refer to them ({@link RawPlaces}).
 * This is the quick way, with no lookup by identity and no queue for most objects. Each object is written when it gets its place. But
 * addresses change when the collector moves objects. So this way is for records that fit into the chunk and have no side objects: they are
 * short, and no method of a user's class runs. If a record does not suit, it ends with a {@link Restart}, and {@link RawNumberedWriter},
 * which knows objects by numbers, writes the record again. Not thread-safe.
 */
abstract class RawAddressedWriter extends RawChunkWriter {
    private static final @Nullable RawMemory RAW = Access.RAW;

    /** Objects that lie deeper wait in the queue, so that any graph is written with a bounded stack. */
    private static final int DEPTH_LIMIT = 100;

    private static final int LEAST_PAUSE = 1;
    private static final int MOST_PAUSE = 1 << 12;

    private final ScratchSlot scratch = new ScratchSlot();
    private final @Nullable RawPlaces places = Access.ADDRESS_BITS ? new RawPlaces() : null;
    private boolean quick;
    private int next;
    private int room;
    private int firstPlace;
    private int firstUnit;
    private int depth;
    private int pauses;

    // For how many records the quick way is not tried because it did not suit; grows with each failure, and shrinks
    // with each success.
    private int pause = LEAST_PAUSE;
    private int recordsToQuick;

    // Records of a kind come in rows, and so do elements.
    private RawForm rootForm = RawForm.SIDE;
    private RawForm latestForm = RawForm.SIDE;

    RawAddressedWriter(ImageWriter writer, RawLayout layout) {
        super(writer, layout);
    }

    /** Says that what follows belongs to an object at a position of the current chunk, within what is being written. */
    abstract void beginPart(int position);

    /** Writes a reference slot of a record that is not written in the quick way. */
    abstract void writeNumbered(int position, Object target);

    // ---------------------------------------------------------------- records

    /** Whether the next record is to be tried in the quick way. */
    final boolean expectsQuick() {
        if (recordsToQuick == 0) {
            return places != null;
        }
        recordsToQuick--;
        return false;
    }

    /** Takes note of whether the quick way suited a record. */
    final void learn(boolean suited) {
        if (suited) {
            pause = Math.max(pause >> 1, LEAST_PAUSE);
        } else {
            recordsToQuick = pause;
            pause = Math.min(pause << 1, MOST_PAUSE);
        }
    }

    /**
     * Writes the copies of a record in the quick way, from {@link #end} on, and sets that behind them.
     *
     * @return false if the collector moved objects meanwhile
     * @throws Restart if the record does not suit
     */
    final boolean writeQuickly(Object root) {
        RawPlaces known = places;
        if (known == null) {
            return false;
        }
        RawForm form = formAfter(rootForm, root);
        rootForm = form;
        int base = chunk.base;
        int start = beginPlaces(base);
        depth = 0;
        if (isSelfContained(form)) {
            // Nothing can refer to it, so that there is nothing to keep track of.
            quick = true;
            try {
                form.write(this, root, take(form, root));
            } finally {
                quick = false;
                end = chunkStart + next - base;
            }
            return true;
        }
        int before = Access.ADDRESSES.pauses();
        if (before != pauses) {
            pauses = before;
            scratch.renew();
        }
        quick = true;
        known.begin(start);
        try {
            writeQuickRoot(form, root);
            while (!queue.isEmpty()) {
                Object object = queue.object();
                RawForm waiting = queue.form();
                int position = base + (int) (queue.place() - chunkStart);
                queue.remove();
                depth = 1;
                waiting.write(this, object, position);
            }
        } finally {
            known.end(next);
            quick = false;
            end = chunkStart + next - base;
        }
        return Access.ADDRESSES.pauses() == before;
    }

    /** Objects are to lie behind those of the current chunk, which begins at a position. */
    private int beginPlaces(int base) {
        int start = base + (int) (end - chunkStart);
        next = start;
        chunk.reserve(start);
        room = Math.min(chunk.objects.length, base + RawFormat.CHUNK_LIMIT_BYTES);
        firstPlace = base;
        firstUnit = (int) (chunkStart >>> RawFormat.UNIT_SHIFT);
        return start;
    }

    private static boolean isSelfContained(RawForm form) {
        return form.selfContained && form.kind == RawForm.Kind.OBJECT;
    }

    /** Whether {@link #writeRowQuickly} suits records like the latest. */
    final boolean suitsRow() {
        return isSelfContained(rootForm);
    }

    /**
     * Writes records of the class of the latest, to the parts of which nothing can refer, from {@link #end} on, as long as they come in a
     * row and the chunk is not full, and notes their roots.
     *
     * @return the first record that has not been written, or {@code last}
     */
    final int writeRowQuickly(@Nullable Object[] records, int first, int last) {
        RawForm form = rootForm;
        int base = chunk.base;
        beginPlaces(base);
        int full = base + RawFormat.CHUNK_TARGET_BYTES;
        int i = first;
        quick = true;
        try {
            for (; i < last && next < full; i++) {
                Object record = records[i];
                if (record == null || record.getClass() != form.type) {
                    break;
                }
                int place = take(form, record);
                form.write(this, record, place);
                chunk.addRoot(firstUnit + (place - base >> RawFormat.UNIT_SHIFT));
            }
        } finally {
            quick = false;
            end = chunkStart + next - base;
        }
        return i;
    }

    private void writeQuickRoot(RawForm form, Object root) {
        switch (form.kind) {
            case OBJECT -> writeQuickRootObject(form, root);
            case SELECTED_OBJECT -> {
                if (form.constantFor(root) != null) {
                    throw Restart.INSTANCE;
                }
                writeQuickRootObject(form, root);
            }
            case STRING -> writeString(-1, (String) root, scratch.bitsOf(root));
            case LIST -> writeList(-1, root, scratch.bitsOf(root), form);
            case MAP -> writeMap(-1, root, scratch.bitsOf(root), form);
            case VALUE -> {
                if (form.constantFor(root) != null) {
                    throw Restart.INSTANCE;
                }
                form.write(this, root, take(form, root));
            }
            default -> throw Restart.INSTANCE;
        }
    }

    private void writeQuickRootObject(RawForm form, Object root) {
        if (form.isLeaf(root)) {
            form.write(this, root, take(form, root));
        } else {
            writeObject(-1, root, scratch.bitsOf(root), form);
        }
    }

    // ---------------------------------------------------------------- references

    /** Writes a reference slot at a position of the current chunk. */
    final void writeReference(int position, @Nullable Object target) {
        if (target == null) {
            return;
        }
        if (quick) {
            writeElement(position, target, scratch.bitsOf(target));
        } else {
            writeNumbered(position, target);
        }
    }

    /**
     * Writes a reference slot.
     *
     * @param bits the slot it was read from, read before and after with the same result, else 0
     */
    final void writeElement(int position, @Nullable Object target, int bits) {
        if (target == null) {
            return;
        }
        if (!quick) {
            writeNumbered(position, target);
            return;
        }
        if (target instanceof String string) {
            writeString(position, string, bits);
            return;
        }
        RawForm form = formAfter(latestForm, target);
        latestForm = form;
        writeQuick(position, target, bits, form);
    }

    /**
     * Writes a reference slot whose target most likely travels as another did.
     *
     * @return how it travels
     */
    final RawForm writeLikely(int position, @Nullable Object target, int bits, RawForm likely) {
        if (target == null) {
            return likely;
        }
        RawForm form = formAfter(likely, target);
        if (quick) {
            writeQuick(position, target, bits, form);
        } else {
            writeNumbered(position, target);
        }
        return form;
    }

    private RawForm formAfter(RawForm likely, Object object) {
        return likely.type == object.getClass() ? likely : formOf(object);
    }

    /** What travels in place of an object in a linked field: a link, the same for all references of a record, or the object itself. */
    abstract Object linkInPlaceOf(Object object, ObjectLinks links);

    private void writeQuick(int position, Object target, int bits, RawForm form) {
        if (form.kind == RawForm.Kind.OBJECT) {
            writeObject(position, target, bits, form);
            return;
        }
        switch (form.kind) {
            case SELECTED_OBJECT -> {
                Object constant = form.constantFor(target);
                if (constant != null) {
                    checkNamed(form);
                    writeConstant(position, constant);
                } else {
                    writeObject(position, target, bits, form);
                }
            }
            case STRING -> writeString(position, (String) target, bits);
            case LIST -> writeList(position, target, bits, form);
            case MAP -> writeMap(position, target, bits, form);
            case VALUE -> {
                Object constant = form.constantFor(target);
                if (constant != null) {
                    writeConstant(position, constant);
                } else {
                    int place = take(form, target);
                    putPlace(position, place);
                    descend(form, target, place);
                }
            }
            case CONSTANT -> writeConstant(position, target);
            default -> throw Restart.INSTANCE;
        }
    }

    private void writeObject(int position, Object target, int bits, RawForm form) {
        int known = find(bits);
        if (known >= 0) {
            putPlace(position, checked(known, form));
            return;
        }
        int place = take(form, target);
        putPlace(position, place);
        descend(form, target, place);
    }

    private int find(int bits) {
        RawPlaces known = places;
        return known == null ? -1 : known.find(bits, next);
    }

    /**
     * The place of an object that was found again. A slot that changed and changed back while it was read gave the bits of one object
     * and the reference of another: what lies there must at least be of the class, because the direct engine takes a reader's word for it.
     */
    private int checked(int place, RawForm form) {
        if (layout.classWordAt(chunk.objects, place) != form.classWord()) {
            throw Restart.INSTANCE;
        }
        return place;
    }

    /** Gives the next place to an object of a size that does not change. */
    private int take(RawForm form, Object object) {
        int fixedBytes = form.fixedBytes;
        int place = takeBytes(fixedBytes != 0 ? fixedBytes : form.sizeBytes(object));
        noteClass(form);
        if (!form.fills) {
            RawBytes.clear(chunk.objects, place, next - place);
        }
        return place;
    }

    private int takeBytes(long sizeBytes) {
        int place = next;
        long limit = place + sizeBytes;
        if (limit > room) {
            makeRoom(limit);
        }
        next = (int) limit;
        return place;
    }

    private void makeRoom(long limit) {
        int most = firstPlace + RawFormat.CHUNK_LIMIT_BYTES;
        if (limit > most) {
            throw Restart.INSTANCE;
        }
        chunk.reserve((int) limit);
        room = Math.min(chunk.objects.length, most);
    }

    private void descend(RawForm form, Object object, int place) {
        if (depth >= DEPTH_LIMIT) {
            // Until its turn comes others may refer to it, who look at its class.
            layout.putHeader(chunk.objects, place, form.classWord());
            queue.add(object, form, chunkStart + place - firstPlace);
            return;
        }
        depth++;
        form.write(this, object, place);
        depth--;
    }

    /** Writes a reference to what lies, or will lie, at a position of the current chunk; nothing if the slot is a root. */
    private void putPlace(int position, int place) {
        if (position >= 0) {
            RawChunk target = chunk;
            RawBytes.putInt(target.objects, position, firstUnit + (place - firstPlace >> RawFormat.UNIT_SHIFT));
            target.markReference(position);
        }
    }

    /** Writes a string slot. */
    final void writeString(int position, @Nullable String string, int bits) {
        if (string == null) {
            return;
        }
        if (!quick) {
            writeNumbered(position, string);
            return;
        }
        RawStringForm form = RawStringForm.INSTANCE;
        int known = find(bits);
        if (known >= 0 && form != null) {
            putPlace(position, checked(known, form));
            return;
        }
        byte[] value = StringForm.valueOf(string);
        if (form == null || value.length > RawFormat.STRING_PAIR_BYTES) {
            throw Restart.INSTANCE;
        }
        int place = takeBytes(RawStringForm.pairBytes(value.length));
        putPlace(position, place);
        noteClass(form);
        form.writePair(this, string, value, place);
    }

    private void writeList(int position, Object list, int bits, RawForm form) {
        int known = find(bits);
        if (known >= 0) {
            putPlace(position, checked(known, form));
            return;
        }
        RawListForm of = (RawListForm) form;
        Object[] elements = of.elements(list);
        if (elements == null || depth >= DEPTH_LIMIT) {
            int place = take(form, list);
            putPlace(position, place);
            descend(form, list, place);
            return;
        }
        int count = Math.min(of.size(list), elements.length);
        int place = takeBytes(of.wholeBytes(count));
        RawBytes.clear(chunk.objects, place, next - place);
        noteClass(form);
        putPlace(position, place);
        depth++;
        of.writeWhole(this, elements, count, place);
        depth--;
    }

    private void writeMap(int position, Object map, int bits, RawForm form) {
        int known = find(bits);
        if (known >= 0) {
            putPlace(position, checked(known, form));
            return;
        }
        RawMapForm of = (RawMapForm) form;
        RawMapCopy copy = RawMapCopy.of(map, this);
        if (copy == null) {
            throw Restart.INSTANCE;
        }
        int place = takeBytes(of.sizeBytes(copy));
        RawBytes.clear(chunk.objects, place, next - place);
        putPlace(position, place);
        of.noteClasses(this, copy);
        of.locate(copy, chunkStart + place - firstPlace);
        descend(of, copy, place);
    }

    /** The bits of an element of an array that nobody else changes, as {@link #opaque}; 0 where they are of no use. */
    final int bitsOf(Object slots, int index) {
        RawMemory raw = RAW;
        return quick && raw != null ? raw.getInt(slots, Access.OBJECT_ARRAY_BASE + 4L * index) : 0;
    }

    /** The same array for raw reads of its slots, where they are of use. */
    final Object opaque(Object[] array) {
        return quick ? scratch.opaque(array) : array;
    }

    /** Writes the elements of an array as reference slots from a position on. */
    final void writeElements(Object[] elements, int first, int count, int position, int slotBytes) {
        RawMemory raw = RAW;
        int p = position;
        if (!quick || raw == null) {
            for (int i = first; i < first + count; i++) {
                Object element = elements[i];
                if (element != null) {
                    writeReference(p, element);
                }
                p += slotBytes;
            }
            return;
        }
        Object slots = opaque(elements);
        for (int i = first; i < first + count; i++) {
            int bits = raw.getInt(slots, Access.OBJECT_ARRAY_BASE + 4L * i);
            Object element = elements[i];
            int stable = raw.getInt(slots, Access.OBJECT_ARRAY_BASE + 4L * i) == bits ? bits : 0;
            writeElement(p, element, stable);
            p += slotBytes;
        }
    }

    /** Lets go of the object whose bits were looked at last. */
    final void releaseScratch() {
        scratch.clear();
    }

    /** Lets go of what only the image that is at its end needed. */
    final void releaseQuick() {
        rootForm = RawForm.SIDE;
        latestForm = RawForm.SIDE;
        scratch.clear();
        if (places != null) {
            places.release();
        }
    }
}
