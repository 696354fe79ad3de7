package org.heapspan.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What several clients have done with keys, and whether it is linearizable: whether there is an order of all operations, each between its begin and
 * its end, in which one client after the other would have seen the same (Herlihy and Wing 1990; the search is that of Wing and Gong 1993, with the
 * memory of Lowe 2017). Keys do not depend on each other, so each has a search of its own. Thread-safe while it is recorded.
 */
public final class History {
    /** No value. */
    public static final int NOTHING = 0;

    private static final @Nullable String FOLDER = System.getProperty("heapspan.histories");

    private static final long NEVER = Long.MAX_VALUE;
    private static final long PAUSE_MILLIS = 20;

    /** What was done. */
    public enum Kind {
        PUT,
        GET,
        REMOVE
    }

    /**
     * An operation.
     *
     * @param value that was put or got; {@link #NOTHING} if the key was missing
     * @param success whether a key was put or removed: false if it existed, or was missing
     * @param end {@link #NEVER} if nobody knows whether it was done
     */
    private record Operation(Kind kind, int value, boolean success, long begin, long end) {
        boolean isKnown() {
            return end != NEVER;
        }

        /** The value after it, or -1 if its answer would have been another one. */
        int after(int before) {
            return switch (kind) {
                case GET -> before == value ? before : -1;
                case PUT -> {
                    boolean possible = before == NOTHING;
                    yield isKnown() && success != possible ? -1 : possible ? value : before;
                }
                case REMOVE -> {
                    boolean possible = before != NOTHING;
                    yield isKnown() && success != possible ? -1 : NOTHING;
                }
            };
        }
    }

    /** Keys whose values are numbers. */
    public interface Keys {
        /** Returns false if the key exists. */
        boolean put(String key, int value);

        /** Returns {@link #NOTHING} if the key is missing. */
        int get(String key);

        /** Returns false if the key is missing. */
        boolean remove(String key);
    }

    private record Place(BitSet done, int value) {}

    private final Map<String, List<Operation>> operations = new TreeMap<>();

    /**
     * Does an operation, and takes down its answer. If it throws, it was done at any time, or never.
     *
     * @param value to put
     */
    public void perform(Keys keys, Kind kind, String key, int value) {
        long begin = System.nanoTime();
        boolean answered = false;
        try {
            switch (kind) {
                case PUT -> {
                    boolean put = keys.put(key, value);
                    add(key, kind, value, put, begin, System.nanoTime());
                }
                case GET -> {
                    int got = keys.get(key);
                    add(key, kind, got, true, begin, System.nanoTime());
                }
                case REMOVE -> {
                    boolean removed = keys.remove(key);
                    add(key, kind, NOTHING, removed, begin, System.nanoTime());
                }
            }
            answered = true;
        } finally {
            if (!answered && kind != Kind.GET) {
                addUnknown(key, kind, value, begin);
            }
        }
    }

    /** An operation that was answered. */
    public synchronized void add(String key, Kind kind, int value, boolean success, long begin, long end) {
        operations.computeIfAbsent(key, each -> new ArrayList<>()).add(new Operation(kind, value, success, begin, end));
    }

    /** An operation that failed: it was done at any time after its begin, or never. */
    public synchronized void addUnknown(String key, Kind kind, int value, long begin) {
        add(key, kind, value, true, begin, NEVER);
    }

    /** How many operations there are. */
    public synchronized int size() {
        return operations.values().stream().mapToInt(List::size).sum();
    }

    /**
     * Waits a time, and then until there are so many operations more, or one of the clients has failed.
     *
     * @param millis at least
     */
    public void awaitMore(int count, long millis, List<CompletableFuture<Void>> clients) throws InterruptedException {
        int enough = size() + count;
        TimeUnit.MILLISECONDS.sleep(millis);
        while (size() < enough && clients.stream().noneMatch(CompletableFuture::isCompletedExceptionally)) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /**
     * Keys whose operations are not linearizable, with these operations. If the system property {@code heapspan.histories} names a folder, the operations
     * of each key and the answer are also written to a file there, for another checker ({@code build-support/linearizability}).
     */
    public String violations() {
        return operations.entrySet().stream()
                .filter(each -> !isLinearizable(each.getValue()))
                .map(each -> each.getKey() + ": "
                        + each.getValue().stream()
                                .sorted(Comparator.comparingLong(Operation::begin))
                                .map(Operation::toString)
                                .collect(Collectors.joining("\n")))
                .collect(Collectors.joining("\n\n"));
    }

    private static boolean isLinearizable(List<Operation> ofKey) {
        List<Operation> sorted = new ArrayList<>(ofKey);
        sorted.sort(Comparator.comparingLong(Operation::begin));
        boolean found = search(sorted);
        if (FOLDER != null) {
            write(sorted, found, Path.of(FOLDER));
        }
        return found;
    }

    private static void write(List<Operation> sorted, boolean answer, Path folder) {
        List<String> lines = new ArrayList<>();
        lines.add(Boolean.toString(answer));
        for (Operation each : sorted) {
            lines.add(each.kind() + "," + each.value() + "," + each.success() + "," + each.begin() + ","
                    + (each.isKnown() ? Long.toString(each.end()) : "-"));
        }
        try {
            Files.write(Files.createTempFile(Files.createDirectories(folder), "key-", ".csv"), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without recursion: a history has more operations than a stack has room for. */
    private static boolean search(List<Operation> all) {
        Set<Place> seen = new HashSet<>();
        Deque<Step> open = new ArrayDeque<>();
        open.push(new Step(all, new BitSet(), NOTHING));
        while (!open.isEmpty()) {
            Step latest = open.element();
            if (latest.firstEnd == NEVER) {
                return true;
            }
            Step next = latest.next(seen);
            if (next == null) {
                open.pop();
            } else {
                open.push(next);
            }
        }
        return false;
    }

    /** Some operations in an order, and which of those that can follow have been tried. */
    private static final class Step {
        private final List<Operation> all;
        private final BitSet done;
        private final int value;
        private final long firstEnd;

        /** What was answered is tried first: there may be many that were not. */
        private boolean triesKnown = true;

        private int tried;

        Step(List<Operation> all, BitSet done, int value) {
            this.all = all;
            this.done = done;
            this.value = value;
            long first = NEVER;
            for (int i = done.nextClearBit(0); i < all.size(); i = done.nextClearBit(i + 1)) {
                first = Math.min(first, all.get(i).end());
            }
            firstEnd = first;
        }

        /** These operations and one more, if another one can follow that leads to a place which was not seen. */
        @Nullable
        Step next(Set<Place> seen) {
            Step found = nextOfKind(seen);
            if (found == null && triesKnown) {
                triesKnown = false;
                tried = 0;
                found = nextOfKind(seen);
            }
            return found;
        }

        private @Nullable Step nextOfKind(Set<Place> seen) {
            for (int i = done.nextClearBit(tried); i < all.size(); i = done.nextClearBit(i + 1)) {
                Operation next = all.get(i);
                if (next.begin() > firstEnd) {
                    return null;
                }
                int after = next.isKnown() == triesKnown ? next.after(value) : -1;
                if (after >= 0) {
                    BitSet with = (BitSet) done.clone();
                    with.set(i);
                    if (seen.add(new Place(with, after))) {
                        tried = i + 1;
                        return new Step(all, with, after);
                    }
                }
            }
            return null;
        }
    }
}
