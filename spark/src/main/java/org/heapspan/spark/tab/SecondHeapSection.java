package org.heapspan.spark.tab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.spark.cache.CacheInstallation;
import org.heapspan.spark.report.SerializationReport.Cached;
import org.heapspan.spark.report.SerializationTotals.Executor;
import org.heapspan.spark.report.SerializationTotals.Snapshot;

/** The part of the tab that tells of second heaps; not there if there are none. */
final class SecondHeapSection {
    private SecondHeapSection() {}

    static void write(Html html, Snapshot snapshot) {
        List<Executor> all = new ArrayList<>();
        for (Executor each : snapshot.executors()) {
            if (isThere(each)) {
                all.add(each);
            }
        }
        if (all.isEmpty()) {
            return;
        }
        TabTable table = TabTable.begin(
                html,
                "heapspan-second-heap",
                "Second Heap (" + all.size() + ")",
                "Cached partitions in files outside of the Java heap. Spark's storage tab counts them as memory.",
                List.of(
                        "Executor",
                        "number of the executor",
                        "State",
                        "folder and capacity",
                        "Partitions",
                        "partitions that it holds now",
                        "Size",
                        "bytes of these partitions",
                        "Stored",
                        "bytes that were ever stored",
                        "Read",
                        "bytes that were read; a partition that was read in part counts as a whole",
                        "Declined",
                        "partitions that Spark's own store keeps, because the second heap was full or an object cannot be encoded"));
        for (Executor each : all) {
            Cached cached = each.cached() == null ? Cached.NONE : each.cached();
            table.row()
                    .cell(each.id())
                    .cell(state(each))
                    .number(Amounts.count(cached.partitions()), cached.partitions())
                    .number(Amounts.bytes(cached.heldBytes()), cached.heldBytes())
                    .number(Amounts.bytes(cached.storedBytes()), cached.storedBytes())
                    .number(Amounts.bytes(cached.readBytes()), cached.readBytes())
                    .number(Amounts.count(cached.declined()), cached.declined())
                    .endRow();
        }
        table.end();
    }

    private static String state(Executor executor) {
        return executor.report() == null ? "unknown" : executor.report().state(CacheInstallation.NAME);
    }

    /** Why there is none elsewhere, tells {@link PartsSection}. */
    private static boolean isThere(Executor executor) {
        return executor.report() != null
                && executor.report().fact(CacheInstallation.NAME).state().equals("on");
    }

    static Map<String, Object> json(Executor executor, Cached cached) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("state", state(executor));
        json.put("partitions", cached.partitions());
        json.put("heldBytes", cached.heldBytes());
        json.put("storedBytes", cached.storedBytes());
        json.put("readBytes", cached.readBytes());
        json.put("declined", cached.declined());
        return json;
    }
}
