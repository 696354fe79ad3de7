package org.heapspan.vm;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Carves graphs while threads allocate, change, lock, hash, keep and drop what was carved, and collections come all the time. What it
 * prints at its end says whether every copy stayed what it was; the JVM's own verification of the heap says the rest.
 *
 * <p>Main class of child JVMs of {@link CarverHeapVerificationTest}, and by itself for as long as you like:
 *
 * <pre>
 * java -XX:+UnlockDiagnosticVMOptions -XX:+VerifyBeforeGC -XX:+VerifyAfterGC -Xmx64m -cp ... org.heapspan.vm.CarvingStress 600 32
 * </pre>
 *
 * Arguments: seconds, threads, seed.
 */
public final class CarvingStress {
    private static final VirtualMachine MACHINE = VirtualMachine.current();

    // What constants refer to: long since old, or made for the one carving.
    private static final Object OLD = new Object();

    private static final int KEPT = 40;
    private static final int IMAGES = 10;

    private static final AtomicLong CARVED = new AtomicLong();
    private static final AtomicLong DECLINED = new AtomicLong();
    private static final AtomicReference<Throwable> FAILURE = new AtomicReference<>();

    private static volatile boolean finished;
    static volatile Object garbage;

    private CarvingStress() {}

    /** A tree whose nodes also refer across and to constants. */
    static class Node {
        int number;
        Node left;
        Node right;
        Object old;
        Object young;
    }

    static final class Leaf extends Node {
        long[] longs;
        String text;
        byte[] bytes;
        Object[] up;
        double real;
        Integer box;
    }

    record Pair(Object first, Object second, byte tag) {}

    /** Runs for some seconds. */
    public static void main(String[] args) throws Exception {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 60;
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 4;
        long seed = args.length > 2 ? Long.parseLong(args[2]) : System.nanoTime();
        System.out.println("seed=" + seed);
        Carver carver = MACHINE.carver();
        System.out.println("carver=" + (carver != null));
        MACHINE.findings().stream()
                .filter(f -> f.subject().equals("direct engine"))
                .forEach(f -> System.out.println("engine=" + f.why()));
        if (carver == null) {
            return;
        }
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Random random = new Random(seed + i);
            workers.add(new Thread(() -> work(carver, random)));
        }
        Thread litter = new Thread(CarvingStress::litter);
        litter.setDaemon(true);
        litter.start();
        workers.forEach(Thread::start);
        long end = System.nanoTime() + (long) (seconds * 1e9);
        // On a busy machine longer, until there was something to see.
        long latest = end + TimeUnit.SECONDS.toNanos(20);
        while (FAILURE.get() == null && (System.nanoTime() < end || isBarelyTried() && System.nanoTime() < latest)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        finished = true;
        for (Thread worker : workers) {
            worker.join();
        }
        Throwable failure = FAILURE.get();
        if (failure != null) {
            failure.printStackTrace(System.out);
        }
        System.out.println("carved=" + CARVED.get());
        System.out.println("declined=" + DECLINED.get());
        System.out.println("collections=" + collections());
        System.out.println("statistics=" + carver.statistics());
        System.out.println("ok=" + (failure == null));
    }

    private static boolean isBarelyTried() {
        return CARVED.get() < 100 || MACHINE.collector() != Collector.EPSILON && collections() < 6;
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    private static void litter() {
        Object[] held = new Object[64];
        for (int i = 0; !finished; i++) {
            held[i & 63] = new byte[i % 512 == 0 ? 1 << 20 : 8 << 10];
            garbage = held;
            if (i % 64 == 0) {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    private static Node tree(int depth, int number, Node up, Object young) {
        Leaf node = new Leaf();
        node.number = number;
        node.text = "node " + number;
        node.longs = new long[] {number, -number};
        node.bytes = new byte[number % 50];
        node.up = new Object[] {up, node, null, node.text};
        node.real = number / 3.0;
        node.box = 1000 + number;
        node.old = OLD;
        node.young = young;
        if (depth > 0) {
            node.left = tree(depth - 1, 2 * number, node, young);
            node.right = number % 5 == 0 ? null : tree(depth - 1, 2 * number + 1, node, young);
        }
        return node;
    }

    /** Checks a copy of a tree against how {@link #tree} makes it. */
    private static void check(Node node, int depth, int number, Node up, Object young) {
        Leaf leaf = (Leaf) node;
        require(leaf.number == number && leaf.old == OLD && leaf.young == young, "fields", number);
        require(leaf.text.equals("node " + number) && leaf.text.getClass() == String.class, "text", number);
        require(leaf.longs[0] == number && leaf.longs[1] == -number && leaf.longs.length == 2, "longs", number);
        require(leaf.bytes.length == number % 50, "bytes", number);
        require(leaf.up[0] == up && leaf.up[1] == leaf && leaf.up[2] == null && leaf.up[3] == leaf.text, "up", number);
        require(leaf.real == number / 3.0 && leaf.box == 1000 + number, "numbers", number);
        if (depth == 0) {
            require(leaf.left == null && leaf.right == null, "end", number);
            return;
        }
        check(leaf.left, depth - 1, 2 * number, leaf, young);
        if (number % 5 == 0) {
            require(leaf.right == null, "right", number);
        } else {
            check(leaf.right, depth - 1, 2 * number + 1, leaf, young);
        }
    }

    private static void require(boolean condition, String what, int number) {
        if (!condition) {
            throw new AssertionError(what + " of node " + number);
        }
    }

    private record Image(CarveRequest request, int depth, int number) {}

    private static Image image(Carver carver, Random random) {
        int depth = random.nextInt(9);
        int number = 1 + random.nextInt(1000);
        Object young = new Object();
        Node root = tree(depth, number, null, young);
        SampleImage image = new SampleImage(carver, MACHINE.memory(), MACHINE.heapLayout())
                .padding(random.nextInt(9))
                .firstUnit(2 + 2L * random.nextInt(1 << 20));
        if (random.nextInt(3) == 0) {
            image.classWords(word -> word + 5);
        }
        Object[] roots = {root, null, new Pair(root, root.left, (byte) 3)};
        CarveRequest request = image.of(roots, new Object[] {root, ((Leaf) root).text}, OLD, young);
        if (random.nextInt(3) == 0) {
            // Never freed; there are few.
            RawMemory memory = MACHINE.memory();
            request.imageAddress = memory.allocateMemory(request.image.length);
            request.imageBytes = request.image.length;
            memory.copyMemory(
                    request.image,
                    memory.arrayBaseOffset(byte[].class),
                    null,
                    request.imageAddress,
                    request.image.length);
            request.image = null;
        }
        return new Image(request, depth, number);
    }

    private record Kept(Node root, Image image, Object young) {
        void check() {
            CarvingStress.check(root, image.depth, image.number, null, young);
        }
    }

    private static void work(Carver carver, Random random) {
        try (CarvingSpace space = carver.newSpace()) {
            List<Image> images = new ArrayList<>();
            for (int i = 0; i < IMAGES; i++) {
                images.add(image(carver, random));
            }
            List<Kept> kept = new ArrayList<>();
            Node[] changed = new Node[16];
            int round = 0;
            while (!finished) {
                Image image = images.get(random.nextInt(IMAGES));
                Object young = new Object();
                image.request.constants = new Object[] {OLD, young};
                Object[] carved = space.carve(image.request);
                if (carved == null) {
                    DECLINED.incrementAndGet();
                    Decline decline = space.decline();
                    if (decline != Decline.NOT_EDEN && decline != Decline.COLLECTOR_BUSY) {
                        throw new AssertionError("declined: " + decline);
                    }
                    continue;
                }
                CARVED.incrementAndGet();
                Node root = (Node) carved[0];
                Pair pair = (Pair) carved[2];
                require(carved.length == 5 && carved[1] == null && carved[3] == root, "roots", 0);
                require(pair.first == root && pair.second == root.left && pair.tag == 3, "pair", 0);
                require(carved[4] == ((Leaf) root).text, "export", 0);
                use(root, random);
                Kept now = new Kept(root, image, young);
                if (kept.size() < KEPT) {
                    kept.add(now);
                } else {
                    Kept before = kept.set(random.nextInt(KEPT), now);
                    before.check();
                    // What was changed lives on for a while and leads from old to young.
                    change(before.root, now.root);
                    changed[round++ % changed.length] = before.root;
                }
            }
            kept.forEach(Kept::check);
        } catch (Throwable e) {
            FAILURE.compareAndSet(null, e);
        }
    }

    /** Locks and hashes copies, with contention. */
    private static void use(Node root, Random random) throws InterruptedException {
        int hash = System.identityHashCode(root);
        synchronized (root) {
            if (random.nextInt(50) == 0) {
                root.wait(0, 1000);
            }
            require(hash == System.identityHashCode(root), "hash", root.number);
        }
        Node left = root.left;
        if (left != null && random.nextInt(2) == 0) {
            synchronized (left) {
                System.identityHashCode(left);
            }
        }
    }

    private static void change(Node before, Node now) {
        before.left = now;
        before.right = new Leaf();
        before.old = new Object[] {before, now};
        ((Leaf) before).up[0] = now;
        ((Leaf) before).text = "changed " + now.number;
    }

    /** Main class of a child JVM that must not survive: a reference into the middle of an object. */
    static final class WrongReference {
        private WrongReference() {}

        public static void main(String[] args) {
            Carver carver = MACHINE.carver();
            Object[] array = {"first", "second"};
            CarveRequest request = new SampleImage(carver, MACHINE.memory(), MACHINE.heapLayout())
                    .of(new Object[] {array}, new Object[0]);
            HeapLayout layout = MACHINE.heapLayout();
            int slot = (int) request.piece(0).objectsOffset + layout.referenceArrayBaseOffset();
            ByteBuffer image = ByteBuffer.wrap(request.image).order(ByteOrder.LITTLE_ENDIAN);
            image.putInt(slot, image.getInt(slot) + layout.objectAlignmentBytes() / 8);
            List<Object[]> kept = new ArrayList<>();
            try (CarvingSpace space = carver.newSpace()) {
                for (int i = 0; i < 100; i++) {
                    kept.add(space.carve(request));
                }
            }
            System.gc();
            System.out.println("survived=" + kept.size());
        }
    }

    /** Main class of a child JVM with one hot loop, in which a JIT compiler learns all it can about the array of numbers. */
    static final class HotLoop {
        private static final int ROUNDS = 150_000;

        private HotLoop() {}

        public static void main(String[] args) {
            Carver carver = MACHINE.carver();
            int[] numbers = {1, 2, 3};
            Object[] roots = {"text", numbers, new Object[] {numbers}};
            CarveRequest request = new SampleImage(carver, MACHINE.memory(), MACHINE.heapLayout()).of(roots, roots);
            long sum = 0;
            long carved = 0;
            try (CarvingSpace kept = carver.newSpace()) {
                for (int i = 0; i < ROUNDS; i++) {
                    // Now and then one that does not leave this method.
                    Object[] result = i % 64 == 0 ? carveInNewSpace(carver, request) : kept.carve(request);
                    if (result != null) {
                        carved++;
                        sum += result.length + ((String) result[0]).length() + ((int[]) result[1])[2];
                        sum += ((Object[]) result[2])[0] == result[4] ? 1 : 0;
                    }
                }
            }
            System.out.println("carved=" + carved);
            System.out.println("ok=" + (sum == carved * (6 + 4 + 3 + 1)));
        }

        private static Object[] carveInNewSpace(Carver carver, CarveRequest request) {
            try (CarvingSpace space = carver.newSpace()) {
                return space.carve(request);
            }
        }
    }
}
