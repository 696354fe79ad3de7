package org.heapspan.image;

import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Turns the type descriptions of an image into codecs, after asking whether the reader's owner admits the classes. The order is:
 * allow-list by name, loading (without initialisation), {@link ObjectInputFilter} with the class, then the rules for classes that
 * neither allows.
 *
 * <p>Belongs to one reader. What it remembers of the last image it holds weakly, so that it keeps no class alive.
 */
final class TypeResolver {
    private final CodecRegistry registry;
    private final Admission admission;

    private WeakReference<Remembered> remembered = new WeakReference<>(null);

    /** The types of one frame, by the bytes that described them. */
    private record Remembered(
            byte[] bytes, Codec[] codecs, @Nullable ClassLoader loader) {}

    TypeResolver(CodecRegistry registry, Admission admission) {
        this.registry = registry;
        this.admission = admission;
    }

    CodecRegistry registry() {
        return registry;
    }

    Limits limits() {
        return admission.limits();
    }

    boolean filtersBuiltInTypes() {
        return admission.filter() != null;
    }

    void checkArray(Class<?> arrayType, int length) {
        ObjectInputFilter filter = admission.filter();
        if (filter != null) {
            admission.ask(filter, arrayType, length);
        }
    }

    /** Asks for a class that the format knows, which a filter may nevertheless not want. */
    void checkBuiltIn(Codec codec) {
        ObjectInputFilter filter = admission.filter();
        if (filter != null && codec.type != ReplacingCodec.Reading.class) {
            admission.ask(filter, codec.type, -1);
        }
    }

    Codec[] resolve(byte[] bytes, int start, int sizeBytes, ImageReader reader) {
        ClassLoader loader = admission.loader();
        Remembered last = remembered.get();
        if (last != null
                && last.loader == loader
                && admission.filter() == null
                && Arrays.equals(last.bytes, 0, last.bytes.length, bytes, start, start + sizeBytes)) {
            return last.codecs;
        }
        Codec[] codecs = new Codec[8];
        int count = 0;
        int offset = start;
        int end = start + sizeBytes;
        while (offset < end) {
            int size = TypeDescription.sizeBytes(bytes, offset, end);
            if (count == codecs.length) {
                codecs = Arrays.copyOf(codecs, count * 2);
            }
            codecs[count++] = resolve(TypeDescription.decode(bytes, offset, size), loader);
            offset += size;
        }
        codecs = Arrays.copyOf(codecs, count);
        remembered = new WeakReference<>(new Remembered(Arrays.copyOfRange(bytes, start, end), codecs, loader));
        return codecs;
    }

    private Codec resolve(TypeDescription written, @Nullable ClassLoader loader) {
        Class<?> type;
        if (written.kind() == Kind.PROXY) {
            type = proxyClass(written.names(), loader);
        } else {
            type = admission.load(written.name(), loader, written.kind() == Kind.ENUM);
        }
        return registry.evolved(type, written);
    }

    private Class<?> proxyClass(List<String> interfaceNames, @Nullable ClassLoader loader) {
        Class<?>[] interfaces = new Class<?>[interfaceNames.size()];
        for (int i = 0; i < interfaces.length; i++) {
            interfaces[i] = admission.load(interfaceNames.get(i), loader, true);
            if (!interfaces[i].isInterface()) {
                throw new HeapspanException(
                        Category.MALFORMED, "a proxy names " + interfaces[i].getName() + ", which is no interface");
            }
        }
        try {
            @SuppressWarnings("deprecation") // The class is needed before there is an instance.
            Class<?> proxy = Proxy.getProxyClass(loaderOf(interfaces, loader), interfaces);
            return proxy;
        } catch (IllegalArgumentException e) {
            throw new HeapspanException(
                    Category.CLASS_NOT_FOUND,
                    "a proxy for " + interfaceNames + " cannot be made here: " + e.getMessage(),
                    e);
        }
    }

    private static @Nullable ClassLoader loaderOf(Class<?>[] interfaces, @Nullable ClassLoader loader) {
        for (Class<?> c : interfaces) {
            if (!java.lang.reflect.Modifier.isPublic(c.getModifiers())) {
                return c.getClassLoader();
            }
        }
        return loader;
    }

    /** A class that travels as a value. */
    Class<?> classNamed(String name) {
        Class<?> primitive = Admission.primitive(name);
        return primitive != null ? primitive : admission.load(name, admission.loader(), true);
    }

    /**
     * Whose classes a reader admits.
     *
     * @param trusted the bytes come from this process: any class the policy copies is admitted
     * @param allowed patterns of class names; empty for no allow-list
     */
    record Admission(
            boolean trusted,
            @Nullable ObjectInputFilter filter,
            List<NamePattern> allowed,
            @Nullable ClassLoader fixedLoader,
            Limits limits) {

        static Admission everything() {
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

        Class<?> load(String name, @Nullable ClassLoader loader, boolean asValue) {
            String elementName = elementName(name);
            boolean listed = elementName == null || NamePattern.anyMatches(allowed, elementName);
            if (!allowed.isEmpty() && elementName != null && !listed && !VettedClasses.contains(elementName)) {
                throw new HeapspanException(
                        Category.CLASS_REJECTED,
                        "class " + elementName + " is not on the allow-list of this reader; add it with allow(\""
                                + elementName + "\") if its objects are welcome");
            }
            Class<?> type;
            try {
                type = Class.forName(name, false, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                throw new HeapspanException(
                        Category.CLASS_NOT_FOUND,
                        "class " + name + " of the image is not found here by " + loader
                                + "; put it on the class path or set classLoader(...)",
                        e);
            }
            if (trusted) {
                return type;
            }
            boolean filterAllows = filter != null && ask(filter, type, -1);
            if (!filterAllows && !(listed && !allowed.isEmpty())) {
                checkUntrusted(type, asValue);
            }
            return type;
        }

        private static void checkUntrusted(Class<?> type, boolean asValue) {
            Class<?> element = type;
            while (element.isArray()) {
                element = element.getComponentType();
            }
            if (element.isPrimitive() || element == Object.class || asValue && element.isInterface()) {
                return;
            }
            if (ClassPolicy.isOfJdk(element)) {
                if (!VettedClasses.contains(element.getName())
                        && !(asValue && element.getName().startsWith("java."))) {
                    throw new HeapspanException(
                            Category.CLASS_REJECTED,
                            "class " + element.getName()
                                    + " of the JDK is not vetted for untrusted input; if its objects are"
                                    + " welcome, add it with allow(\"" + element.getName() + "\")");
                }
            } else if (!Serializable.class.isAssignableFrom(element) && !type.isArray() && !asValue) {
                throw new HeapspanException(
                        Category.CLASS_REJECTED,
                        "class " + element.getName()
                                + " is not Serializable; untrusted input may only hold classes that are, or"
                                + " that allow(\"" + element.getName() + "\") names");
            }
        }

        /** Asks the filter; true if it allows, false if it is undecided. */
        boolean ask(ObjectInputFilter chosen, Class<?> type, long arrayLength) {
            ObjectInputFilter.Status status;
            try {
                status = chosen.checkInput(new Question(type, arrayLength));
            } catch (RuntimeException e) {
                throw new HeapspanException(
                        Category.CLASS_REJECTED, "the filter failed on class " + type.getName() + ": " + e, e);
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

        private record Question(Class<?> type, long length) implements ObjectInputFilter.FilterInfo {
            @Override
            public Class<?> serialClass() {
                return type;
            }

            @Override
            public long arrayLength() {
                return length;
            }

            @Override
            public long depth() {
                return 1;
            }

            @Override
            public long references() {
                return 1;
            }

            @Override
            public long streamBytes() {
                return 1;
            }
        }
    }
}
