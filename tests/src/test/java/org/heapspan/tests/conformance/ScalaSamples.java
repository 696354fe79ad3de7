package org.heapspan.tests.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.heapspan.tests.conformance.ClassSamples.Maker;
import scala.Tuple2;
import scala.collection.IterableOnce;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.Ordering;
import scala.reflect.ClassTag;

/** An object of each public class of Scala's collections that its companion or constructor makes from plain contents. */
final class ScalaSamples {

    private ScalaSamples() {}

    static Map<String, Maker> all() {
        Map<String, Maker> makers = new TreeMap<>();
        for (Class<?> type : classes()) {
            makers.put(type.getName(), () -> make(type));
        }
        return makers;
    }

    private static List<Class<?>> classes() {
        List<Class<?>> found = new ArrayList<>();
        try (JarFile library = new JarFile(Path.of(IterableOnce.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toFile())) {
            for (JarEntry entry : (Iterable<JarEntry>) library.stream()::iterator) {
                String name = entry.getName();
                // A dollar stands in the names of companions and of what no program names.
                if (name.matches("scala/collection/((im)?mutable|concurrent)/\\w+\\.class")) {
                    Class<?> type = Class.forName(
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'),
                            false,
                            ScalaSamples.class.getClassLoader());
                    int modifiers = type.getModifiers();
                    if (Modifier.isPublic(modifiers) && !Modifier.isAbstract(modifiers)) {
                        found.add(type);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }

    private static Object make(Class<?> type) throws IllegalAccessException {
        for (Object contents : List.of(scalaList(1, 2), scalaList(new Tuple2<>(1, "a")))) {
            for (Method method : type.getMethods()) {
                if (method.getName().equals("from") && Modifier.isStatic(method.getModifiers())) {
                    Object made = from(method, contents);
                    if (made != null) {
                        return made;
                    }
                }
            }
        }
        return ClassSamples.automatic(type, 0);
    }

    private static Object scalaList(Object... elements) {
        return CollectionConverters.asScala(Arrays.asList(elements)).toList();
    }

    private static Object from(Method method, Object contents) throws IllegalAccessException {
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = types[i] == IterableOnce.class
                    ? contents
                    : types[i] == Ordering.class
                            ? Ordering.Int$.MODULE$
                            : types[i] == ClassTag.class ? ClassTag.Int() : null;
            if (arguments[i] == null) {
                return null;
            }
        }
        try {
            return method.invoke(null, arguments);
        } catch (InvocationTargetException otherContents) {
            return null;
        }
    }
}
