package org.heapspan.image.graph;

import java.util.Arrays;
import java.util.function.IntFunction;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.MissingObject;
import org.heapspan.vm.RawMemory;
import org.jspecify.annotations.Nullable;

/**
 * Finds the objects of its scope that have been read, by the index that the image has for them. It is the counterpart of {@link
 * IdentityWriter}. Not thread-safe.
 */
public abstract sealed class IdentityReader extends FrameReader permits ReferenceReader {
    private static final @Nullable RawMemory RAW = Access.RAW;
    private static final long OBJECT_ARRAY_SCALE = RAW == null ? 0 : RAW.arrayIndexScale(Object[].class);
    private static final Object[] NO_OBJECTS = {};

    /** Stands for null where an object became that: by its writeReplace or readResolve. */
    private static final Object NULL = new Object();

    /** A table of so many objects is not worth making anew for the next image. */
    private static final int KEPT_OBJECTS = 256;

    /** Set while the image is raw. */
    @Nullable
    RawInput raw;

    private Object[] objects = NO_OBJECTS;
    private int objectCount;

    /** The index of the first object read; in a raw image those below belong to copies. */
    private int firstIndex;

    /** Whether objects are kept for back references. */
    private boolean remembers;

    /** Beyond this many objects a larger table is needed, or there are more than the limits allow. */
    private long roomObjects;

    /** How many things that are being read, one within another, will not be kept. */
    private int dropping;

    /** Whether the indexes of references are of two kinds. */
    private boolean sharesObjects;

    /** What this reader has already; null if that is nothing. */
    private @Nullable IntFunction<?> shared;

    /** The least place of an object, other than a string, to which a back reference has led in the current section. */
    int leastReference = Integer.MAX_VALUE;

    private final DroppedObjects dropped = new DroppedObjects();

    IdentityReader(TypeResolver resolver) {
        super(resolver);
    }

    /**
     * Begins an image, once its header has been read.
     *
     * @param remembersObjects whether there may be back references in it
     * @param refersToShared whether it may refer to objects that it does not hold
     */
    final void beginIdentity(boolean remembersObjects, boolean refersToShared) {
        remembers = remembersObjects;
        sharesObjects = refersToShared;
        shared = null;
        roomObjects = remembers ? objects.length : resolver.limits().maxObjects();
    }

    /**
     * Sets what the image may refer to.
     *
     * @param objects the object of a number from 0 on, which may be any number; fails if there is none
     */
    public final void share(IntFunction<?> objects) {
        shared = objects;
    }

    /** Forgets the objects read so far; the next one has index 0. */
    final void forgetObjects() {
        if (objectCount > 0) {
            Arrays.fill(objects, 0, Math.min(objectCount, objects.length), null);
            objectCount = 0;
        }
        dropping = 0;
        dropped.clear();
    }

    /** As {@link #forgetObjects} between records; objects may stay in the table a little longer: only the count says what is valid. */
    final void beginRecordObjects() {
        objectCount = 0;
        dropped.clear();
    }

    /** Lets go of everything that belongs to the image. */
    final void releaseIdentity() {
        forgetObjects();
        if (objects.length > KEPT_OBJECTS) {
            objects = NO_OBJECTS;
        } else {
            // Those of records before the last are still there.
            Arrays.fill(objects, null);
        }
        roomObjects = 0;
        shared = null;
    }

    public void setFirstIndex(int index) {
        firstIndex = index;
    }

    /** Gives the next index to an object. */
    public void register(@Nullable Object object) {
        int index = objectCount;
        if (index >= roomObjects) {
            makeRoom();
        }
        if (remembers) {
            remember(index, object);
        }
        objectCount = index + 1;
    }

    private void remember(int index, @Nullable Object object) {
        if (RAW != null) {
            // Without the checks of index and element class, which have been made.
            RAW.putReference(objects, Access.OBJECT_ARRAY_BASE + index * OBJECT_ARRAY_SCALE, object);
        } else {
            objects[index] = object;
        }
    }

    /** Takes the next index for an object that exists only once its contents are read. */
    public int reserveIndex() {
        register(null);
        return objectCount - 1;
    }

    /** Sets what an index leads to from now on; null if nothing came of the object. */
    public void setObject(int index, @Nullable Object object) {
        if (remembers) {
            objects[index] = object == null ? NULL : object;
        }
    }

    @Override
    int objectCount() {
        return objectCount;
    }

    private void makeRoom() {
        long most = resolver.limits().maxObjects();
        if (roomObjects >= most) {
            throw new HeapspanException(
                    Category.LIMIT,
                    "the image holds more than " + most + " objects, the limit of this reader (maxObjects)");
        }
        long larger = Math.min(Math.max(objects.length * 4L, 16), most);
        objects = Arrays.copyOf(objects, (int) larger);
        roomObjects = larger;
    }

    /**
     * Returns what a reference leads to.
     *
     * @param reference the index in the image
     */
    @Nullable
    public Object object(int reference) {
        int index = reference;
        if (sharesObjects) {
            if ((reference & 1) != 0) {
                return sharedObject(reference >>> 1);
            }
            index = reference >>> 1;
        }
        int place = index - firstIndex;
        if (place < 0 && index >= 0 && raw != null) {
            leastReference = Math.min(leastReference, place);
            return raw.copy(index);
        }
        if (place < 0 || place >= objectCount) {
            throw malformed("back reference to object " + index + ", " + objectCount + " are known");
        }
        if (!remembers) {
            throw malformed("back reference to object " + index + " in an image whose header says that it has none");
        }
        Object object = objects[place];
        if (object == NULL) {
            return null;
        }
        if (object instanceof MissingObject missing && dropping == 0) {
            throw missing.toException();
        }
        if (dropped.mayHold(place) && dropping == 0 && object != null) {
            dropped.check(object);
        }
        if (object == null) {
            throw new HeapspanException(
                    Category.HOOK,
                    "object " + index + " is part of a cycle through an object that exists only once its contents are"
                            + " complete (an immutable collection, a serialization proxy); break the cycle or use a"
                            + " mutable class");
        }
        if (place < leastReference && !(object instanceof String)) {
            leastReference = place;
        }
        return object;
    }

    private Object sharedObject(int number) {
        if (shared == null) {
            throw new HeapspanException(
                    Category.USAGE,
                    "the image refers to shared object " + number
                            + ", which it does not hold; decode it with the shared objects of its writer");
        }
        return shared.apply(number);
    }

    // ---------------------------------------------------------------- dropped objects

    /** Whether what is being read will not be kept. */
    public boolean dropping() {
        return dropping > 0;
    }

    public void beginDropping(boolean drops) {
        if (drops && dropping++ == 0) {
            dropped.begin(objectCount);
        }
    }

    public void endDropping(boolean drops) {
        if (drops && --dropping == 0) {
            dropped.end(objectCount);
        }
    }

    /** Takes notice of an object, among those that are dropped, whose class is missing. */
    public void addMissing() {
        dropped.addMissing();
    }
}
