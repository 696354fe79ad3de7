package org.apache.spark.heapspan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.MappedByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.TorrentBroadcast$;
import org.apache.spark.io.CompressionCodec$;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.storage.StorageUtils$;
import scala.reflect.ClassTag;
import scala.runtime.BoxedUnit;

/**
 * Reads the value of a broadcast through {@link HostBytes}, in a task, if Spark would have to fetch its blocks. Puts the value where {@code
 * TorrentBroadcast.readBroadcastBlock} of Spark 4.3 puts it. Thread-safe.
 */
final class HostBroadcastReader {
    /** Blocks of a broadcast that is worth the trouble: the closures of each stage are a broadcast, of one block. */
    private static final int LEAST_BLOCKS = 2;

    private final TorrentParts torrent;
    private final HostBytes bytes;

    HostBroadcastReader(TorrentParts torrent, HostBytes bytes) {
        this.torrent = torrent;
        this.bytes = bytes;
    }

    /** Reads the value, if it is not here; throws nothing that Spark's own way would not throw, too. */
    <T> void read(HostBroadcast<T> broadcast, ClassTag<T> tag) {
        SparkEnv environment = SparkEnv.get();
        if (environment == null || TaskContext.get() == null) {
            return;
        }
        try {
            if (torrent.count(broadcast) < LEAST_BLOCKS) {
                return;
            }
            BroadcastBlockId block = new BroadcastBlockId(broadcast.id(), "");
            // As Spark does: one task of an executor reads, the others wait and find the value.
            TorrentBroadcast$.MODULE$
                    .org$apache$spark$broadcast$TorrentBroadcast$$torrentBroadcastLock()
                    .withLock(block, () -> {
                        readUnlessHere(environment, broadcast, block, tag);
                        return BoxedUnit.UNIT;
                    });
        } catch (Exception | LinkageError e) {
            bytes.failed(broadcast.id(), e);
        }
    }

    private <T> void readUnlessHere(
            SparkEnv environment, HostBroadcast<T> broadcast, BroadcastBlockId block, ClassTag<T> tag) {
        if (environment.broadcastManager().cachedValues().containsKey(block)
                || isHere(environment, block)
                // Fetched by Spark: nothing is left to share.
                || isHere(environment, new BroadcastBlockId(broadcast.id(), "piece0"))) {
            return;
        }
        try {
            List<MappedByteBuffer> opened =
                    bytes.open(broadcast.id(), target -> fetch(environment.conf(), broadcast, target));
            if (opened == null) {
                return;
            }
            T value;
            try {
                value = valueOf(opened, tag);
                if (value != null
                        && environment
                                .blockManager()
                                .putSingle(block, value, StorageLevel.MEMORY_AND_DISK(), false, tag)) {
                    environment.broadcastManager().cachedValues().put(block, value);
                }
            } finally {
                bytes.close(broadcast.id());
            }
            // Not after a failure, when another thread may still be reading. The collector unmaps them then.
            opened.forEach(StorageUtils$.MODULE$::dispose);
        } catch (Exception | LinkageError e) {
            bytes.failed(broadcast.id(), e);
        }
    }

    private static boolean isHere(SparkEnv environment, BroadcastBlockId block) {
        return environment.blockManager().blockInfoManager().get(block).isDefined();
    }

    private <T> T valueOf(List<MappedByteBuffer> opened, ClassTag<T> tag) {
        DeserializationStream stream = bytes.stream(opened);
        try {
            return stream.readObject(tag);
        } finally {
            stream.close();
        }
    }

    /** Spark's way, up to the bytes of the serializer. */
    private void fetch(SparkConf conf, HostBroadcast<?> broadcast, OutputStream target) throws IOException {
        BlockData[] blocks;
        try {
            blocks = torrent.read(broadcast, conf);
        } catch (IllegalAccessException e) {
            throw new IOException(e);
        }
        try {
            List<InputStream> streams = new ArrayList<>();
            for (BlockData block : blocks) {
                streams.add(block.toInputStream());
            }
            try (InputStream whole = plain(conf, new SequenceInputStream(Collections.enumeration(streams)))) {
                whole.transferTo(target);
            }
        } finally {
            for (BlockData block : blocks) {
                block.dispose();
            }
        }
    }

    private static InputStream plain(SparkConf conf, InputStream blocks) {
        return conf.getBoolean("spark.broadcast.compress", true)
                ? CompressionCodec$.MODULE$.createCodec(conf).compressedInputStream(blocks)
                : blocks;
    }
}
