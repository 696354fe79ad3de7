package org.heapspan.h2;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.heapspan.HeapspanException.Category;
import org.heapspan.ObjectLinks;
import org.jspecify.annotations.Nullable;

/**
 * Objects that many roots of a second heap refer to. Each is stored once. All readers get the same object, as long as one of them refers to it.
 * Shared objects replace TeraHeap's references between regions (section 3.3): a shared object lives until the last root that refers to it is
 * gone.
 *
 * <p>The program names the fields that refer to shared objects. When a root is first written, the object in such a field is stored separately.
 * The program need not tag it. Do not change shared objects.
 *
 * <pre>{@code
 * SharedObjects shared = SharedObjects.inFields(field -> field.getName().equals("index"));
 * SecondHeap heap = SecondHeap.open(directory, SecondHeapOptions.capacity(bytes).withShared(shared));
 * }</pre>
 *
 * <p>Constants of the program are not stored. A constant is an object in a static final field of its own class, of a superclass, of an enclosing
 * class, or of the Scala companion of one of these. All readers get the constant itself. {@link #inFields(Predicate, Function)} adds more
 * constants.
 *
 * <p>If you set your own {@code Heapspan} instances ({@link SecondHeapOptions#withHeapspan}, {@link SecondHeap#appender(Label,
 * org.heapspan.Heapspan)}), give this object to their {@link org.heapspan.HeapspanBuilder#links}. Other references to the same object are
 * copied. If a shared object refers to itself through such a field, the reference leads to a copy. In a chain of shared objects only the first
 * 64 are shared. Thread-safe. For one heap.
 */
public final class SharedObjects implements ObjectLinks {
    /** Regions of their own: they outlive the labels of those who refer to them. */
    static final Label LABEL = Label.of(Long.MIN_VALUE);

    /**
     * Chains of shared objects are not longer: they are read, and let go of, one within the other. What would make one longer is copied.
     */
    static final int MOST_DEPTH = 64;

    /** The bytes for which this thread encodes objects at the moment. */
    private static final ThreadLocal<@Nullable Residence> ENCODED_FOR = new ThreadLocal<>();

    /** What this thread is storing, each because the one before refers to it. */
    private static final ThreadLocal<Deque<Object>> BEING_STORED = ThreadLocal.withInitial(ArrayDeque::new);

    private final Predicate<Field> fields;
    private final AtomicBoolean bound = new AtomicBoolean();
    private final AtomicLong nextNumber = new AtomicLong();
    private final ConcurrentHashMap<Long, SharedRoot> byNumber = new ConcurrentHashMap<>();

    /** Numbers of objects on the Java heap; of roots that may be gone. */
    private final WeakIdentityMap<Long> byObject = new WeakIdentityMap<>();

    /** Where they are; null before it is opened and after it was closed, so that classes, which know this, do not keep it. */
    private volatile @Nullable SecondHeap heap;

    private volatile KeptObjects kept = new KeptObjects(0);

    private final ConstantObjects constants;

    private SharedObjects(Predicate<Field> fields, Function<Class<?>, @Nullable Predicate<Object>> otherConstants) {
        this.fields = fields;
        constants = new ConstantObjects(otherConstants);
    }

    /**
     * Shares the objects in certain fields.
     *
     * @param fields whether a field refers to shared objects; called once for each field of each class that is written field by field. Choose
     *     fields of large objects that many roots refer to: each shared object takes about 300 bytes of the Java heap, and one write
     * @return for the options of one heap
     */
    public static SharedObjects inFields(Predicate<Field> fields) {
        return inFields(fields, type -> null);
    }

    /**
     * As {@link #inFields(Predicate)}, with further constants.
     *
     * @param fields whether a field refers to shared objects
     * @param otherConstants returns, for a class, which of its direct instances are also constants, or null; called once for each class.
     *     Constants are referenced as long as this object
     * @return for the options of one heap
     */
    public static SharedObjects inFields(
            Predicate<Field> fields, Function<Class<?>, @Nullable Predicate<Object>> otherConstants) {
        return new SharedObjects(fields, otherConstants);
    }

    /**
     * Makes a heap the place of the objects.
     *
     * @param keptBytes how much of them stays on the Java heap
     * @throws SecondHeapException of category USAGE if another has been before
     */
    void bind(SecondHeap owner, long keptBytes) {
        if (!bound.compareAndSet(false, true)) {
            throw new SecondHeapException(
                    Category.USAGE,
                    "these shared objects belong to another second heap; create new ones for each heap");
        }
        kept = new KeptObjects(keptBytes);
        heap = owner;
    }

    /** Lets go of the heap and all that is in it. */
    void close() {
        heap = null;
        byNumber.clear();
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
        SecondHeap owner = heap;
        Residence dependent = ENCODED_FOR.get();
        if (owner == null || dependent == null) {
            return NONE;
        }
        SharedRoot known = find(object);
        if (known != null && known.depth() >= MOST_DEPTH) {
            return NONE;
        }
        return known != null && dependent.dependsOn(known) ? known.number() : store(owner, dependent, object);
    }

    private @Nullable SharedRoot find(Object object) {
        Long number = byObject.get(object);
        return number == null ? null : byNumber.get(number);
    }

    /** Without a lock, as that takes long and may ask the owner of other roots to make room. Two threads may store the same object; one of them in vain. */
    private long store(SecondHeap owner, Residence dependent, Object object) {
        Deque<Object> beingStored = BEING_STORED.get();
        if (beingStored.size() >= MOST_DEPTH || isBeingStored(beingStored, object)) {
            return NONE;
        }
        SharedRoot made;
        beingStored.push(object);
        // Whatever else is encoded meanwhile is not for these bytes.
        ENCODED_FOR.set(null);
        try {
            made = owner.storeShared(this, nextNumber.getAndIncrement(), dependent.codec(), object);
        } finally {
            ENCODED_FOR.set(dependent);
            beingStored.pop();
        }
        made.retain();
        try {
            return publish(made, dependent, object);
        } finally {
            made.release();
        }
    }

    private synchronized long publish(SharedRoot made, Residence dependent, Object object) {
        SharedRoot earlier = find(object);
        if (earlier != null && dependent.dependsOn(earlier)) {
            return earlier.number();
        }
        dependent.dependsOn(made);
        dependent.addSharedBytes(made.imageBytes());
        byNumber.put(made.number(), made);
        byObject.put(object, made.number());
        return made.number();
    }

    @SuppressWarnings("ReferenceEquality") // Identity is what it is about.
    private static boolean isBeingStored(Deque<Object> beingStored, Object object) {
        for (Object each : beingStored) {
            if (each == object) {
                return true;
            }
        }
        return false;
    }

    @Override
    public @Nullable Constants constantsOf(Class<?> type) {
        return constants.of(type);
    }

    @Override
    public Object objectOf(long number) {
        if (number >= ConstantObjects.FIRST_NUMBER) {
            return constant(number);
        }
        SharedRoot root = byNumber.get(number);
        if (root == null && bound.get() && heap == null) {
            throw SecondHeap.closed();
        }
        if (root == null) {
            throw new SecondHeapException(
                    Category.MALFORMED,
                    "the image refers to shared object " + number
                            + ", which this second heap does not have; the image was read after its root was closed,"
                            + " or belongs to another heap");
        }
        return root.object();
    }

    private Object constant(long number) {
        Object object = constants.get(number);
        if (object == null) {
            throw new SecondHeapException(
                    Category.MALFORMED,
                    "the image refers to constant " + number
                            + ", which does not exist any more; its class was unloaded, or the image belongs to another heap");
        }
        return object;
    }

    /** How a root refers to its object from now on. */
    Reference<Object> referenceTo(Object object, long imageBytes) {
        return kept.referenceTo(object, imageBytes);
    }

    /** Notes which object of the Java heap a root is from now on, and how it refers to it; before it did by a reference that is empty now. */
    Reference<Object> isNow(SharedRoot root, Object object, Reference<Object> before) {
        byObject.put(object, root.number());
        kept.release(before);
        return kept.referenceTo(object, root.imageBytes());
    }

    /** Nobody depends on it any more. */
    void gone(SharedRoot root, Reference<Object> last) {
        byNumber.remove(root.number());
        kept.release(last);
    }

    /** Bytes of images of what is kept on the Java heap, too. */
    long keptBytes() {
        return kept.bytes();
    }

    /** How many there are. */
    int count() {
        return byNumber.size();
    }
}
