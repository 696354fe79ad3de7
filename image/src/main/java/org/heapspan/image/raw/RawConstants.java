package org.heapspan.image.raw;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.FallbackReason;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.statistics.EngineCounters;
import org.heapspan.image.statistics.FallbackCount;
import org.jspecify.annotations.Nullable;

/** The constants of a raw image by their numbers, as far as they have been read. Belongs to one {@link RawImageReader}; not thread-safe. */
final class RawConstants {
    private final ImageReader reader;
    private final List<Object> constants = new ArrayList<>();

    // So many constants are known to fit these classes.
    private int checkedCount;
    private RawCarving.@Nullable Classes checkedClasses;

    RawConstants(ImageReader reader) {
        this.reader = reader;
    }

    void clear() {
        constants.clear();
        checkedCount = 0;
        checkedClasses = null;
    }

    /** Reads the next constants, at the position of the reader. */
    void read(int count) {
        for (int i = 0; i < count; i++) {
            Codec codec = reader.codecOfTag(reader.readTag());
            if (!(codec instanceof LeafCodec leaf)) {
                throw reader.malformed("a constant is a " + codec.type.getName());
            }
            constants.add(leaf.readValue(reader));
        }
    }

    Object get(long number) {
        if (number >= constants.size()) {
            throw reader.malformed("constant " + number + " is used, " + constants.size() + " are known");
        }
        return constants.get((int) number);
    }

    /** All that have come, by their numbers; to be read only. */
    List<Object> all() {
        return constants;
    }

    /** Why objects of these classes that refer to the constants must not be left to the direct engine; null if they may. */
    @Nullable
    FallbackCount obstacle(RawCarving.Classes classes) {
        if (classes != checkedClasses) {
            checkedClasses = classes;
            checkedCount = 0;
        }
        for (; checkedCount < constants.size(); checkedCount++) {
            Object constant = constants.get(checkedCount);
            if (!classes.admits(constant)) {
                return EngineCounters.fallback(
                        FallbackReason.CLASS_DIFFERS, constant.getClass().getName());
            }
        }
        return null;
    }
}
