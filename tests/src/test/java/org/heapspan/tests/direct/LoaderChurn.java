package org.heapspan.tests.direct;

import java.io.Serializable;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.vm.Carver;
import org.heapspan.vm.ClassFacts;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Makes classes in fresh loaders, reads raw images with them, and drops the loaders, so that the JVM uses the class words of unloaded
 * classes for others. Images of dropped loaders are read again with later ones: their class words then mean other classes, or none.
 */
final class LoaderChurn {
    private static final int SHAPES = 40;
    private static final int SHAPES_OF_LOADER = 4;
    private static final int OLD_IMAGES = 30;
    private static final int LOADERS_PER_COLLECTION = 6;

    private final SplittableRandom random;
    private final Carver carver;
    private final ReferenceQueue<ClassLoader> unloaded = new ReferenceQueue<>();
    private final Set<Watch> watches = new HashSet<>();
    private final Set<Long> deadWords = new HashSet<>();
    private final ArrayDeque<Image> old = new ArrayDeque<>();
    private final Heapspan ofContextLoader = Heapspan.create();
    private long loaders;
    private long gone;
    private long reused;

    LoaderChurn(long seed, Carver carver) {
        random = new SplittableRandom(seed);
        this.carver = carver;
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Image(byte[] bytes, int[] shapes, int salt) {}

    /** Remembers the class words of a loader's classes until it is gone. */
    private static final class Watch extends WeakReference<ClassLoader> {
        final List<Long> words = new ArrayList<>();

        Watch(ClassLoader loader, ReferenceQueue<ClassLoader> queue) {
            super(loader, queue);
        }
    }

    /** Defines the shapes that it is asked for. */
    private static final class ShapeLoader extends ClassLoader {
        private static final String PREFIX = "churned.Shape";

        ShapeLoader() {
            super(LoaderChurn.class.getClassLoader());
        }

        Class<?> shape(int index) throws ClassNotFoundException {
            return loadClass(PREFIX + index);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith(PREFIX)) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = classFile(name, Integer.parseInt(name.substring(PREFIX.length())));
            return defineClass(name, bytes, 0, bytes.length);
        }

        private static byte[] classFile(String name, int index) {
            ClassWriter writer = new ClassWriter(0);
            String internal = name.replace('.', '/');
            writer.visit(
                    Opcodes.V17,
                    Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER,
                    internal,
                    null,
                    "java/lang/Object",
                    new String[] {Serializable.class.getName().replace('.', '/')});
            field(writer, "number", "I");
            field(writer, "next", "Ljava/lang/Object;");
            field(writer, "text", "Ljava/lang/String;");
            // Sizes and reference slots differ from shape to shape.
            for (int i = 0; i < index % 7; i++) {
                field(writer, "a" + i, i % 2 == 0 ? "J" : "Ljava/lang/Object;");
            }
            for (int i = 0; i < index / 7; i++) {
                field(writer, "b" + i, i % 2 == 0 ? "L" + internal + ";" : "I");
            }
            MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
            code.visitCode();
            code.visitVarInsn(Opcodes.ALOAD, 0);
            code.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
            code.visitInsn(Opcodes.RETURN);
            code.visitMaxs(1, 1);
            code.visitEnd();
            writer.visitEnd();
            return writer.toByteArray();
        }

        private static void field(ClassWriter writer, String name, String descriptor) {
            writer.visitField(Opcodes.ACC_PUBLIC, name, descriptor, null, null).visitEnd();
        }
    }

    void run(BooleanSupplier finished) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            // A short run on a busy machine may be over before the first loader.
            while (loaders < LOADERS_PER_COLLECTION || !finished.getAsBoolean()) {
                useLoader(thread);
                thread.setContextClassLoader(before);
                if (++loaders % LOADERS_PER_COLLECTION == 0) {
                    System.gc();
                }
                notice();
            }
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a class just made cannot be used", e);
        } finally {
            thread.setContextClassLoader(before);
        }
        System.out.println("loaders=" + loaders);
        System.out.println("unloaded=" + gone);
        System.out.println("reusedWords=" + reused);
    }

    private void useLoader(Thread thread) throws ReflectiveOperationException {
        ShapeLoader loader = new ShapeLoader();
        thread.setContextClassLoader(loader);
        Heapspan own = Heapspan.builder().classLoader(loader).build();
        int[] shapes = random.ints(SHAPES_OF_LOADER, 0, SHAPES).toArray();
        int salt = random.nextInt(1000);
        Object[] graph = make(loader, shapes, salt);
        byte[] bytes = own.encode(graph, Encoding.RAW);
        check(own.decodeTrusted(bytes, Object[].class), loader, shapes, salt);
        check(ofContextLoader.decodeTrusted(bytes, Object[].class), loader, shapes, salt);
        for (Image each : old) {
            if (random.nextInt(6) == 0) {
                Heapspan reader = random.nextBoolean() ? own : ofContextLoader;
                check(reader.decodeTrusted(each.bytes, Object[].class), loader, each.shapes, each.salt);
            }
        }
        old.add(new Image(bytes, shapes, salt));
        if (old.size() > OLD_IMAGES) {
            old.remove();
        }
        watch(loader, shapes);
    }

    private void watch(ShapeLoader loader, int[] shapes) throws ReflectiveOperationException {
        Watch watch = new Watch(loader, unloaded);
        for (int shape : shapes) {
            ClassFacts facts = carver == null ? null : carver.classFacts(loader.shape(shape));
            if (facts != null && !watch.words.contains(facts.classWord())) {
                watch.words.add(facts.classWord());
                reused += deadWords.remove(facts.classWord()) ? 1 : 0;
            }
        }
        watches.add(watch);
    }

    private void notice() {
        for (Reference<?> each = unloaded.poll(); each != null; each = unloaded.poll()) {
            Watch watch = (Watch) each;
            watches.remove(watch);
            deadWords.addAll(watch.words);
            gone++;
        }
    }

    /** A ring of objects of some shapes, and an array of each. */
    private static Object[] make(ShapeLoader loader, int[] shapes, int salt) throws ReflectiveOperationException {
        Object[] graph = new Object[2 * shapes.length];
        for (int i = 0; i < shapes.length; i++) {
            graph[i] = loader.shape(shapes[i]).getConstructor().newInstance();
        }
        for (int i = 0; i < shapes.length; i++) {
            Class<?> type = graph[i].getClass();
            Object next = graph[(i + 1) % shapes.length];
            for (Field field : type.getFields()) {
                field.set(graph[i], value(field, graph[i], next, salt + i));
            }
            Object array = Array.newInstance(type, 2);
            Array.set(array, 0, graph[i]);
            graph[shapes.length + i] = array;
        }
        return graph;
    }

    private static Object value(Field field, Object self, Object next, int salt) {
        if (field.getType() == int.class) {
            return salt;
        } else if (field.getType() == long.class) {
            return -1L - salt;
        } else if (field.getType() == String.class) {
            return "shape " + salt;
        }
        return field.getType() == Object.class ? next : self;
    }

    private static void check(Object[] graph, ShapeLoader loader, int[] shapes, int salt)
            throws ReflectiveOperationException {
        require(Objects.requireNonNull(graph).length == 2 * shapes.length, "the length of the graph");
        for (int i = 0; i < shapes.length; i++) {
            Object object = graph[i];
            Class<?> type = loader.shape(shapes[i]);
            require(object.getClass() == type, "the class of an object, " + object.getClass());
            Object next = graph[(i + 1) % shapes.length];
            for (Field field : type.getFields()) {
                Object expected = value(field, object, next, salt + i);
                Object actual = field.get(object);
                require(
                        field.getType().isPrimitive() || field.getType() == String.class
                                ? expected.equals(actual)
                                : expected == actual,
                        field + " = " + actual);
            }
            Object array = graph[shapes.length + i];
            require(array.getClass().getComponentType() == type, "the class of an array, " + array.getClass());
            require(Array.get(array, 0) == object && Array.get(array, 1) == null, "elements of an array");
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what + " is not what was encoded, after class unloading");
        }
    }
}
