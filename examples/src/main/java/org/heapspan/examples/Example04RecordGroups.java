package org.heapspan.examples;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;

/** 04: many records in self-contained groups. Each class is described once per group, and each record can be read alone. */
public final class Example04RecordGroups {
    private Example04RecordGroups() {}

    record Reading(String sensor, long time, double celsius) implements Serializable {}

    /** Runs the example. */
    public static void main(String[] arguments) {
        Heapspan heapspan = Heapspan.create();
        GroupWriter writer = heapspan.groupWriter();
        List<byte[]> groups = new ArrayList<>();
        int loneBytes = 0;
        for (int i = 0; i < 10_000; i++) {
            Reading reading = new Reading("sensor " + i % 10, 1_700_000_000L + i, 20 + i % 7 * 0.5);
            loneBytes += heapspan.encode(reading).length;
            writer.write(reading);
            if (writer.sizeBytes() >= 64 << 10) {
                groups.add(writer.finish());
            }
        }
        groups.add(writer.finish());

        int count = 0;
        double sum = 0;
        for (byte[] group : groups) {
            GroupReader reader = heapspan.groupReader(group);
            while (reader.hasNext()) {
                sum += ((Reading) reader.next()).celsius();
                count++;
            }
        }
        int groupBytes = groups.stream().mapToInt(group -> group.length).sum();
        System.out.printf("%,d records in %d groups, mean %.2f degrees%n", count, groups.size(), sum / count);
        System.out.printf(
                "bytes per record in groups: %.1f, each by itself: %.1f%n",
                groupBytes / 10_000.0, loneBytes / 10_000.0);
    }
}
