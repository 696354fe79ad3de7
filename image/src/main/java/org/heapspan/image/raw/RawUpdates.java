package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.FieldUpdate;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.serialization.UpdatingCodec;

/**
 * Copies with fields that get their values after reading ({@link FieldUpdate}), in the order of their places, until their record has been
 * read. Belongs to one {@link RawImageReader}; not thread-safe.
 */
final class RawUpdates {
    private record Update(long unit, UpdatingCodec codec, Object object) {}

    private final ImageReader reader;
    private final List<Update> updates = new ArrayList<>(0);

    RawUpdates(ImageReader reader) {
        this.reader = reader;
    }

    void clear() {
        updates.clear();
    }

    /** Adds the object that begins at a unit. */
    void add(long unit, UpdatingCodec codec, Object object) {
        updates.add(new Update(unit, codec, object));
    }

    boolean isEmpty() {
        return updates.isEmpty();
    }

    /** Leaves what lies before a unit to the reader, which updates it at the end of the record. */
    void handOver(long endUnit) {
        int count = 0;
        while (count < updates.size() && updates.get(count).unit() < endUnit) {
            Update update = updates.get(count);
            reader.updateLater(update.codec(), update.object());
            count++;
        }
        updates.subList(0, count).clear();
    }
}
