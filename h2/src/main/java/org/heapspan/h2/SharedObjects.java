package org.heapspan.h2;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.heapspan.HeapspanException.Category;
import org.heapspan.ObjectLinks;
import org.jspecify.annotations.Nullable;

/**
 * Objects that many roots of a second heap refer to: each is there once, and one object on the Java heap for all who read while any of them holds
 * it. It takes the place of TeraHeap's references between regions (section 3.3): a root depends on the shared objects that its
 * image refers to, and these live until the last such root is gone.
 *
 * <p>Which objects are shared is said by field: what such a field refers to becomes a root of its own when a root with it is first written, by
 * itself and without being tagged. Shared objects must not change.
 *
 * <pre>{@code
 * SharedObjects shared = SharedObjects.inFields(field -> field.getName().equals("index"));
 * SecondHeap heap = SecondHeap.open(directory, SecondHeapOptions.capacity(bytes).withShared(shared));
 * }</pre>
 *
 * <p>What encodes roots has to know it, too: instances that are given by {@link SecondHeapOptions#withHeapspan} or {@link SecondHeap#appender(Label,
 * org.heapspan.Heapspan)} are made with {@link org.heapspan.Heapspan.Builder#links}. Other references to the same object are copied as ever; a
 * shared object that leads back to itself through such a field has a copy of itself there. Thread-safe; for one heap.
 */
public final class SharedObjects implements ObjectLinks {
    /** Regions of their own: they outlive the labels of those who refer to them. */
    static final Label LABEL = Label.of(Long.MIN_VALUE);

    /** The bytes for which this thread encodes objects at the moment. */
    private static final ThreadLocal<@Nullable Residence> ENCODED_FOR = new ThreadLocal<>();

    private final Predicate<Field> fields;
    private final AtomicReference<@Nullable SecondHeap> heap = new AtomicReference<>();
    private final ConcurrentHashMap<Long, SharedRoot> byNumber = new ConcurrentHashMap<>();
    private final WeakIdentityMap<SharedRoot> byObject = new WeakIdentityMap<>();

    /** Held while one is stored: another that it refers to is stored by the same thread. */
    private final ReentrantLock storing = new ReentrantLock();

    // Guarded by storing.
    private final Deque<Object> beingStored = new ArrayDeque<>();
    private long nextNumber;

    private SharedObjects(Predicate<Field> fields) {
        this.fields = fields;
    }

    /**
     * Shares what certain fields refer to.
     *
     * @param fields whether a field refers to shared objects; asked once for each field of each class that travels field by field. Best for
     *     fields of large objects that many refer to: each shared object takes some 300 bytes of the Java heap and a write of its own
     * @return for the options of one heap
     */
    public static SharedObjects inFields(Predicate<Field> fields) {
        return new SharedObjects(fields);
    }

    /**
     * Makes a heap the place of the objects.
     *
     * @throws SecondHeapException of category USAGE if another has been before
     */
    void bind(SecondHeap owner) {
        if (!heap.compareAndSet(null, owner)) {
            throw new SecondHeapException(
                    Category.USAGE, "these shared objects belong to another second heap; make new ones for each heap");
        }
    }

    /** Does something that encodes objects for some bytes, which depend on what is shared then. */
    void encodingFor(Residence residence, Runnable encoding) {
        Residence outer = ENCODED_FOR.get();
        ENCODED_FOR.set(residence);
        try {
            encoding.run();
        } finally {
            ENCODED_FOR.set(outer);
        }
    }

    @Override
    public boolean isLinked(Field field) {
        return fields.test(field);
    }

    /** Finds or stores it; {@link #NONE} where no heap encodes. */
    @Override
    public long numberOf(Object object) {
        SecondHeap owner = heap.get();
        Residence dependent = ENCODED_FOR.get();
        if (owner == null || dependent == null) {
            return NONE;
        }
        SharedRoot known = byObject.get(object);
        return known != null && dependent.dependsOn(known) ? known.number() : store(owner, dependent, object);
    }

    private long store(SecondHeap owner, Residence dependent, Object object) {
        storing.lock();
        try {
            if (isBeingStored(object)) {
                return NONE;
            }
            SharedRoot known = byObject.get(object);
            if (known == null || !dependent.dependsOn(known)) {
                // Before those that it refers to get theirs.
                long number = nextNumber++;
                beingStored.push(object);
                try {
                    known = owner.storeShared(this, number, dependent.codec(), object);
                } finally {
                    beingStored.pop();
                }
                byNumber.put(known.number(), known);
                byObject.put(object, known);
                if (!dependent.dependsOn(known)) {
                    throw new IllegalStateException("a shared object is gone before anybody could depend on it");
                }
            }
            return known.number();
        } finally {
            storing.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality") // Identity is what it is about.
    private boolean isBeingStored(Object object) {
        for (Object each : beingStored) {
            if (each == object) {
                return true;
            }
        }
        return false;
    }

    @Override
    public Object objectOf(long number) {
        SharedRoot root = byNumber.get(number);
        if (root == null) {
            throw new SecondHeapException(
                    Category.MALFORMED,
                    "the image refers to shared object " + number
                            + ", which this second heap does not have; it was read after its root was closed, or is no image of this heap");
        }
        return root.object();
    }

    /** Notes which object of the Java heap a root is from now on. */
    void isNow(SharedRoot root, Object object) {
        byObject.put(object, root);
    }

    /** Nobody depends on it any more. */
    void gone(SharedRoot root) {
        byNumber.remove(root.number());
    }

    /** How many there are. */
    int count() {
        return byNumber.size();
    }
}
