package org.heapspan.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.Heapspan;
import org.jspecify.annotations.Nullable;

/** A library that turns graphs into bytes and back. Kryo and Fory are used by reflection: they are the user's to bring. */
interface BenchLibrary {
    String name();

    byte[] encode(Object root) throws Exception;

    @Nullable
    Object decode(byte[] bytes) throws Exception;

    /**
     * Heapspan, Java serialization, and of the others those that the loader finds.
     *
     * @param absences takes a line for each of the others that cannot be used, which says why
     */
    static List<BenchLibrary> all(ClassLoader loader, List<String> absences) {
        List<BenchLibrary> libraries = new ArrayList<>();
        libraries.add(new OfHeapspan(loader));
        libraries.add(new OfJava(loader));
        addIfThere(libraries, absences, OfKryo.NAME, () -> new OfKryo(loader));
        addIfThere(libraries, absences, OfFory.NAME, () -> new OfFory(loader));
        return libraries;
    }

    /** Makes a library that may be missing, or of a version that has other methods. */
    interface Maker {
        BenchLibrary make() throws ReflectiveOperationException;
    }

    private static void addIfThere(List<BenchLibrary> libraries, List<String> absences, String name, Maker maker) {
        try {
            libraries.add(maker.make());
        } catch (InvocationTargetException e) {
            absences.add(name + " is not compared: it cannot be set up: " + e.getCause());
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            absences.add(name + " is not compared: there is no class "
                    + String.valueOf(e.getMessage()).replace('/', '.') + " in --peer-path; add the jar that has it");
        } catch (ReflectiveOperationException | LinkageError e) {
            absences.add(name + " is not compared: this version of it is not known: " + e);
        }
    }

    /** This library; classes are admitted as Java serialization admits them. */
    final class OfHeapspan implements BenchLibrary {
        private final Heapspan heapspan;

        OfHeapspan(ClassLoader loader) {
            heapspan = Heapspan.builder().allow("*").classLoader(loader).build();
        }

        @Override
        public String name() {
            return "Heapspan";
        }

        @Override
        public byte[] encode(Object root) {
            return heapspan.encode(root);
        }

        @Override
        public @Nullable Object decode(byte[] bytes) {
            return heapspan.decode(bytes, Object.class);
        }
    }

    /** What every JVM has. */
    final class OfJava implements BenchLibrary {
        static final String NAME = "Java";

        private final ClassLoader loader;

        OfJava(ClassLoader loader) {
            this.loader = loader;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public byte[] encode(Object root) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(root);
            }
            return bytes.toByteArray();
        }

        @Override
        public @Nullable Object decode(byte[] bytes) throws IOException, ClassNotFoundException {
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
                @Override
                protected Class<?> resolveClass(ObjectStreamClass description)
                        throws IOException, ClassNotFoundException {
                    try {
                        return Class.forName(description.getName(), false, loader);
                    } catch (ClassNotFoundException primitive) {
                        return super.resolveClass(description);
                    }
                }
            }) {
                return in.readObject();
            }
        }
    }

    /** Calls by reflection, whose cost is small beside that of a graph. */
    final class Calls {
        private Calls() {}

        static Object make(Class<?> type, Class<?>[] parameters, Object... arguments)
                throws ReflectiveOperationException {
            return type.getConstructor(parameters).newInstance(arguments);
        }

        static @Nullable Object call(Method method, Object target, Object... arguments) throws Exception {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Exception cause) {
                    throw cause;
                }
                if (e.getCause() instanceof StackOverflowError cause) {
                    throw new IOException("the graph is too deep for its recursion", cause);
                }
                throw e;
            }
        }

        /** Sets an option if this version of the library has it. */
        static void option(Object target, String name, boolean value) throws ReflectiveOperationException {
            option(target, name, boolean.class, value);
        }

        static void option(Object target, String name, Class<?> type, Object value)
                throws ReflectiveOperationException {
            try {
                target.getClass().getMethod(name, type).invoke(target, value);
            } catch (NoSuchMethodException otherVersion) {
                // Its default stands.
            }
        }
    }

    /** Kryo with references kept and no class registered. */
    final class OfKryo implements BenchLibrary {
        static final String NAME = "Kryo";

        private final Object kryo;
        private final Object output;
        private final Object input;
        private final Method write;
        private final Method read;
        private final Method reset;
        private final Method toBytes;
        private final Method setBuffer;

        OfKryo(ClassLoader loader) throws ReflectiveOperationException {
            Class<?> kryoClass = loader.loadClass("com.esotericsoftware.kryo.Kryo");
            Class<?> outputClass = loader.loadClass("com.esotericsoftware.kryo.io.Output");
            Class<?> inputClass = loader.loadClass("com.esotericsoftware.kryo.io.Input");
            kryo = Calls.make(kryoClass, new Class<?>[0]);
            Calls.option(kryo, "setReferences", true);
            Calls.option(kryo, "setRegistrationRequired", false);
            kryoClass.getMethod("setClassLoader", ClassLoader.class).invoke(kryo, loader);
            // Objects without a constructor free of parameters, as records and most beans of others.
            Class<?> strategy = loader.loadClass("org.objenesis.strategy.InstantiatorStrategy");
            Object objenesis =
                    Calls.make(loader.loadClass("org.objenesis.strategy.StdInstantiatorStrategy"), new Class<?>[0]);
            Object withFallback = Calls.make(
                    loader.loadClass("com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy"),
                    new Class<?>[] {strategy},
                    objenesis);
            kryoClass.getMethod("setInstantiatorStrategy", strategy).invoke(kryo, withFallback);
            output = Calls.make(outputClass, new Class<?>[] {int.class, int.class}, 1 << 16, -1);
            input = Calls.make(inputClass, new Class<?>[0]);
            write = kryoClass.getMethod("writeClassAndObject", outputClass, Object.class);
            read = kryoClass.getMethod("readClassAndObject", inputClass);
            reset = outputClass.getMethod("reset");
            toBytes = outputClass.getMethod("toBytes");
            setBuffer = inputClass.getMethod("setBuffer", byte[].class);
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        @SuppressWarnings("NullAway") // It never gives null.
        public byte[] encode(Object root) throws Exception {
            Calls.call(reset, output);
            Calls.call(write, kryo, output, root);
            return (byte[]) Calls.call(toBytes, output);
        }

        @Override
        public @Nullable Object decode(byte[] bytes) throws Exception {
            Calls.call(setBuffer, input, (Object) bytes);
            return Calls.call(read, kryo, input);
        }
    }

    /** Fory with references kept and no class registered. */
    final class OfFory implements BenchLibrary {
        static final String NAME = "Fory";

        private final Object fory;
        private final Method serialize;
        private final Method deserialize;

        OfFory(ClassLoader loader) throws ReflectiveOperationException {
            Class<?> foryClass = loader.loadClass("org.apache.fory.Fory");
            Object builder = foryClass.getMethod("builder").invoke(null);
            Calls.option(builder, "withXlang", false);
            Calls.option(builder, "withCompatible", false);
            Calls.option(builder, "requireClassRegistration", false);
            Calls.option(builder, "suppressClassRegistrationWarnings", true);
            Calls.option(builder, "withRefTracking", true);
            Calls.option(builder, "ignoreStringRef", false);
            Calls.option(builder, "withAsyncCompilation", false);
            // Its limits are meant for input from outside. It allocates tables as long as the depth.
            Calls.option(builder, "withMaxDepth", int.class, 1 << 13);
            Calls.option(builder, "withMaxGraphMemoryBytes", long.class, Long.MAX_VALUE);
            builder.getClass().getMethod("withClassLoader", ClassLoader.class).invoke(builder, loader);
            fory = builder.getClass().getMethod("build").invoke(builder);
            serialize = foryClass.getMethod("serialize", Object.class);
            deserialize = foryClass.getMethod("deserialize", byte[].class);
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        @SuppressWarnings("NullAway") // It never gives null.
        public byte[] encode(Object root) throws Exception {
            return (byte[]) Calls.call(serialize, fory, root);
        }

        @Override
        public @Nullable Object decode(byte[] bytes) throws Exception {
            return Calls.call(deserialize, fory, (Object) bytes);
        }
    }
}
