package org.heapspan.h2;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.Eventually;

/**
 * Labels that move, die and are used again from many threads, with everything that is read compared. Arguments: a folder, the seed, threads,
 * rounds of each. Ends with exit code 0 and a line {@code done} if all was as it should be.
 */
final class SecondHeapLoad {
    private static final int LABELS = 6;
    private static final int KEPT = 12;

    /** To which samples refer; another one takes its place now and then. */
    private final AtomicReferenceArray<Sample> shared = new AtomicReferenceArray<>(5);

    private final SecondHeap heap;
    private final long seed;
    private final int rounds;

    private SecondHeapLoad(SecondHeap heap, long seed, int rounds) {
        this.heap = heap;
        this.seed = seed;
        this.rounds = rounds;
    }

    public static void main(String[] arguments) throws Exception {
        run(
                Path.of(arguments[0]),
                Long.parseLong(arguments[1]),
                Integer.parseInt(arguments[2]),
                Integer.parseInt(arguments[3]),
                0);
        System.out.println("done");
    }

    static void run(Path directory, long seed, int threads, int rounds, int keyBits) throws Exception {
        SecondHeapOptions plain = SecondHeapOptions.capacity(96 << 20)
                .withRegionBytes(1 << 20)
                .withShared(SharedObjects.inFields(field -> field.getName().equals("next")));
        SecondHeapOptions options = keyBits == 0 ? plain : plain.withEncryption(keyBits);
        try (SecondHeap heap = SecondHeap.open(directory, options)) {
            SecondHeapLoad load = new SecondHeapLoad(heap, seed, rounds);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                Thread thread = new Thread(() -> {
                    try {
                        load.work(number);
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                });
                all.add(thread);
                thread.start();
            }
            for (Thread thread : all) {
                thread.join();
            }
            if (failure.get() != null) {
                throw new AssertionError("seed " + seed, failure.get());
            }
            // Handles dropped without being closed.
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Eventually.MOST_SECONDS);
            while (heap.statistics().regionsInUse() > 0) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("seed " + seed + ": still in use: " + heap.statistics());
                }
                System.gc();
                Thread.sleep(20);
            }
        }
    }

    /** A handle and what it has to give. */
    private static final class Kept {
        private final H2Handle<?> handle;
        private final List<Sample> expected;
        private Iterator<Sample> reading;
        private int read;

        Kept(H2Handle<?> handle, List<Sample> expected) {
            this.handle = handle;
            this.expected = expected;
        }
    }

    private void work(int thread) {
        Random random = new Random(seed * 31 + thread);
        List<Kept> kept = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            try {
                doSomething(random, kept);
            } catch (SecondHeapException e) {
                check(e.category() == Category.LIMIT, e.toString());
                // What was dropped without being closed comes free with a collection.
                System.gc();
            }
            if (kept.size() > KEPT) {
                drop(random, kept);
            }
        }
        for (Kept each : kept) {
            compare(each);
        }
    }

    /** Some of which refer to shared ones. */
    private List<Sample> samples(Random random, int count) {
        List<Sample> samples = Sample.list(random.nextInt(10_000), count);
        if (random.nextInt(4) == 0) {
            shared.set(random.nextInt(shared.length()), new Sample(random.nextInt()));
        }
        for (int i = random.nextInt(100); i < count; i += 1 + random.nextInt(200)) {
            samples.get(i).next = shared.get(random.nextInt(shared.length()));
        }
        return samples;
    }

    private void doSomething(Random random, List<Kept> kept) {
        Label label = Label.of(random.nextInt(LABELS));
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                List<Sample> samples = samples(random, 1 + random.nextInt(4000));
                kept.add(new Kept(heap.append(label, samples), samples));
            }
            case 2 -> {
                List<Sample> samples = samples(random, 1 + random.nextInt(1000));
                kept.add(new Kept(heap.tagRoots(samples, label), new ArrayList<>(samples)));
            }
            case 3 -> {
                List<Sample> samples = samples(random, 1 + random.nextInt(1000));
                kept.add(new Kept(heap.tagRoot(samples, label), samples));
            }
            case 4 -> heap.move(label);
            case 5 -> update(random, kept);
            default -> read(random, kept);
        }
    }

    @SuppressWarnings("unchecked") // What is kept was made above.
    private static void update(Random random, List<Kept> kept) {
        if (kept.isEmpty()) {
            return;
        }
        Kept chosen = kept.get(random.nextInt(kept.size()));
        if (chosen.handle instanceof H2Sequence<?> && chosen.reading == null) {
            H2Sequence<Sample> sequence = (H2Sequence<Sample>) chosen.handle;
            int index = random.nextInt(chosen.expected.size());
            Sample next = new Sample(random.nextInt());
            sequence.updateElement(index, each -> next);
            chosen.expected.set(index, next);
        }
    }

    @SuppressWarnings("unchecked") // What is kept was made above.
    private static void read(Random random, List<Kept> kept) {
        if (kept.isEmpty()) {
            return;
        }
        Kept chosen = kept.get(random.nextInt(kept.size()));
        if (chosen.reading == null) {
            chosen.reading = ((Iterable<Sample>) chosen.handle.elements()).iterator();
            chosen.read = 0;
        }
        readSome(chosen, random.nextInt(3000));
        if (!chosen.reading.hasNext()) {
            check(chosen.read == chosen.expected.size(), "ended after " + chosen.read);
            chosen.reading = null;
        }
    }

    private static void readSome(Kept kept, int count) {
        for (int i = 0; i < count && kept.reading.hasNext(); i++) {
            Sample expected = kept.expected.get(kept.read++);
            Sample actual = kept.reading.next();
            check(expected.equals(actual), "expected " + expected + ", found " + actual);
            check(
                    Objects.equals(expected.next, actual.next),
                    "expected " + expected + " before " + expected.next + ", found it before " + actual.next);
        }
    }

    private static void drop(Random random, List<Kept> kept) {
        Kept dropped = kept.remove(random.nextInt(kept.size()));
        if (random.nextBoolean()) {
            // Others may be reading: this one itself is.
            dropped.handle.close();
            if (dropped.reading != null) {
                readSome(dropped, Integer.MAX_VALUE);
            }
        }
    }

    private static void compare(Kept kept) {
        check(kept.expected.equals(kept.handle.get()), "the list differs");
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
