package org.heapspan.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A group of processes that may have only so much memory together, pages of files in the page cache included: a group of Linux' memory
 * controller (cgroup v1) below the group of this process. Without it the page cache of a machine is as large as the machine, whatever heaps
 * are. Not thread-safe.
 */
public final class MemoryGroup implements AutoCloseable {
    private static final Path CONTROLLER = Path.of("/sys/fs/cgroup/memory");
    private static final Path OWN_GROUPS = Path.of("/proc/self/cgroup");
    private static final long ENDING_MILLIS = 10_000;
    private static final String INSTEAD =
            " Leave out --memory; a limit for the whole command is 'systemd-run --scope -p MemoryMax=8G ./dev bench ...'.";

    private final Path folder;

    private MemoryGroup(Path folder) {
        this.folder = folder;
    }

    /**
     * Makes a group in which no process is.
     *
     * @param megabytes that its processes may have together
     * @throws IOException if this machine or this user cannot have one; the message says why, and what to do
     */
    public static MemoryGroup open(int megabytes) throws IOException {
        Path own = CONTROLLER.resolve(ownGroup());
        if (!Files.isDirectory(own)) {
            throw new IOException(
                    "no limit of memory: " + own + " is no folder, so that the memory controller of cgroup v1"
                            + " is not to be had here (cgroup v2 has another)." + INSTEAD);
        }
        Path folder = own.resolve("heapspan-bench-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(folder);
            MemoryGroup group = new MemoryGroup(folder);
            String bytes = Long.toString((long) megabytes << 20);
            group.write("memory.limit_in_bytes", bytes);
            if (Files.exists(folder.resolve("memory.memsw.limit_in_bytes"))) {
                // What does not fit shall not go to swap space either.
                group.write("memory.memsw.limit_in_bytes", bytes);
            }
            return group;
        } catch (IOException e) {
            throw new IOException(
                    "no limit of memory: " + folder + " cannot be made or written (" + e
                            + "), which takes root's rights." + INSTEAD,
                    e);
        }
    }

    /** The group of this process below the controller's folder. */
    private static String ownGroup() throws IOException {
        for (String line : Files.readAllLines(OWN_GROUPS)) {
            // 4:memory:/a/group
            String[] parts = line.split(":", 3);
            if (parts[1].equals("memory")) {
                return parts[2].substring(1);
            }
        }
        throw new IOException(
                "no limit of memory: " + OWN_GROUPS + " names no group of a memory controller of cgroup v1." + INSTEAD);
    }

    /**
     * Makes a home of a JDK whose {@code java} is that of another and runs in this group from its first page on.
     *
     * @param home of the JDK
     * @param wrapped folder to make
     * @throws IOException if it cannot be made
     */
    public void wrapJava(Path home, Path wrapped) throws IOException {
        Path java = Files.createDirectories(wrapped.resolve("bin")).resolve("java");
        Files.writeString(java, """
                #!/bin/sh
                echo $$ > '%s' || exit 1
                exec '%s' "$@"
                """.formatted(folder.resolve("cgroup.procs"), home.resolve("bin/java")));
        if (!java.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + java + " a program");
        }
    }

    /**
     * The most memory that its processes had together.
     *
     * @throws IOException if the system does not tell
     */
    public long peakBytes() throws IOException {
        return Long.parseLong(read("memory.max_usage_in_bytes").strip());
    }

    /**
     * How many of its processes the system ended because they wanted more than they may have.
     *
     * @throws IOException if the system does not tell
     */
    public long killed() throws IOException {
        return read("memory.oom_control")
                .lines()
                .filter(line -> line.startsWith("oom_kill "))
                .mapToLong(line -> Long.parseLong(line.substring("oom_kill ".length())))
                .sum();
    }

    private String read(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    private void write(String name, String value) throws IOException {
        Files.writeString(folder.resolve(name), value);
    }

    /**
     * Removes it, as soon as its processes have ended.
     *
     * @throws IOException if they do not end
     */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ENDING_MILLIS);
        while (!read("cgroup.procs").isBlank() && System.nanoTime() < deadline) {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        Files.delete(folder);
    }
}
