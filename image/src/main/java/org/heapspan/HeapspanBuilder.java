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

/** Chooses the options of a {@link Heapspan}; every one has a default that works. Not thread-safe. */
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
     * Sets whether frames carry a CRC32C, which readers compare before they use a frame. Default: true. Raw images without it are
     * trusted like memory by {@link Heapspan#decodeTrusted(byte[], Class)}: bytes that were damaged may crash the JVM.
     *
     * @param newChecksum false where the transport checks already
     * @return this
     */
    public HeapspanBuilder checksum(boolean newChecksum) {
        checksum = newChecksum;
        return this;
    }

    /**
     * Sets the filter that is asked for each class and array of an image, after the allow-list. Default: the filter that
     * the JVM has when something is read ({@code jdk.serialFilter}, {@code ObjectInputFilter.Config}).
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
     * Adds to the allow-list: names of classes (their nested classes included), {@code Outer$*} for nested classes alone,
     * {@code package.*}, {@code package.**}. Once there is one, no other class is loaded while decoding, but for the JDK's plain data. Listed classes need not be
     * Serializable. Default: no list.
     *
     * @param patterns what to admit
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
     * Sets where classes are found. Default: the context class loader of the thread that decodes.
     *
     * @param newLoader the loader
     * @return this
     */
    public HeapspanBuilder classLoader(ClassLoader newLoader) {
        loader = newLoader;
        return this;
    }

    /**
     * Sets whether encoding refuses what this instance could not decode because of where it finds classes: objects of a class, and classes as
     * values, by whose name {@link #classLoader} finds nothing or another class, such as one that a program has compiled for itself. A dynamic
     * proxy needs its interfaces to be found. Each class is looked for once. Copies ({@link Heapspan#copy}) are made of any class. Default: false,
     * as the reader may be another JVM.
     *
     * @param newFindableOnly true where the instance that encodes also decodes; best with a {@link #classLoader}, without which that of the thread
     *     that encodes is asked
     * @return this
     */
    public HeapspanBuilder findableOnly(boolean newFindableOnly) {
        findableOnly = newFindableOnly;
        return this;
    }

    /**
     * Limits the bytes of an image that is decoded: bodies and descriptions of types, without the headers of the image (8 bytes) and of
     * its frames (12 each). Default: none.
     *
     * @param limit bytes
     * @return this
     */
    public HeapspanBuilder maxBytes(long limit) {
        maxBytes = positive("maxBytes", limit);
        return this;
    }

    /**
     * Limits the objects of an identity scope that is decoded: of a graph, a record, a group that is one scope, an object
     * stream up to its next {@code reset}. Counted are objects whose identity is kept; boxes, {@code java.time} values,
     * Optionals, enum constants and others that the image holds anew for each reference are not. How many of these there can be
     * follows from {@link #maxBytes}, because each takes a byte or more. Default: 2^31 - 17.
     *
     * @param limit objects
     * @return this
     */
    public HeapspanBuilder maxObjects(long limit) {
        maxObjects = Math.min(positive("maxObjects", limit), Limits.NONE.maxObjects());
        return this;
    }

    /**
     * Limits the length of arrays, collections and buffers that are decoded, not that of strings, which {@link #maxBytes} bounds.
     * Default: none but the size of the image.
     *
     * @param limit elements
     * @return this
     */
    public HeapspanBuilder maxArrayLength(int limit) {
        maxArrayLength = (int) positive("maxArrayLength", limit);
        return this;
    }

    /**
     * Sets a registry, so that images carry numbers in place of descriptions of types. Default: none, images describe their
     * types themselves.
     *
     * @param registry shared with all who read the images
     * @return this
     */
    public HeapspanBuilder typeRegistry(TypeRegistry registry) {
        typeRegistry = registry;
        return this;
    }

    /**
     * Sets the names of class loaders by which the registry tells apart classes of the same name and layout, and by which
     * the reader finds the loader of such a class. Without a registry they have no effect. Default: no names, all classes are
     * of the unnamed scope.
     *
     * @param scopes the names; more may be given later
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
     * Gives a field a new value in each object that arrives (Skyway section 3.3), once its graph is complete.
     *
     * @param field the field of an instance, transient or not
     * @param function computes the value
     * @return this
     * @throws IllegalArgumentException if the field is static
     */
    public HeapspanBuilder registerUpdate(Field field, FieldUpdate function) {
        if (Modifier.isStatic(field.getModifiers())) {
            throw new IllegalArgumentException(field + " is static, expected a field of objects that arrive");
        }
        updates.put(field, function);
        return this;
    }

    /**
     * Sets what keeps objects to which images refer by number, so that they hold no copy of them. Default: nothing, images are closed.
     * An image with such references can be decoded by instances with the same links only. Classes with serialization methods of
     * their own ({@code writeObject}) are not asked about their fields.
     *
     * @param newLinks which fields, and the objects by their numbers
     * @return this
     */
    public HeapspanBuilder links(ObjectLinks newLinks) {
        links = newLinks;
        return this;
    }

    /**
     * Sets how many of the raw images in which the direct engine has a part are decoded by both engines to compare the results.
     * Where they differ, the portable result is returned, the direct engine is switched off for the rest of the process, and one line
     * of {@link System.Logger} at level ERROR says what differed; property {@code heapspan.verify.dump} names a folder in which the
     * image is then kept. Such an image is decoded at least twice, hooks and updates included. Default: property
     * {@code heapspan.verify}, else 0.
     *
     * @param share 0 for none to 1 for all
     * @return this
     * @throws IllegalArgumentException if it is no such number
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
     * @throws IllegalArgumentException if property {@code heapspan.verify} or {@code heapspan.verify.dump} has a wrong value: correct
     *     or remove it
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
