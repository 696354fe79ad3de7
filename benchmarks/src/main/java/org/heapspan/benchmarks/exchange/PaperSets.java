package org.heapspan.benchmarks.exchange;

import java.util.List;
import java.util.TreeMap;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.data.SizedSet;

/** Data of the sizes that the papers on the global heap (HotCloud'16) and on ZCOT (ATC'22) have. */
final class PaperSets {
    private static final int ZCOT_OBJECTS = 65_536;
    private static final int ZCOT_MEDIA = 16_384;

    /** So many entries of 112 bytes are 64 MB in a heap. */
    private static final int HOTCLOUD_ENTRIES = 570_000;

    private static final String LARGE_MAP = "treemap-64mb";

    /** The array of the paper has the name {@code doubles}, and is among the other data sets. */
    static final List<String> NAMES = List.of(LARGE_MAP, "points", "pairs", "map", "media-16384");

    private PaperSets() {}

    /** The data set of this name, also if it is none of a paper. */
    static DataSet named(String name) {
        return switch (name) {
            case LARGE_MAP -> new LargeMap();
            case "points", "pairs", "map" -> new SizedSet(name, ZCOT_OBJECTS);
            case "media-16384" -> new SizedSet("media", ZCOT_MEDIA);
            default -> DataSets.named(name);
        };
    }

    static String title(String name) {
        return switch (name) {
            case LARGE_MAP -> "one TreeMap of 64 MB";
            case "media-16384" -> "16,384 media";
            case "map" -> "a HashMap of 65,536 points";
            default -> "65,536 " + name;
        };
    }

    /** One map that takes 64 MB in a heap. */
    private static final class LargeMap implements DataSet {
        @Override
        public String name() {
            return LARGE_MAP;
        }

        @Override
        public String title() {
            return "TreeMap<Integer, String> of " + HOTCLOUD_ENTRIES;
        }

        @Override
        public Object[] records() {
            TreeMap<Integer, String> map = new TreeMap<>();
            for (int i = 0; i < HOTCLOUD_ENTRIES; i++) {
                map.put(1000 + i, "value-" + (100_000 + i));
            }
            return new Object[] {map};
        }

        @Override
        public List<Class<?>> classes() {
            return List.of(TreeMap.class);
        }
    }
}
