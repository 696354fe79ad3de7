package org.heapspan.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The limit on elements, for whatever holds elements: all of the JDK's collections and maps, and subclasses of them. */
public final class ContainerLimitsTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final int LIMIT = 20;

    /** A container with one element more than the limit, and one with as many. */
    record Case(Object tooLarge, Object largest) {}

    static Stream<Named<Case>> containers() throws IOException {
        List<Named<Case>> cases = new ArrayList<>();
        for (Class<?> type : containerClasses()) {
            add(cases, type.getName(), type);
            if (!Modifier.isFinal(type.getModifiers())) {
                add(cases, "subclass of " + type.getName(), subclass(type));
            }
        }
        assertThat(cases).hasSizeGreaterThan(40);
        for (Maker maker : others()) {
            cases.add(Named.of(maker.toString(), new Case(maker.make(LIMIT + 1), maker.make(LIMIT))));
        }
        return cases.stream();
    }

    private static void add(List<Named<Case>> cases, String name, Class<?> type) {
        Object tooLarge = filled(type, LIMIT + 1);
        if (tooLarge != null) {
            cases.add(Named.of(name, new Case(tooLarge, filled(type, LIMIT))));
        }
    }

    /** All public classes of the JDK that hold elements, travel, and have a constructor without parameters. */
    private static List<Class<?>> containerClasses() throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        try (Stream<Path> files = Files.walk(modules.resolve("java/util"))) {
            return files.map(file -> modules.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
                    .sorted()
                    .<Class<?>>map(ContainerLimitsTest::classNamed)
                    .filter(ContainerLimitsTest::isContainer)
                    .toList();
        }
    }

    private static Class<?> classNamed(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isContainer(Class<?> type) {
        return hasConstructor(type)
                && Modifier.isPublic(type.getModifiers())
                && !Modifier.isAbstract(type.getModifiers())
                && Serializable.class.isAssignableFrom(type)
                && (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
    }

    private static boolean hasConstructor(Class<?> type) {
        return Stream.of(type.getConstructors()).anyMatch(constructor -> constructor.getParameterCount() == 0);
    }

    private static final Map<Class<?>, Class<?>> SUBCLASSES = new ConcurrentHashMap<>();

    /** A class without anything of its own, which travels with the methods of its superclass. */
    private static Class<?> subclass(Class<?> type) {
        return SUBCLASSES.computeIfAbsent(type, ContainerLimitsTest::defineSubclass);
    }

    private static Class<?> defineSubclass(Class<?> type) {
        ClassWriter writer = new ClassWriter(0);
        String superName = type.getName().replace('.', '/');
        writer.visit(
                Opcodes.V17,
                Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER,
                ContainerLimitsTest.class.getPackageName().replace('.', '/') + "/Own" + type.getSimpleName(),
                null,
                superName,
                null);
        MethodVisitor constructor = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, superName, "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(1, 1);
        constructor.visitEnd();
        writer.visitEnd();
        try {
            return MethodHandles.lookup().defineClass(writer.toByteArray());
        } catch (IllegalAccessException | LinkageError e) {
            throw new IllegalStateException(type + " has no subclass: " + e, e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Object filled(Class<?> type, int count) {
        try {
            Object container = type.getConstructor().newInstance();
            if (container instanceof Map<?, ?> map) {
                IntStream.range(0, count).forEach(i -> ((Map<Object, Object>) map).put("key " + i, i));
            } else if (container instanceof Collection<?> collection) {
                IntStream.range(0, count).forEach(i -> ((Collection<Object>) collection).add(i));
            }
            if (container instanceof Vector<?> vector) {
                vector.trimToSize();
            }
            return container;
        } catch (IllegalStateException synchronousQueue) {
            return null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes what no constructor without parameters makes. */
    private record Maker(String name, java.util.function.IntFunction<Object> makes) {
        Object make(int count) {
            return makes.apply(count);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static List<Maker> others() {
        return List.of(
                new Maker("nCopies", n -> Collections.nCopies(n, "x")),
                new Maker("List.of", n -> List.copyOf(numbers(n))),
                new Maker("Set.of", n -> Set.copyOf(numbers(n))),
                new Maker("Map.of", n -> Map.copyOf(numbered(n))),
                new Maker("toList", n -> numbers(n).stream().toList()),
                new Maker("asList", n -> java.util.Arrays.asList(numbers(n).toArray())),
                new Maker("ArrayBlockingQueue", n -> new ArrayBlockingQueue<>(n, false, numbers(n))),
                new Maker("synchronizedMap", n -> Collections.synchronizedMap(new TreeMap<>(numbered(n)))),
                new Maker("unmodifiableList", n -> Collections.unmodifiableList(new ArrayList<>(numbers(n)))),
                new Maker("ByteBuffer", ByteBuffer::allocate),
                new Maker("direct ByteBuffer", ByteBuffer::allocateDirect),
                new Maker("int[]", int[]::new),
                new Maker("Object[]", Object[]::new),
                new Maker("String[]", String[]::new),
                new Maker("char[]", char[]::new));
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static Map<Integer, Integer> numbered(int count) {
        Map<Integer, Integer> map = new TreeMap<>();
        numbers(count).forEach(i -> map.put(i, i));
        return map;
    }

    @ParameterizedTest
    @MethodSource("containers")
    void keepsLimitOfElements(Case container) {
        Heapspan limited = limitedTo(LIMIT);
        assertThatThrownBy(() -> limited.decode(HEAPSPAN.encode(container.tooLarge), Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("maxArrayLength " + LIMIT);
        assertThat(limited.decode(HEAPSPAN.encode(container.largest), Object.class))
                .isInstanceOf(container.largest.getClass());
    }

    private static Heapspan limitedTo(int limit) {
        return Heapspan.builder().maxArrayLength(limit).build();
    }

    /** What the format has no other form for than its own must be among the cases. */
    @Test
    void knowsAllBuiltInContainers() throws IOException {
        Set<Class<?>> known = new java.util.HashSet<>(
                Set.of(EnumMap.class, EnumSet.noneOf(TimeUnit.class).getClass()));
        containers().forEach(each -> known.add(each.getPayload().largest().getClass()));
        for (int tag = ImageFormat.TAG_FIRST_TYPE; tag < ImageFormat.TAG_FIRST_DESCRIBED_TYPE; tag++) {
            Codec codec = BuiltInTypes.codec(tag);
            if (codec != null && isContainer(codec.type)) {
                assertThat(known).as("tag " + tag).contains(codec.type);
            }
        }
    }

    /** As many elements as an enum has constants. */
    @Test
    void keepsLimitOfMapsOfEnums() {
        Map<TimeUnit, Integer> map = new EnumMap<>(TimeUnit.class);
        for (TimeUnit unit : TimeUnit.values()) {
            map.put(unit, 1);
        }
        assertThatThrownBy(() -> limitedTo(map.size() - 1).decode(HEAPSPAN.encode(map), Map.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
        assertThat(limitedTo(map.size()).decode(HEAPSPAN.encode(map), Object.class))
                .isEqualTo(map);
    }

    @Test
    void refusesDirectBufferBeyondDirectMemory() throws IOException, InterruptedException {
        JavaProcess.Result result =
                JavaProcess.run(ContainerLimitsTest.class, List.of("-XX:MaxDirectMemorySize=1m", "-Xmx64m"));
        assertThat(result.value("category")).isEqualTo("LIMIT");
        assertThat(result.value("message")).contains("MaxDirectMemorySize", "2097152");
    }

    /** Runs in a JVM with little memory for direct buffers. */
    public static void main(String[] arguments) {
        byte[] image = Heapspan.builder().checksum(false).build().encode(ByteBuffer.allocate(2 << 20));
        // The buffer's flags come behind headers and tag.
        image[ImageFormat.IMAGE_HEADER_BYTES + ImageFormat.FRAME_HEADER_BYTES + 1] = 1;
        try {
            HEAPSPAN.decode(image, ByteBuffer.class);
        } catch (HeapspanException e) {
            System.out.println("category=" + e.category());
            System.out.println("message=" + e.getMessage());
        }
    }
}
