package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The 25 nations and their 5 regions, which travel with the functions that need them. */
final class Nations implements Serializable {
    private static final long serialVersionUID = 1L;

    private final HashMap<Integer, String> names = new HashMap<>();
    private final HashMap<Integer, String> regions = new HashMap<>();

    private Nations() {}

    static Nations read(Path folder) throws IOException {
        Map<String, String> regionNames = new HashMap<>();
        for (String line : Files.readAllLines(folder.resolve("region.tbl"))) {
            String[] columns = line.split("\\|", -1);
            regionNames.put(columns[0], columns[1]);
        }
        Nations nations = new Nations();
        for (String line : Files.readAllLines(folder.resolve("nation.tbl"))) {
            String[] columns = line.split("\\|", -1);
            Integer key = Integer.valueOf(columns[0]);
            nations.names.put(key, columns[1]);
            nations.regions.put(key, regionNames.get(columns[2]));
        }
        return nations;
    }

    String name(int nation) {
        return names.get(nation);
    }

    String region(int nation) {
        return regions.get(nation);
    }
}
