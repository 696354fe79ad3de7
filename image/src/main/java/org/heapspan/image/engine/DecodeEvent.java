package org.heapspan.image.engine;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.heapspan.Encoding;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.raw.RawImageReader;
import org.heapspan.image.statistics.PeriodicEvents;
import org.jspecify.annotations.Nullable;

/** An image was read to its end. */
@Name("org.heapspan.Decode")
@Label("Decode")
@Category("Heapspan")
@Description(
        "An object image was read; of a group the time from its opening until its last part was read, the program's own work included")
@Threshold("1 ms")
final class DecodeEvent extends Event {
    @Label("Encoding")
    @Description("COMPACT or RAW")
    @Nullable
    String encoding;

    @Label("Engine")
    @Description("direct, portable, or mixed if one made a part of the chunks and the other the rest")
    @Nullable
    String engine;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Records")
    @Description("Graphs in the image: one, or the records of a group")
    long records;

    @Label("Chunks Carved")
    @Description("Chunks of a raw image that the direct engine read")
    int chunksCarved;

    @Label("Chunks Portable")
    @Description("Chunks of a raw image that the portable engine read")
    int chunksPortable;

    @Label("Root Class")
    @Description("Class of the root; none of a group")
    @Nullable
    Class<?> rootClass;

    /** An event that has begun, or null if no recording wants it. */
    static @Nullable DecodeEvent begun() {
        PeriodicEvents.begin();
        DecodeEvent event = new DecodeEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    /** Ends the event; it is written if it took long enough. */
    void end(ImageReader reader, long recordCount, @Nullable Object root) {
        end();
        if (shouldCommit()) {
            RawImageReader raw = RawImageReader.of(reader);
            chunksCarved = raw == null ? 0 : raw.carvedChunks();
            chunksPortable = raw == null ? 0 : raw.portableChunks();
            engine = chunksCarved == 0 ? "portable" : chunksPortable == 0 ? "direct" : "mixed";
            encoding = nameOf(reader.encoding());
            bytes = reader.imageBytes();
            records = recordCount;
            rootClass = root == null ? null : root.getClass();
            commit();
        }
    }

    static String nameOf(int encoding) {
        return (encoding == ImageFormat.ENCODING_RAW ? Encoding.RAW : Encoding.COMPACT).name();
    }
}
