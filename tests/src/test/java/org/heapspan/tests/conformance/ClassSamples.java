package org.heapspan.tests.conformance;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * An object of each public class of {@code java.base} that has any: made by hand, or by a public constructor or factory method that is
 * content with plain arguments. The same in every process.
 */
final class ClassSamples {

    private ClassSamples() {}

    /** Makes an object. */
    @FunctionalInterface
    interface Maker {
        Object make() throws Exception;
    }

    /**
     * Makers of all samples, by name: that of the class, or how the object is made. A maker gives null where none of the ways to make
     * an object is content.
     */
    static Map<String, Maker> all() {
        Map<String, Maker> makers = new TreeMap<>();
        for (Class<?> type : classesOf("java.base/java")) {
            Maker found = HandMadeSamples.of(type.getName());
            makers.put(type.getName(), found != null ? found : () -> automatic(type, 0));
        }
        makers.putAll(HandMadeSamples.others());
        return makers;
    }

    /** Public classes, exceptions apart, of which there can be direct instances. */
    static List<Class<?>> classesOf(String folder) {
        List<Class<?>> found = new ArrayList<>();
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/" + folder);
        Path module = root.getParent();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path each : (Iterable<Path>) files::iterator) {
                String file = module.relativize(each).toString();
                if (file.endsWith(".class")) {
                    String name =
                            file.substring(0, file.length() - ".class".length()).replace('/', '.');
                    Class<?> type = name.endsWith("-info") ? null : publicClass(name);
                    if (type != null) {
                        found.add(type);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    private static Class<?> publicClass(String name) {
        try {
            Class<?> type = Class.forName(name, false, null);
            for (Class<?> c = type; c != null; c = c.getDeclaringClass()) {
                if (!Modifier.isPublic(c.getModifiers())) {
                    return null;
                }
            }
            boolean hasInstances = type.isEnum() || !Modifier.isAbstract(type.getModifiers());
            return hasInstances && !type.isAnonymousClass() && !type.isAnnotation() ? type : null;
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    // ---------------------------------------------------------------- making

    /** An object of a class by the first of its public constructors and factories that is content; null if none is. */
    static Object automatic(Class<?> type, int depth) {
        if (type.isEnum()) {
            Object[] constants = type.getEnumConstants();
            return constants.length == 0 ? null : constants[constants.length - 1];
        }
        List<Executable> ways = new ArrayList<>();
        for (Constructor<?> each : type.getConstructors()) {
            ways.add(each);
        }
        for (Method each : type.getMethods()) {
            if (Modifier.isStatic(each.getModifiers())
                    && each.getDeclaringClass() == type
                    && each.getReturnType() == type
                    && !each.getName().startsWith("now")) {
                ways.add(each);
            }
        }
        ways.sort(Comparator.comparingInt(ClassSamples::rank)
                .thenComparing(Executable::getParameterCount, Comparator.reverseOrder())
                .thenComparing(Executable::toString));
        for (Executable way : ways) {
            Object made = make(way, depth);
            if (made != null && made.getClass() == type) {
                fill(made);
                return made;
            }
        }
        return null;
    }

    /** Constructors that take contents say most about an object, those without parameters least. */
    private static int rank(Executable way) {
        boolean contents = Arrays.stream(way.getParameterTypes())
                .anyMatch(type -> Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
        int rank = contents ? 0 : way.getParameterCount() == 0 ? 3 : 1;
        return way.isAnnotationPresent(Deprecated.class) ? rank + 4 : rank;
    }

    private static Object make(Executable way, int depth) {
        Class<?>[] types = way.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = argument(types[i], depth);
            if (arguments[i] == null) {
                return null;
            }
        }
        try {
            return way instanceof Constructor<?> constructor
                    ? constructor.newInstance(arguments)
                    : ((Method) way).invoke(null, arguments);
        } catch (InvocationTargetException | IllegalAccessException | InstantiationException refused) {
            return null;
        }
    }

    private static Object argument(Class<?> type, int depth) {
        Maker maker = ARGUMENTS.get(type);
        try {
            if (maker != null) {
                return maker.make();
            }
            boolean simple = depth == 0 && !type.isArray() && Modifier.isPublic(type.getModifiers());
            if (!simple) {
                return null;
            }
            Maker byHand = HandMadeSamples.of(type.getName());
            return byHand != null ? byHand.make() : type.isInterface() ? null : automatic(type, depth + 1);
        } catch (Exception e) {
            throw new IllegalStateException("argument of " + type, e);
        }
    }

    private static void fill(Object made) {
        try {
            if (made instanceof Collection<?> collection && collection.isEmpty()) {
                @SuppressWarnings("unchecked")
                Collection<Object> filled = (Collection<Object>) collection;
                filled.add("a");
                filled.add("b");
            } else if (made instanceof Map<?, ?> map && map.isEmpty()) {
                @SuppressWarnings("unchecked")
                Map<Object, Object> filled = (Map<Object, Object>) map;
                filled.put("a", "1");
                filled.put("b", "2");
            }
        } catch (RuntimeException takesOthers) {
            // It stays empty.
        }
    }

    private static final Map<Class<?>, Maker> ARGUMENTS = arguments();

    private static Map<Class<?>, Maker> arguments() {
        Map<Class<?>, Maker> arguments = new LinkedHashMap<>();
        arguments.put(boolean.class, () -> true);
        arguments.put(byte.class, () -> (byte) 1);
        arguments.put(short.class, () -> (short) 2);
        arguments.put(int.class, () -> 3);
        arguments.put(long.class, () -> 5L);
        arguments.put(char.class, () -> 'c');
        arguments.put(float.class, () -> 1.5f);
        arguments.put(double.class, () -> 2.5);
        arguments.put(Object.class, () -> "o");
        arguments.put(String.class, () -> "1");
        arguments.put(CharSequence.class, () -> "1");
        arguments.put(Class.class, () -> String.class);
        arguments.put(Charset.class, () -> StandardCharsets.UTF_8);
        arguments.put(Locale.class, () -> Locale.US);
        arguments.put(Collection.class, () -> new ArrayList<>(List.of("a", "b")));
        arguments.put(List.class, () -> new ArrayList<>(List.of("a", "b")));
        arguments.put(Set.class, () -> new java.util.TreeSet<>(List.of("a", "b")));
        arguments.put(java.util.SortedSet.class, () -> new java.util.TreeSet<>(List.of("a", "b")));
        arguments.put(Map.class, () -> new HashMap<>(Map.of("a", "1")));
        arguments.put(java.util.SortedMap.class, () -> new TreeMap<>(Map.of("a", "1")));
        arguments.put(Comparator.class, Comparator::naturalOrder);
        arguments.put(Throwable.class, () -> new Exception("cause"));
        arguments.put(Exception.class, () -> new Exception("cause"));
        arguments.put(InputStream.class, () -> new ByteArrayInputStream(new byte[] {1, 2, 3}));
        arguments.put(OutputStream.class, ByteArrayOutputStream::new);
        arguments.put(Reader.class, () -> new StringReader("text"));
        arguments.put(Writer.class, StringWriter::new);
        arguments.put(File.class, () -> new File("file"));
        arguments.put(Path.class, () -> Path.of("file"));
        arguments.put(URI.class, () -> URI.create("http://localhost/x"));
        arguments.put(BigInteger.class, () -> BigInteger.valueOf(7));
        arguments.put(BigDecimal.class, () -> BigDecimal.valueOf(7, 1));
        arguments.put(boolean[].class, () -> new boolean[] {true});
        arguments.put(byte[].class, () -> new byte[] {1, 2, 3});
        arguments.put(char[].class, () -> new char[] {'a', 'b'});
        arguments.put(int[].class, () -> new int[] {1, 2});
        arguments.put(long[].class, () -> new long[] {1, 2});
        arguments.put(double[].class, () -> new double[] {1, 2});
        arguments.put(String[].class, () -> new String[] {"a", "b"});
        arguments.put(Object[].class, () -> new Object[] {"a", "b"});
        return arguments;
    }
}
