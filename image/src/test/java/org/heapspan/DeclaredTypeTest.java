package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.GeneratedClass;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/** A field never gets an object that its declared class cannot hold, whoever chose the object: a method of its class or the image. */
public final class DeclaredTypeTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final String HOLDER = "generated.declared.Holder";

    /** More fields than generated codecs have. */
    private static final int MANY_FIELDS = 130;

    static class Base implements Serializable {
        int number = 1;

        protected Object readResolve() {
            return new Base();
        }
    }

    /** Inherits a method that gives an object of a class above it. */
    static class Derived extends Base {
        long[] data = {7};
    }

    static final class HolderOfDerived implements Serializable {
        Derived content = new Derived();
    }

    /** Lets the image choose what stands in its place. */
    static final class Box implements Serializable {
        Object value;

        Box(Object value) {
            this.value = value;
        }

        private Object readResolve() {
            return value;
        }
    }

    static final class HolderOfBox implements Serializable {
        Box content = new Box("text");
    }

    /** As {@link Box}, for {@code Externalizable}. */
    public static final class OutsideBox implements Externalizable {
        private Object value = "text";

        @Override
        public void writeExternal(ObjectOutput target) throws IOException {
            target.writeObject(value);
        }

        @Override
        public void readExternal(ObjectInput source) throws IOException, ClassNotFoundException {
            value = source.readObject();
        }

        private Object readResolve() {
            return value;
        }
    }

    static final class HolderOfOutsideBox implements Serializable {
        OutsideBox content = new OutsideBox();
    }

    static final class HolderOfArray implements Serializable {
        Derived[] content = {new Derived()};
    }

    record RecordOfBox(Box content) implements Serializable {}

    /** A charset that no provider knows. */
    static final class OwnCharset extends Charset {
        OwnCharset() {
            super("x-own", null);
        }

        @Override
        public boolean contains(Charset other) {
            return false;
        }

        @Override
        public CharsetDecoder newDecoder() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CharsetEncoder newEncoder() {
            throw new UnsupportedOperationException();
        }
    }

    /** The ways of an object from one side to the other. */
    private enum Way {
        GRAPH {
            @Override
            Object pass(Heapspan writer, Object object, Heapspan reader) {
                return reader.decode(writer.encode(object), Object.class);
            }
        },
        RAW_GRAPH {
            @Override
            Object pass(Heapspan writer, Object object, Heapspan reader) {
                return reader.decodeTrusted(writer.encode(object, Encoding.RAW), Object.class);
            }
        },
        GROUP {
            @Override
            Object pass(Heapspan writer, Object object, Heapspan reader) {
                GroupWriter group = writer.groupWriter();
                group.write("first");
                group.write(object);
                GroupReader records = reader.groupReader(group.finish());
                records.next();
                return records.next();
            }
        },
        STREAM {
            @Override
            Object pass(Heapspan writer, Object object, Heapspan reader) throws IOException, ClassNotFoundException {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (ObjectOutputStream target = new HeapspanObjectOutputStream(bytes, writer)) {
                    target.writeObject(object);
                }
                try (ObjectInputStream source =
                        new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()), reader)) {
                    return source.readObject();
                }
            }
        };

        abstract Object pass(Heapspan writer, Object object, Heapspan reader)
                throws IOException, ClassNotFoundException;
    }

    /**
     * A graph that cannot be read.
     *
     * @param declared the class that a field of it has here
     * @param found the class of what would be put there
     */
    private record Case(Object graph, Heapspan reader, Class<?> declared, Class<?> found) {}

    private static List<Case> cases() throws ReflectiveOperationException {
        List<Case> cases = new ArrayList<>();
        cases.add(new Case(new HolderOfDerived(), HEAPSPAN, Derived.class, Base.class));
        cases.add(new Case(new HolderOfArray(), HEAPSPAN, Derived.class, Base.class));
        cases.add(new Case(new HolderOfBox(), HEAPSPAN, Box.class, String.class));
        cases.add(new Case(new HolderOfOutsideBox(), HEAPSPAN, OutsideBox.class, String.class));
        cases.add(new Case(new RecordOfBox(new Box("text")), HEAPSPAN, Box.class, String.class));
        Field updated = Box.class.getDeclaredField("value");
        Heapspan updating = Heapspan.builder()
                .registerUpdate(updated, (object, value) -> value)
                .build();
        cases.add(new Case(new HolderOfBox(), updating, Box.class, String.class));
        cases.add(evolved(Derived.class, Derived.class, new Derived(), Base.class, 0));
        cases.add(evolved(Derived.class, Derived.class, new Derived(), Base.class, MANY_FIELDS));
        Path path = Path.of("some", "where");
        Charset charset = StandardCharsets.UTF_16;
        for (int others : new int[] {0, MANY_FIELDS}) {
            cases.add(evolved(Object.class, ownPathClass(), path, path.getClass(), others));
            cases.add(evolved(Object.class, OwnCharset.class, charset, charset.getClass(), others));
        }
        return cases;
    }

    /** A field that has one class there, and another here. */
    private static Case evolved(Class<?> there, Class<?> here, Object content, Class<?> found, int otherFields)
            throws ReflectiveOperationException {
        Object holder = holderClass(there, otherFields).newInstance(HOLDER);
        GeneratedClass.set(holder, "content", content);
        Heapspan reader =
                Heapspan.builder().classLoader(holderClass(here, otherFields)).build();
        return new Case(holder, reader, here, found);
    }

    private static GeneratedClass.Loader holderClass(Class<?> content, int otherFields) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content", content.descriptorString());
        for (int i = 0; i < otherFields; i++) {
            fields.put("other" + i, "I");
        }
        return new GeneratedClass.Loader(new GeneratedClass(HOLDER, fields));
    }

    private static Class<?> ownPath;

    /** A concrete class of paths, none of whose methods is there. */
    private static synchronized Class<?> ownPathClass() throws IllegalAccessException {
        if (ownPath == null) {
            ClassWriter writer = new ClassWriter(0);
            writer.visit(
                    Opcodes.V17,
                    Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER,
                    "org/heapspan/OwnPath",
                    null,
                    "java/lang/Object",
                    new String[] {"java/nio/file/Path"});
            writer.visitEnd();
            ownPath = MethodHandles.lookup().defineClass(writer.toByteArray());
        }
        return ownPath;
    }

    /** What is not refused as it should be. */
    private static List<String> faults(List<Way> ways) throws Exception {
        List<String> faults = new ArrayList<>();
        for (Case each : cases()) {
            for (Way way : ways) {
                String name = way + ", a " + each.found.getName() + " for a " + each.declared.getName();
                try {
                    way.pass(HEAPSPAN, each.graph, each.reader);
                    faults.add(name + " was accepted");
                } catch (HeapspanException e) {
                    String message = String.valueOf(e.getMessage());
                    boolean fits = (e.category() == Category.EVOLUTION || e.category() == Category.MALFORMED)
                            && message.contains(each.declared.getName())
                            && message.contains(each.found.getName());
                    if (!fits) {
                        faults.add(name + ": " + e.category() + " " + message);
                    }
                }
            }
        }
        return faults;
    }

    @Test
    void refusesObjectsThatTheFieldCannotHold() throws Exception {
        assertThat(faults(List.of(Way.values()))).isEmpty();
    }

    @Test
    void refusesThemWithoutRawMemoryToo() throws Exception {
        JavaProcess.run(WithoutRawMemory.class, List.of("-Dheapspan.access=reflection"));
    }

    /** Main class of a JVM that has nothing but reflection. */
    public static final class WithoutRawMemory {
        private WithoutRawMemory() {}

        /** Fails with what was not refused. */
        public static void main(String[] arguments) throws Exception {
            List<String> faults = faults(List.of(Way.GRAPH, Way.GROUP, Way.STREAM));
            if (!faults.isEmpty()) {
                throw new AssertionError(String.join("\n", faults));
            }
        }
    }

    static class Single implements Serializable {
        static final Single ONLY = new Single();

        Object readResolve() {
            return ONLY;
        }
    }

    /** Of what may stand for its base. */
    static final class SpecialSingle extends Single {
        private static final SpecialSingle ONLY = new SpecialSingle();

        @Override
        Object readResolve() {
            return ONLY;
        }
    }

    static final class HolderOfSingles implements Serializable {
        Single first = new Single();
        Single second = new SpecialSingle();
        SpecialSingle third = new SpecialSingle();
        Single[] all = {first, second, third, null};
    }

    @Test
    void keepsWhatReadResolveGivesWhereItFits() throws Exception {
        for (Way way : Way.values()) {
            HolderOfSingles copy = (HolderOfSingles) way.pass(HEAPSPAN, new HolderOfSingles(), HEAPSPAN);
            assertThat(copy.first).isSameAs(Single.ONLY);
            assertThat(copy.second).isSameAs(SpecialSingle.ONLY);
            assertThat(copy.third).isSameAs(SpecialSingle.ONLY);
            assertThat(copy.all).containsExactly(copy.first, copy.second, copy.third, null);
        }
    }
}
