package org.heapspan.image;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.image.HostileStructure.Body;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Field;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.heapspan.image.type.VettedClasses;
import org.heapspan.testing.TestImages;

/** Decodes in a small heap what takes most memory for its bytes: hostile images, and as many small objects of each class as there is room. */
public final class HostileMemoryRun {
    private static final Heapspan HEAPSPAN = Heapspan.builder().checksum(false).build();

    /** With 128 bytes of memory for each it takes a third of the heap. */
    private static final int IMAGE_BYTES = 64 << 10;

    private static final int MISSING_BYTES = 4 * IMAGE_BYTES;

    private HostileMemoryRun() {}

    /** Runs in a JVM of its own. */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        System.out.println("refused=" + hostile());
        System.out.println("root="
                + HEAPSPAN.decode(missingClasses(), Object.class).getClass().getSimpleName());
        System.out.println("classes=" + dense());
    }

    private static int hostile() {
        int refused = 0;
        HostileStructure optional = HostileStructure.named("Optional");
        for (HostileStructure structure : HostileStructure.all()) {
            byte[] image = HostileStructure.nested(
                    ImageFormat.FLAG_RECORD_SCOPE, new Body(), optional, structure, 500, IMAGE_BYTES);
            try {
                HEAPSPAN.decode(image, Object.class);
            } catch (HeapspanException expected) {
                refused++;
            }
        }
        return refused;
    }

    /** Had a field once. */
    static final class Lighter implements Serializable {}

    /** An array of objects of thousands of classes that do not exist, which is no error in a field that does not exist any more either. */
    private static byte[] missingClasses() {
        String name = Lighter.class.getName();
        Level level = new Level(name, 0, List.of(new Field('L', "gone")));
        ByteArrayOutputStream types = new ByteArrayOutputStream();
        types.writeBytes(new TypeDescription(Kind.FIELDS, name, List.of(), List.of(level)).encode());
        int count = 0;
        for (; types.size() < MISSING_BYTES; count++) {
            TypeDescription missing = new TypeDescription(Kind.FIELDS, "a" + count, List.of(), List.of());
            types.writeBytes(missing.encode());
        }
        int tag = ImageFormat.TAG_FIRST_DESCRIBED_TYPE;
        Body body = new Body().numbers(tag, 20, count, 0);
        for (int i = 1; i <= count; i++) {
            body.numbers(tag + i);
        }
        return TestImages.image(ImageFormat.FLAG_RECORD_SCOPE, types.toByteArray(), body.toByteArray());
    }

    /** Objects of all classes that may come from anywhere and have a constructor without parameters. */
    private static int dense() throws IOException, ReflectiveOperationException {
        int classes = 0;
        for (Class<?> type : vettedClasses()) {
            Constructor<?> constructor = constructor(type);
            if (constructor == null) {
                continue;
            }
            byte[] image;
            try {
                image = imageOfMany(constructor, false);
            } catch (HeapspanException refusedByItsName) {
                continue;
            }
            HEAPSPAN.decode(image, Object[].class);
            classes++;
            if (Collection.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type)) {
                HEAPSPAN.decode(imageOfMany(constructor, true), Object[].class);
            }
        }
        return classes;
    }

    private static Constructor<?> constructor(Class<?> type) {
        // Exceptions are all alike.
        boolean concrete = Modifier.isPublic(type.getModifiers())
                && !Modifier.isAbstract(type.getModifiers())
                && (!Throwable.class.isAssignableFrom(type) || type == RuntimeException.class);
        try {
            return concrete && Serializable.class.isAssignableFrom(type) ? type.getConstructor() : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    private static List<Class<?>> vettedClasses() throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
        try (Stream<Path> files = Files.walk(modules.resolve("java"))) {
            return files.map(file -> modules.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
                    .filter(VettedClasses::contains)
                    .sorted()
                    .<Class<?>>map(HostileMemoryRun::classNamed)
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

    private static byte[] imageOfMany(Constructor<?> constructor, boolean filled) throws ReflectiveOperationException {
        int count = Math.min(IMAGE_BYTES, IMAGE_BYTES * 1000 / sizeOf(constructor, filled, 1000));
        return HEAPSPAN.encode(many(constructor, filled, count));
    }

    private static int sizeOf(Constructor<?> constructor, boolean filled, int count)
            throws ReflectiveOperationException {
        return HEAPSPAN.encode(many(constructor, filled, count)).length;
    }

    @SuppressWarnings("unchecked")
    private static Object[] many(Constructor<?> constructor, boolean filled, int count)
            throws ReflectiveOperationException {
        Object[] many = new Object[count];
        for (int i = 0; i < count; i++) {
            many[i] = constructor.newInstance();
            if (filled && many[i] instanceof Collection<?> collection) {
                try {
                    ((Collection<Object>) collection).add(1);
                } catch (IllegalStateException full) {
                    // A queue without room.
                }
            } else if (filled) {
                ((Map<Object, Object>) many[i]).put(1, 1);
            }
        }
        return many;
    }
}
