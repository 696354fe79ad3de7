package org.heapspan.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A file system in memory that one process has at a folder. It needs {@code unshare} and user namespaces. */
public final class SmallDisk {
    private SmallDisk() {}

    /**
     * A program for {@link JavaProcess#within}. It mounts the file system and runs a command. Then it prints {@code left=} with the names of the files
     * that the command has left.
     *
     * @param options of the mount, such as {@code size=8k}
     */
    public static List<String> mounting(String options, Path folder) {
        String script = "mount -t tmpfs -o " + options + " tmpfs \"$0\" || exit 97; \"$@\"; code=$?;"
                + " echo \"left=$(ls -A \"$0\")\"; exit $code";
        return List.of("unshare", "--map-root-user", "--mount", "sh", "-c", script, folder.toString());
    }

    /** Whether this system lets a process mount one. */
    public static boolean isPossible(Path folder) throws InterruptedException {
        List<String> command = new ArrayList<>(mounting("size=64k", folder));
        command.add("true");
        try {
            Process process = new ProcessBuilder(command).start();
            return process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }
}
