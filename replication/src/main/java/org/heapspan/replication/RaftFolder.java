package org.heapspan.replication;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folder in which Ratis has a folder for the group. */
final class RaftFolder {
    /** Those of groups have an id as their name. There may be others: a file system has some of its own. */
    private static final Pattern OF_GROUP = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** What Ratis writes before a folder is complete. */
    private static final Set<String> OF_NOTHING = Set.of("in_use.lock", "raft-meta.tmp");

    private RaftFolder() {}

    /**
     * Whether Ratis has written nothing there yet. A start that was ended before it had made the folder of the group may have left a part of it,
     * which is deleted: Ratis would not begin with it, and not beside it.
     */
    static boolean begin(Path folder) throws IOException {
        List<Path> ofGroups = ofGroups(folder);
        for (Path each : ofGroups) {
            if (hasSomething(each)) {
                return false;
            }
        }
        for (Path each : ofGroups) {
            delete(each);
        }
        return true;
    }

    private static List<Path> ofGroups(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each ->
                            OF_GROUP.matcher(each.getFileName().toString()).matches())
                    .toList();
        }
    }

    private static boolean hasSomething(Path ofGroup) throws IOException {
        try (Stream<Path> files = Files.walk(ofGroup)) {
            return files.anyMatch(each -> !Files.isDirectory(each)
                    && !OF_NOTHING.contains(each.getFileName().toString()));
        }
    }

    private static void delete(Path ofGroup) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(ofGroup)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }
}
