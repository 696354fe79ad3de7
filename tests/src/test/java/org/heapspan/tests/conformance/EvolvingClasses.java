package org.heapspan.tests.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Two versions of a set of classes, compiled at test time: the sender loads version 1, the receiver version 2.
 *
 * <p>Each class of version 1 has a static {@code make()}. Neither version is on the class path of the tests.
 */
final class EvolvingClasses {

    /** Folder with {@code v1} and {@code v2}; set by the harness for its children. */
    static final String DIRECTORY_PROPERTY = "heapspan.tests.evolving";

    /** Which version this process has: {@code v1} or {@code v2}. */
    static final String VERSION_PROPERTY = "heapspan.tests.evolving.version";

    private static ClassLoader loader;

    private EvolvingClasses() {}

    static synchronized ClassLoader loader() {
        if (loader == null) {
            String directory = System.getProperty(DIRECTORY_PROPERTY);
            if (directory == null) {
                loader = EvolvingClasses.class.getClassLoader();
            } else {
                try {
                    URL url = Path.of(directory, System.getProperty(VERSION_PROPERTY))
                            .toUri()
                            .toURL();
                    loader = new URLClassLoader(new URL[] {url}, EvolvingClasses.class.getClassLoader());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return loader;
    }

    static Object make(String simpleName) throws ReflectiveOperationException {
        var method = loader().loadClass("evolving." + simpleName).getDeclaredMethod("make");
        method.setAccessible(true);
        return method.invoke(null);
    }

    static Class<?> type(String simpleName) throws ReflectiveOperationException {
        return loader().loadClass("evolving." + simpleName);
    }

    static Object constant(String simpleName, String constant) throws ReflectiveOperationException {
        for (Object each : type(simpleName).getEnumConstants()) {
            if (((Enum<?>) each).name().equals(constant)) {
                return each;
            }
        }
        throw new IllegalArgumentException(constant);
    }

    static Object get(Object object, String fieldName) throws ReflectiveOperationException {
        for (Class<?> each = object.getClass(); each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (field.getName().equals(fieldName)) {
                    field.setAccessible(true);
                    return field.get(object);
                }
            }
        }
        throw new NoSuchFieldException(object.getClass() + "." + fieldName);
    }

    /** Compiles both versions below {@code directory}; needs a JDK, as the build does. */
    static void compile(Path directory) {
        compile(directory, "v1", Map.of("All", version1()));
        compile(directory, "v2", Map.of("All", version2()));
    }

    private static void compile(Path directory, String version, Map<String, String> bodies) {
        try {
            Path sources = Files.createDirectories(directory.resolve(version + "-sources/evolving"));
            Path classes = Files.createDirectories(directory.resolve(version));
            List<String> arguments = new ArrayList<>(List.of("--release", "17", "-nowarn", "-d", classes.toString()));
            for (Map.Entry<String, String> each : new LinkedHashMap<>(bodies).entrySet()) {
                Path source = sources.resolve(each.getKey() + ".java");
                Files.writeString(source, each.getValue());
                arguments.add(source.toString());
            }
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            if (compiler == null) {
                throw new IllegalStateException("no Java compiler: these tests need a JDK, not a run-time image");
            }
            int result = compiler.run(null, null, null, arguments.toArray(new String[0]));
            if (result != 0) {
                throw new IllegalStateException("version " + version + " of the evolving classes does not compile");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final String HEAD = """
            package evolving;
            import java.io.*;
            import java.util.*;
            """;

    private static String version1() {
        return HEAD + """
                class Added implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "n"; int kept = 3;
                    static Object make() { return new Added(); }
                }
                class Removed implements Serializable {
                    private static final long serialVersionUID = 1;
                    List<Object> gone = new ArrayList<>(List.of("shared")); int goneNumber = 9; String name = "n"; Object alias;
                    static Object make() { Removed r = new Removed(); r.alias = r.gone; return r; }
                }
                class OnlyInVersion1 implements Serializable {
                    private static final long serialVersionUID = 1;
                    String text = "inside"; OnlyInVersion1 self = this;
                    static Object make() { return new Object[] {"before", new OnlyInVersion1()}; }
                }
                class RemovedOfMissingClass implements Serializable {
                    private static final long serialVersionUID = 1;
                    OnlyInVersion1 gone = new OnlyInVersion1(); String name = "n";
                    static Object make() { return new RemovedOfMissingClass(); }
                }
                class Reordered implements Serializable {
                    private static final long serialVersionUID = 1;
                    int a = 1; String b = "b"; long c = 3; Object d = "d"; byte e = 5;
                    static Object make() { return new Object[] {new Reordered(), new Reordered()}; }
                }
                class IntToLong implements Serializable {
                    private static final long serialVersionUID = 1;
                    int amount = 7;
                    static Object make() { return new IntToLong(); }
                }
                class StringToInteger implements Serializable {
                    private static final long serialVersionUID = 1;
                    String amount = "7";
                    static Object make() { return new StringToInteger(); }
                }
                class PrimitiveToObject implements Serializable {
                    private static final long serialVersionUID = 1;
                    int amount = 7;
                    static Object make() { return new PrimitiveToObject(); }
                }
                class ListToInteger implements Serializable {
                    private static final long serialVersionUID = 1;
                    List<String> amount = new ArrayList<>(List.of("7"));
                    static Object make() { return new ListToInteger(); }
                }
                class ListToMap implements Serializable {
                    private static final long serialVersionUID = 1;
                    List<String> other = null, amount = new ArrayList<>(List.of("7"));
                    static Object make() { return new ListToMap(); }
                }
                class Widened implements Serializable {
                    private static final long serialVersionUID = 1;
                    ArrayList<String> items = new ArrayList<>(List.of("x"));
                    static Object make() { return new Widened(); }
                }
                class Inserted implements Serializable {
                    private static final long serialVersionUID = 1;
                    int own = 5; String text = "t";
                    static Object make() { return new Inserted(); }
                }
                class OldParent implements Serializable {
                    private static final long serialVersionUID = 1;
                    int parentField = 8;
                }
                class Orphaned extends OldParent {
                    private static final long serialVersionUID = 1;
                    int own = 6;
                    static Object make() { return new Orphaned(); }
                }
                enum Level { LOW, MIDDLE, HIGH, OBSOLETE }
                class Levels implements Serializable {
                    private static final long serialVersionUID = 1;
                    static Object make() {
                        return new Object[] {Level.LOW, Level.HIGH, EnumSet.of(Level.LOW, Level.HIGH),
                            new EnumMap<>(Map.of(Level.MIDDLE, "m", Level.HIGH, "h")),
                            new HashMap<>(Map.of(Level.LOW, 1, Level.HIGH, 2)), Set.of(Level.LOW, Level.MIDDLE)};
                    }
                }
                class ObsoleteLevel implements Serializable {
                    private static final long serialVersionUID = 1;
                    static Object make() { return new Object[] {Level.OBSOLETE}; }
                }
                record Pair(String name, int left, Object gone) implements Serializable {
                    static Object make() { return new Object[] {new Pair("p", 4, List.of(1)), "after"}; }
                }
                record Key(String name) implements Serializable {
                    static Object make() {
                        Map<Object, Object> map = new HashMap<>();
                        for (int i = 0; i < 20; i++) map.put(new Key("k" + i), i);
                        return map;
                    }
                }
                class BecomesTransient implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "n"; String cached = "c";
                    static Object make() { return new BecomesTransient(); }
                }
                class StopsBeingTransient implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "n"; transient String cached = "c";
                    static Object make() { return new StopsBeingTransient(); }
                }
                class GainsReadResolve implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "n";
                    static Object make() { return new Object[] {new GainsReadResolve()}; }
                }
                class GainsReadObject implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "four";
                    static Object make() { return new Object[] {new GainsReadObject()}; }
                }
                class LosesReadObject implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "four";
                    private void writeObject(ObjectOutputStream out) throws IOException {
                        out.defaultWriteObject(); out.writeInt(99); out.writeObject("extra");
                    }
                    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
                        in.defaultReadObject(); in.readInt(); in.readObject();
                    }
                    static Object make() { return new Object[] {new LosesReadObject(), "after"}; }
                }
                class StopsBeingSerializable implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "n";
                    static Object make() { return new StopsBeingSerializable(); }
                }
                class ClassToEnum implements Serializable {
                    private static final long serialVersionUID = 1;
                    int x = 1;
                    static Object make() { return new Object[] {new ClassToEnum()}; }
                }
                """;
    }

    private static String version2() {
        return HEAD + """
                class Added implements Serializable {
                    private static final long serialVersionUID = 1;
                    int extra = 42; String name = "other"; Object object = "x"; int kept = 0; double ratio = 1.5;
                }
                class Removed implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = ""; Object alias;
                }
                class RemovedOfMissingClass implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name = "";
                }
                class Reordered implements Serializable {
                    private static final long serialVersionUID = 1;
                    byte e; Object d; long c; String b; int a;
                }
                class IntToLong implements Serializable { private static final long serialVersionUID = 1; long amount; }
                class StringToInteger implements Serializable { private static final long serialVersionUID = 1; Integer amount; }
                class PrimitiveToObject implements Serializable { private static final long serialVersionUID = 1; Object amount; }
                class ListToInteger implements Serializable { private static final long serialVersionUID = 1; Integer amount; }
                class ListToMap implements Serializable {
                    private static final long serialVersionUID = 1;
                    Map<String, String> other, amount;
                }
                class Widened implements Serializable { private static final long serialVersionUID = 1; List<String> items; }
                class NewParent implements Serializable {
                    private static final long serialVersionUID = 1;
                    int parentField = 8; transient boolean noData;
                    private void readObjectNoData() { noData = true; }
                }
                class Inserted extends NewParent {
                    private static final long serialVersionUID = 1;
                    String text; int own;
                }
                class Orphaned implements Serializable { private static final long serialVersionUID = 1; int own; }
                enum Level { BRAND_NEW, HIGH, MIDDLE, LOW }
                record Pair(Object added, int left, String name) implements Serializable {}
                record Key(String name, Level level) implements Serializable {}
                class BecomesTransient implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name; transient String cached;
                }
                class StopsBeingTransient implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name; String cached;
                }
                class GainsReadResolve implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name;
                    private Object readResolve() { return "resolved " + name; }
                }
                class GainsReadObject implements Serializable {
                    private static final long serialVersionUID = 1;
                    String name; transient int length;
                    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
                        in.defaultReadObject(); length = name.length();
                    }
                }
                class LosesReadObject implements Serializable { private static final long serialVersionUID = 1; String name; }
                class StopsBeingSerializable { String name; }
                enum ClassToEnum { X }
                """;
    }
}
