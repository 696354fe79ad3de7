package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.image.format.RawBytes;
import org.heapspan.image.format.RawFormat;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.RawOutput;

/**
 * The object space of a raw image and its current {@link RawChunk}. Both ways to write a record ({@link RawAddressedWriter}, {@link
 * RawNumberedWriter}) put their objects into it. It knows the classes and constants that the image has. Not thread-safe.
 */
abstract class RawChunkWriter extends RawOutput {
    final ImageWriter writer;
    final RawLayout layout;
    private final int referenceBytes;
    RawChunk chunk = new RawChunk();

    // The object space: offsets in bytes from its beginning.
    long end;
    long chunkStart;

    /** Objects that have their place and wait to be written. */
    final RawQueue queue = new RawQueue();

    private boolean[] formSeen = new boolean[32];
    private final List<RawForm> forms = new ArrayList<>();
    final RawConstantNumbers constants = new RawConstantNumbers();

    RawChunkWriter(ImageWriter writer, RawLayout layout) {
        this.writer = writer;
        this.layout = layout;
        referenceBytes = layout.heap().referenceSizeBytes();
    }

    /** Bytes of the current chunk's objects; another array after each reference that has been written. */
    final byte[] objects() {
        return chunk.objects;
    }

    final RawForm formOf(Object object) {
        Class<?> type = object.getClass();
        return RawForms.of(writer.registry.codecOf(type), type);
    }

    /** Writes a reference to what lies, or will lie, at a place of the object space, in bytes. */
    final void writePlace(int position, long place) {
        putReference(position, place >>> RawFormat.UNIT_SHIFT);
    }

    final void putReference(int position, long unit) {
        if (referenceBytes == Integer.BYTES) {
            RawBytes.putInt(chunk.objects, position, (int) unit);
        } else {
            RawBytes.putLong(chunk.objects, position, unit);
        }
        chunk.markReference(position);
    }

    /** The unit of what lies at a position of the current chunk. */
    final long unitAt(int position) {
        return chunkStart + position - chunk.base >>> RawFormat.UNIT_SHIFT;
    }

    /** Writes a reference to an object that lies in the same chunk and that nobody else refers to. */
    final void writeInnerReference(int position, int targetPosition, RawForm form) {
        noteClass(form);
        putReference(position, unitAt(targetPosition));
    }

    // ---------------------------------------------------------------- classes, constants

    /** Describes a class, unless the image has it. */
    final void noteClass(RawForm form) {
        if (!isNoted(form)) {
            addClass(form);
        }
    }

    private boolean isNoted(RawForm form) {
        int serial = form.serial;
        boolean[] seen = formSeen;
        return serial < seen.length && seen[serial];
    }

    private void addClass(RawForm form) {
        int serial = form.serial;
        if (serial >= formSeen.length) {
            formSeen = Arrays.copyOf(formSeen, Math.max(serial + 1, formSeen.length * 2));
        }
        checkNamed(form);
        chunk.addClass(form.classBytes());
        formSeen[serial] = true;
        forms.add(form);
        if (form instanceof RawStringForm strings) {
            noteClass(strings.bytes());
        }
    }

    /** Refuses a class that would not be found by its name, where that matters. */
    final void checkNamed(RawForm form) {
        Class<?> type = form.type;
        if (type != null) {
            writer.checkNamed(type);
        }
    }

    final int formCount() {
        return forms.size();
    }

    final void cutForms(int count) {
        while (forms.size() > count) {
            formSeen[forms.remove(forms.size() - 1).serial] = false;
        }
    }

    /** Writes a reference to an object that the reader has already. */
    final void writeConstant(int position, Object constant) {
        chunk.patchConstant(position, constants.numberOf(constant));
    }
}
