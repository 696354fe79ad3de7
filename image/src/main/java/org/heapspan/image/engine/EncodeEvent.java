package org.heapspan.image.engine;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.heapspan.image.statistics.PeriodicEvents;
import org.jspecify.annotations.Nullable;

/** An image was written. */
@Name("org.heapspan.Encode")
@Label("Encode")
@Category("Heapspan")
@Description(
        "An object image was written; of a group the time since its writer began it, the program's own work included")
@Threshold("1 ms")
final class EncodeEvent extends Event {
    @Label("Encoding")
    @Description("COMPACT or RAW")
    @Nullable
    String encoding;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Records")
    @Description("Graphs in the image: one, or the records of a group")
    long records;

    @Label("Root Class")
    @Description("Class of the root; none of a group")
    @Nullable
    Class<?> rootClass;

    /** An event that has begun, or null if no recording wants it. */
    static @Nullable EncodeEvent begun() {
        PeriodicEvents.begin();
        EncodeEvent event = new EncodeEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /** Ends the event; it is written if it took long enough. */
    void end(int imageEncoding, long imageBytes, long recordCount, @Nullable Object root) {
        end();
        if (shouldCommit()) {
            encoding = DecodeEvent.nameOf(imageEncoding);
            bytes = imageBytes;
            records = recordCount;
            rootClass = root == null ? null : root.getClass();
            commit();
        }
    }
}
