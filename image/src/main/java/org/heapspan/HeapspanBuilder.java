package org.heapspan;

import java.io.ObjectInputFilter;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.image.engine.ImageEngine;
import org.heapspan.image.format.Limits;
import org.jspecify.annotations.Nullable;

/** Sets the options of a {@link Heapspan}. Each option has a default. Not thread-safe. */
public final class HeapspanBuilder {
    private Mode mode = Mode.SERIAL;
    private boolean checksum = true;
    private @Nullable ObjectInputFilter filter;
    private boolean followsJvmFilter = true;
    private final List<String> allowed = new ArrayList<>();
    private @Nullable ClassLoader loader;
    private boolean findableOnly;
    private long maxBytes = Long.MAX_VALUE;
    private long maxObjects = Limits.NONE.maxObjects();
    private int maxArrayLength = Integer.MAX_VALUE;
    private @Nullable TypeRegistry typeRegistry;
    private LoaderScopes loaderScopes = new LoaderScopes();
    private final Map<Field, FieldUpdate> updates = new HashMap<>();
    private @Nullable ObjectLinks links;
    private @Nullable Double verifiedShare;

    HeapspanBuilder() {}

    /**
     * Sets what happens to transient fields. Default: {@link Mode#SERIAL}.
     *
     * @param newMode the mode
     * @return this
     */
    public HeapspanBuilder mode(Mode newMode) {
        mode = newMode;
        return this;
    }

    /**
     * Sets whether frames have a CRC32C checksum, which readers compare before they use a frame. Default: true. {@link
     * Heapspan#decodeTrusted(byte[], Class)} trusts raw images without checksums like memory: damaged bytes can crash the JVM.
     *
     * @param newChecksum false if the transport has its own checksums
     * @return this
     */
    public HeapspanBuilder checksum(boolean newChecksum) {
        checksum = newChecksum;
        return this;
    }

    /**
     * Sets the filter that accepts or rejects each class and array of an image, after the allow-list. Default: the filter of the JVM at the time
     * of the read ({@code jdk.serialFilter}, {@code ObjectInputFilter.Config}).
     *
     * @param newFilter the filter
     * @return this
     */
    public HeapspanBuilder filter(ObjectInputFilter newFilter) {
        filter = newFilter;
        followsJvmFilter = false;
        return this;
    }

    /**
     * Adds patterns to the allow-list: the name of a class (with its nested classes), {@code Outer$*} for nested classes only, {@code
     * package.*}, {@code package.**}, and {@code *} for all classes. If there is an allow-list, decoding loads only its classes and the JDK's
     * plain data. Classes on the list need not be Serializable. Default: no list.
     *
     * @param patterns the classes to accept
     * @return this
     * @throws IllegalArgumentException if one is no pattern
     */
    public HeapspanBuilder allow(String... patterns) {
        for (String pattern : patterns) {
            ImageEngine.checkPattern(pattern);
            allowed.add(pattern);
        }
        return this;
    }

    /**
     * Sets the class loader that finds the classes of images. Default: the context class loader of the thread that decodes.
     *
     * @param newLoader the loader
     * @return this
     */
    public HeapspanBuilder classLoader(ClassLoader newLoader) {
        loader = newLoader;
        return this;
    }

    /**
     * Sets whether encoding refuses an object if this instance could not find its class again. A class is refused if {@link #classLoader} does
     * not find its name, or finds another class of that name. An example is a class that a program has compiled at run time. For a dynamic proxy
     * the interfaces are looked up. Each class is looked up once. {@link Heapspan#copy} is not affected. Default: false, because the reader can
     * be another JVM.
     *
     * @param newFindableOnly true if this instance also decodes the images. Set a {@link #classLoader} too: without it, the context class loader
     *     of the thread that encodes is used
     * @return this
     */
    public HeapspanBuilder findableOnly(boolean newFindableOnly) {
        findableOnly = newFindableOnly;
        return this;
    }

    /**
     * Limits the bytes of a decoded image: bodies and type descriptions, without the headers of the image (8 bytes) and of its frames (12 bytes
     * each). Default: no limit.
     *
     * @param limit bytes, at least 1
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public HeapspanBuilder maxBytes(long limit) {
        maxBytes = positive("maxBytes", limit);
        return this;
    }

    /**
     * Limits the decoded objects of one identity scope: a graph, a record, a group that is one scope, or an object stream up to its next {@code
     * reset}. Objects without identity do not count: boxes, {@code java.time} values, Optionals, enum constants. Each of them takes at least one
     * byte, so {@link #maxBytes} limits them. Default: 2^31 - 17.
     *
     * @param limit objects, at least 1
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public HeapspanBuilder maxObjects(long limit) {
        maxObjects = Math.min(positive("maxObjects", limit), Limits.NONE.maxObjects());
        return this;
    }

    /**
     * Limits the length of decoded arrays, collections and buffers. Strings do not count; {@link #maxBytes} limits them. Default: no limit
     * except the size of the image.
     *
     * @param limit elements, at least 1
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public HeapspanBuilder maxArrayLength(int limit) {
        maxArrayLength = (int) positive("maxArrayLength", limit);
        return this;
    }

    /**
     * Sets a registry. Images then have numbers instead of descriptions of types. Default: no registry.
     *
     * @param registry the registry; all readers of the images need the same
     * @return this
     */
    public HeapspanBuilder typeRegistry(TypeRegistry registry) {
        typeRegistry = registry;
        return this;
    }

    /**
     * Sets names of class loaders. With these names the registry distinguishes classes of equal name and layout, and a reader finds the class
     * loader of such a class. Without a registry they have no effect. Default: no names. All classes are then in the unnamed scope.
     *
     * @param scopes the names; names can be added later
     * @return this
     */
    public HeapspanBuilder loaderScopes(LoaderScopes scopes) {
        loaderScopes = scopes;
        return this;
    }

    private static long positive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " is " + value + ", expected a positive number");
        }
        return value;
    }

    /**
     * Registers a function that computes a new value of a field in each decoded object, when the graph is complete (Skyway section 3.3). {@link
     * Heapspan#copy} calls it too.
     *
     * @param field the field of an instance, transient or not
     * @param function computes the value; must be thread-safe
     * @return this
     * @throws IllegalArgumentException if the field is static
     */
    public HeapspanBuilder registerUpdate(Field field, FieldUpdate function) {
        if (Modifier.isStatic(field.getModifiers())) {
            throw new IllegalArgumentException(field + " is static, expected an instance field");
        }
        updates.put(field, function);
        return this;
    }

    /**
     * Sets fields whose objects are not part of an image. The image refers to them by number. Default: no such fields. An image with such
     * references can be decoded only by instances with the same links. Fields of classes with serialization methods ({@code writeObject}) cannot
     * be such fields.
     *
     * @param newLinks the fields, and the objects for the numbers
     * @return this
     */
    public HeapspanBuilder links(ObjectLinks newLinks) {
        links = newLinks;
        return this;
    }

    /**
     * Sets the share of raw images that both engines decode, to compare the results. Only images that the direct engine decodes count. If the
     * results differ, the call returns the result of the portable engine. The direct engine is switched off for the rest of the process. One
     * line of {@link System.Logger} at level ERROR says what differed. If property {@code heapspan.verify.dump} names a folder, the image is
     * written to it. A verified image is decoded at least twice, with its hooks and updates. Default: property {@code heapspan.verify}, or else
     * 0.
     *
     * @param share 0 for none to 1 for all
     * @return this
     * @throws IllegalArgumentException if the number is not in this range
     */
    public HeapspanBuilder verify(double share) {
        if (!ImageEngine.isShare(share)) {
            throw new IllegalArgumentException("verify is " + share + ", expected a number from 0 to 1");
        }
        verifiedShare = share;
        return this;
    }

    /**
     * Creates the instance.
     *
     * @return the instance
     * @throws IllegalArgumentException if property {@code heapspan.verify} or {@code heapspan.verify.dump} is invalid: correct or remove it
     */
    public Heapspan build() {
        double shareOfProperty = ImageEngine.verifiedShare();
        ImageEngine engine = new ImageEngine(
                mode,
                updates,
                links,
                checksum,
                filter,
                followsJvmFilter,
                allowed,
                loader,
                findableOnly,
                new Limits(maxBytes, maxObjects, maxArrayLength),
                typeRegistry,
                loaderScopes,
                verifiedShare == null ? shareOfProperty : verifiedShare);
        return new Heapspan(engine);
    }
}
