package org.heapspan.image.graph;

import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.LoaderScopes;
import org.heapspan.TypeRegistry;
import org.heapspan.image.format.FrameChecksum;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.format.Limits;
import org.heapspan.image.format.PrintableText;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.NamePattern;
import org.heapspan.image.type.ProxyClasses;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.VettedClasses;
import org.jspecify.annotations.Nullable;

/**
 * Finds the codecs for the type descriptions of an image, and checks first whether the reader's owner allows the classes. The order is:
 * allow-list by name, loading (without initialisation), {@link ObjectInputFilter} with the class, then the rules for classes on which
 * neither decides.
 *
 * <p>Thread-safe. Its caches are weak, and do not prevent the unloading of classes.
 */
public final class TypeResolver {
    private final CodecRegistry registry;
    private final Admission admission;

    private final Memory memory;

    /** What the readers of an engine remember together of the latest frames, so that opening an image costs a comparison. */
    static final class Memory {
        /** Records of some hundred different sets of types may come one by one: 2 KB, and a miss costs a microsecond for each type. */
        private static final int PLACE_BITS = 9;

        private static final int PLACES = 1 << PLACE_BITS;

        /** The golden ratio, whose products differ most in their upper bits. */
        private static final long FACTOR = 0x9E3779B97F4A7C15L;

        /** Racy on purpose: an entry that gets lost is found again. */
        private final AtomicReferenceArray<@Nullable WeakReference<DescribedTypes>> places =
                new AtomicReferenceArray<>(PLACES);

        private static int place(byte[] bytes, int start, int sizeBytes) {
            // Sets of types mostly differ in size or at their end; those of numbers are short.
            long hash = sizeBytes;
            if (sizeBytes >= Long.BYTES) {
                hash = mixed(hash, bytes, start);
                hash = mixed(hash, bytes, start + (sizeBytes - Long.BYTES) / 3);
                hash = mixed(hash, bytes, start + (sizeBytes - Long.BYTES) / 2);
                hash = mixed(hash, bytes, start + sizeBytes - Long.BYTES);
            } else {
                hash = hash * FACTOR + bytes[start] * 31 + bytes[start + sizeBytes - 1];
            }
            return (int) (hash * FACTOR >>> Long.SIZE - PLACE_BITS);
        }

        private static long mixed(long hash, byte[] bytes, int position) {
            return (hash ^ (long) ImageFormat.LONG.get(bytes, position)) * FACTOR;
        }

        private @Nullable DescribedTypes find(
                byte[] bytes, int start, int sizeBytes, @Nullable ClassLoader loader, int generation) {
            WeakReference<DescribedTypes> reference = places.getAcquire(place(bytes, start, sizeBytes));
            DescribedTypes found = reference == null ? null : reference.get();
            boolean same = found != null
                    && found.loader == loader
                    && found.generation == generation
                    && Arrays.equals(found.bytes, 0, found.bytes.length, bytes, start, start + sizeBytes);
            return same ? found : null;
        }

        private void put(DescribedTypes types) {
            byte[] bytes = types.bytes;
            places.setRelease(place(bytes, 0, bytes.length), new WeakReference<>(types));
        }
    }

    private final @Nullable RegisteredTypes registeredTypes;

    public TypeResolver(CodecRegistry registry, Admission admission, @Nullable RegisteredTypes registeredTypes) {
        this.registry = registry;
        this.admission = admission;
        this.registeredTypes = registeredTypes;
        this.memory = new Memory();
    }

    public CodecRegistry registry() {
        return registry;
    }

    public Limits limits() {
        return admission.limits();
    }

    /** Where classes are found now. */
    @Nullable
    public ClassLoader loader() {
        return admission.loader();
    }

    /** Whether the reader's owner vouches for the bytes. */
    boolean isTrusting() {
        return admission.trusted();
    }

    boolean filtersBuiltInTypes() {
        return admission.filter() != null;
    }

    void checkArray(Class<?> arrayType, int length, FrameReader reader) {
        ObjectInputFilter filter = admission.filter();
        if (filter != null) {
            admission.ask(filter, arrayType, length, reader);
        }
    }

    /** Asks for a class that the format knows, which a filter may nevertheless not want. */
    void checkBuiltIn(Codec codec, FrameReader reader) {
        ObjectInputFilter filter = admission.filter();
        if (filter != null
                && codec.builtInTag != ImageFormat.TAG_REPLACED
                && codec.builtInTag != ImageFormat.TAG_LINK) {
            admission.ask(filter, codec.type, -1, reader);
        }
    }

    /** The types of a frame if they are those of a frame before, byte by byte; else null. */
    @Nullable
    DescribedTypes remembered(byte[] bytes, int start, int sizeBytes) {
        return admission.filter() == null
                ? memory.find(bytes, start, sizeBytes, admission.loader(), generation())
                : null;
    }

    private int generation() {
        return registeredTypes == null ? 0 : registeredTypes.scopes().generation();
    }

    /**
     * Takes the types of a frame, whose classes are looked for only when they are needed.
     *
     * @param numbered whether they are numbers of a registry instead of descriptions
     */
    DescribedTypes describe(byte[] bytes, int start, int sizeBytes, boolean numbered) {
        ClassLoader loader = admission.loader();
        int generation = generation();
        // A copy of our own: whoever holds the image may change it meanwhile.
        byte[] types = Arrays.copyOfRange(bytes, start, start + sizeBytes);
        List<DescribedTypes.Type> written = new ArrayList<>();
        if (numbered) {
            TypeRegistry known = registeredTypes == null ? null : registeredTypes.registry();
            for (TypeRegistry.Type type : RegisteredTypes.read(known, types, 0, sizeBytes, Integer.MAX_VALUE)) {
                byte[] description = type.description();
                written.add(new DescribedTypes.Type(
                        type.loaderScope(), TypeDescription.decode(description, 0, description.length)));
            }
        } else {
            int offset = 0;
            while (offset < sizeBytes) {
                int size = TypeDescription.sizeBytes(types, offset, sizeBytes);
                written.add(new DescribedTypes.Type(LoaderScopes.UNNAMED, TypeDescription.decode(types, offset, size)));
                offset += size;
            }
        }
        int checksum = new FrameChecksum().of(types, 0, sizeBytes);
        DescribedTypes described = new DescribedTypes(types, checksum, written, loader, generation);
        memory.put(described);
        return described;
    }

    /**
     * Finds the codec of a type, of which there is an object.
     *
     * @param unnamed where classes of the unnamed loader scope are found
     */
    Codec resolve(DescribedTypes.Type described, @Nullable ClassLoader unnamed, FrameReader reader) {
        TypeDescription written = described.written();
        Class<?> type = null;
        try {
            ClassLoader loader = loaderOf(described.loaderScope(), unnamed);
            type = written.kind() == Kind.PROXY
                    ? proxyClass(written.names(), loader, reader)
                    : load(written, loader, reader);
            prepare(type, written);
            return registry.evolved(type, written);
        } catch (HeapspanException e) {
            if (type == null && e.category() == Category.CLASS_NOT_FOUND && written.kind() == Kind.FIELDS) {
                return registry.missing(written, e);
            }
            throw e;
        } catch (LinkageError e) {
            throw unusable(type == null ? written.name() : type.getName(), e);
        }
    }

    private Class<?> load(TypeDescription written, @Nullable ClassLoader loader, FrameReader reader) {
        Class<?> type = admission.load(written.name(), loader, written.kind() == Kind.ENUM, reader);
        boolean isObject = written.kind() == Kind.ENUM && !type.isEnum();
        // More is asked for an object than for a constant.
        return isObject ? admission.load(written.name(), loader, false, reader) : type;
    }

    /** What becomes of a class that fails when its codec is made or its first object. */
    public static HeapspanException unusable(String className, LinkageError e) {
        return new HeapspanException(
                Category.HOOK,
                "class " + className
                        + " of the image cannot be used here, because its static initializer failed or a"
                        + " class that it needs is missing: " + e,
                e);
    }

    /**
     * Initializes the class of objects, here and not by the first of them, so that a failure has one place; and refuses a class that
     * has none, or none that could be made first and filled then.
     */
    private static void prepare(Class<?> type, TypeDescription written) {
        checkReadable(type, written);
        if (isOfObjects(written) || written.kind() == Kind.ENUM || written.kind() == Kind.PROXY) {
            try {
                Class.forName(type.getName(), true, type.getClassLoader());
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(type + " is not known to its own loader", e);
            }
        }
    }

    private static boolean isOfObjects(TypeDescription written) {
        return written.kind() == Kind.FIELDS || written.kind() == Kind.HOOKS || written.kind() == Kind.EXTERNAL;
    }

    public static void checkReadable(Class<?> type, TypeDescription written) {
        if (isOfObjects(written)
                && (Modifier.isAbstract(type.getModifiers()) || type == String.class || type == Class.class)) {
            throw new HeapspanException(
                    Category.EVOLUTION,
                    "class " + type.getName() + " was written as " + written.kind()
                            + " but here no such object can be created (the class is abstract, an interface, an"
                            + " array, or built in); use the same version on both sides");
        }
    }

    private @Nullable ClassLoader loaderOf(String loaderScope, @Nullable ClassLoader unnamed) {
        return registeredTypes == null ? unnamed : registeredTypes.loaderOf(loaderScope, unnamed);
    }

    private Class<?> proxyClass(List<String> interfaceNames, @Nullable ClassLoader loader, FrameReader reader) {
        Class<?>[] interfaces = new Class<?>[interfaceNames.size()];
        for (int i = 0; i < interfaces.length; i++) {
            interfaces[i] = admission.load(interfaceNames.get(i), loader, true, reader);
            if (!interfaces[i].isInterface()) {
                throw new HeapspanException(
                        Category.MALFORMED, "a proxy names " + interfaces[i].getName() + ", which is not an interface");
            }
        }
        ClassLoader definer = loaderOf(interfaces, loader);
        if (!admission.trusted()) {
            ProxyClasses.count(definer, interfaces);
        }
        try {
            @SuppressWarnings("deprecation") // The class is needed before there is an instance.
            Class<?> proxy = Proxy.getProxyClass(definer, interfaces);
            return proxy;
        } catch (RuntimeException e) {
            // Interfaces that do not go together, or more of them than a class can have.
            throw new HeapspanException(
                    Category.CLASS_NOT_FOUND,
                    "a proxy for " + interfaceNames + " cannot be made here: " + e.getMessage(),
                    e);
        }
    }

    private static @Nullable ClassLoader loaderOf(Class<?>[] interfaces, @Nullable ClassLoader loader) {
        for (Class<?> c : interfaces) {
            if (!Modifier.isPublic(c.getModifiers())) {
                return c.getClassLoader();
            }
        }
        return loader;
    }

    /** A class that travels as a value. */
    public Class<?> classNamed(String name, FrameReader reader) {
        List<String> interfaceNames = ProxyClasses.interfaceNames(name);
        if (interfaceNames != null) {
            return proxyClass(interfaceNames, admission.loader(), reader);
        }
        Class<?> primitive = Admission.primitive(name);
        return primitive != null ? primitive : admission.load(name, admission.loader(), true, reader);
    }

    /**
     * Whose classes a reader admits.
     *
     * @param trusted the bytes come from this process: any class the policy copies is admitted
     * @param allowed patterns of class names; empty for no allow-list
     */
    public record Admission(
            boolean trusted,
            @Nullable ObjectInputFilter filter,
            List<NamePattern> allowed,
            @Nullable ClassLoader fixedLoader,
            Limits limits) {

        /** Of arrays. A name of 300 bytes can bring 255 classes along, which stay as long as the class of the elements. */
        private static final int MOST_DIMENSIONS = 16;

        public static Admission everything() {
            return new Admission(true, null, List.of(), null, Limits.NONE);
        }

        @Nullable
        ClassLoader loader() {
            if (fixedLoader != null) {
                return fixedLoader;
            }
            ClassLoader context = Thread.currentThread().getContextClassLoader();
            return context != null ? context : Admission.class.getClassLoader();
        }

        Class<?> load(String name, @Nullable ClassLoader loader, boolean asValue, FrameReader reader) {
            String elementName = elementName(name);
            boolean listed = elementName == null || NamePattern.anyMatches(allowed, elementName);
            if (!allowed.isEmpty() && elementName != null && !listed && !VettedClasses.contains(elementName)) {
                throw new HeapspanException(
                        Category.CLASS_REJECTED,
                        "class " + elementName + " is not on the allow-list of this reader; add it with allow(\""
                                + elementName + "\") if its objects are welcome");
            }
            if (!trusted && name.lastIndexOf('[') >= MOST_DIMENSIONS) {
                throw new HeapspanException(
                        Category.LIMIT,
                        "the image names an array of " + (name.lastIndexOf('[') + 1)
                                + " dimensions; untrusted input may have arrays of " + MOST_DIMENSIONS
                                + ", because the JVM keeps a class for each");
            }
            Class<?> type = find(name, loader);
            if (trusted) {
                return type;
            }
            boolean filterAllows = filter != null && ask(filter, type, -1, reader);
            if (!filterAllows && !(listed && !allowed.isEmpty())) {
                checkUntrusted(type, asValue);
            }
            return type;
        }

        /** Finds a class, whoever admits it. */
        static Class<?> find(String name, @Nullable ClassLoader loader) {
            try {
                return Class.forName(name, false, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                throw new HeapspanException(
                        Category.CLASS_NOT_FOUND,
                        "class " + name + " of the image is not found here by " + loader
                                + "; put it on the class path or set classLoader(...)",
                        PrintableText.causeOrNull(e));
            }
        }

        private static void checkUntrusted(Class<?> type, boolean asValue) {
            // An array brings no code along, whatever its elements; those are asked for themselves.
            Class<?> element = type;
            if (element.isArray()
                    || element.isPrimitive()
                    || element == Object.class
                    || asValue && element.isInterface()) {
                return;
            }
            if (JdkClasses.contain(element)) {
                if (!VettedClasses.contains(element.getName())
                        && !(asValue && element.getName().startsWith("java."))) {
                    throw new HeapspanException(
                            Category.CLASS_REJECTED,
                            "class " + element.getName()
                                    + " of the JDK is not vetted for untrusted input; if its objects are"
                                    + " welcome, add it with allow(\"" + element.getName() + "\")");
                }
            } else if (!Serializable.class.isAssignableFrom(element) && !asValue) {
                throw new HeapspanException(
                        Category.CLASS_REJECTED,
                        "class " + element.getName()
                                + " is not Serializable; untrusted input may only hold classes that are, or"
                                + " that allow(\"" + element.getName() + "\") names");
            }
        }

        /** Asks the filter; true if it allows, false if it is undecided. */
        boolean ask(ObjectInputFilter chosen, Class<?> type, long arrayLength, FrameReader reader) {
            ObjectInputFilter.Status status;
            try {
                status = chosen.checkInput(
                        new Question(type, arrayLength, reader.depth() + 1L, reader.objectCount(), reader.bytesRead()));
            } catch (RuntimeException e) {
                throw new HeapspanException(
                        Category.CLASS_REJECTED,
                        "the filter threw an exception for class " + type.getName() + ": " + e,
                        e);
            }
            if (status == null || status == ObjectInputFilter.Status.REJECTED) {
                throw new HeapspanException(
                        Category.CLASS_REJECTED,
                        "the filter rejects class " + type.getName()
                                + (arrayLength >= 0 ? " of length " + arrayLength : "")
                                + "; change the ObjectInputFilter if its objects are welcome",
                        new InvalidClassException(type.getName(), "filter status: " + status));
            }
            return status == ObjectInputFilter.Status.ALLOWED;
        }

        private static @Nullable String elementName(String name) {
            if (!name.startsWith("[")) {
                return name;
            }
            int start = name.lastIndexOf('[') + 1;
            return name.startsWith("L", start) && name.endsWith(";")
                    ? name.substring(start + 1, name.length() - 1)
                    : null;
        }

        static @Nullable Class<?> primitive(String name) {
            return switch (name) {
                case "boolean" -> boolean.class;
                case "byte" -> byte.class;
                case "short" -> short.class;
                case "char" -> char.class;
                case "int" -> int.class;
                case "long" -> long.class;
                case "float" -> float.class;
                case "double" -> double.class;
                case "void" -> void.class;
                default -> null;
            };
        }

        private record Question(Class<?> serialClass, long arrayLength, long depth, long references, long streamBytes)
                implements ObjectInputFilter.FilterInfo {}
    }
}
