package org.heapspan.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.testing.TestImages;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** An array never gets an element that its class cannot hold, and whoever asks for it gets an exception of ours. */
final class ElementTypeTest {
    private static final Heapspan HEAPSPAN = Heapspan.builder().checksum(false).build();

    interface Marked {}

    static class Parent implements Serializable {}

    /** Its codec is generated. */
    static final class Element extends Parent implements Marked {
        int number = 3;
    }

    static final class Other implements Serializable {
        int number = 4;
    }

    static final class HolderOfElements implements Serializable {
        Marked[] elements = {new Element(), null, new Element()};
    }

    /** Defines {@link Element} anew: with no interface but Serializable, and with no superclass but Object. */
    private static final class Later extends ClassLoader {
        Later() {
            super(ElementTypeTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String className, boolean resolve) throws ClassNotFoundException {
            if (!className.equals(Element.class.getName())) {
                return super.loadClass(className, resolve);
            }
            synchronized (getClassLoadingLock(className)) {
                Class<?> loaded = findLoadedClass(className);
                return loaded != null ? loaded : define(className);
            }
        }

        private Class<?> define(String className) throws ClassNotFoundException {
            ClassWriter writer = new ClassWriter(0);
            try (InputStream source = getResourceAsStream(className.replace('.', '/') + ".class")) {
                new ClassReader(source).accept(alone(writer), ClassReader.SKIP_CODE);
            } catch (IOException e) {
                throw new ClassNotFoundException(className, e);
            }
            byte[] classFile = writer.toByteArray();
            return defineClass(className, classFile, 0, classFile.length);
        }

        private static ClassVisitor alone(ClassWriter target) {
            return new ClassVisitor(Opcodes.ASM9, target) {
                @Override
                public void visit(
                        int version, int access, String name, String signature, String above, String[] interfaces) {
                    super.visit(version, access, name, null, "java/lang/Object", new String[] {"java/io/Serializable"});
                }

                @Override
                public void visitNestHost(String host) {}

                @Override
                public void visitInnerClass(String name, String outer, String simpleName, int access) {}

                @Override
                public MethodVisitor visitMethod(
                        int access, String name, String descriptor, String signature, String[] exceptions) {
                    return null;
                }
            };
        }
    }

    private static void assertEvolution(String what, Object graph, Class<?> component) {
        Heapspan reader = Heapspan.builder().classLoader(new Later()).build();
        List<Function<byte[], Object>> compactWays = List.of(
                image -> reader.decode(image, Object.class), image -> reader.decodeTrusted(image, Object.class));
        byte[] compact = HEAPSPAN.encode(graph);
        for (Function<byte[], Object> way : compactWays) {
            assertEvolution(what + ", compact", component, () -> way.apply(compact));
        }
        byte[] raw = HEAPSPAN.encode(graph, Encoding.RAW);
        assertEvolution(what + ", raw", component, () -> reader.decodeTrusted(raw, Object.class));
        GroupWriter writer = HEAPSPAN.groupWriter();
        writer.write(graph);
        GroupReader group = reader.groupReader(writer.finish());
        assertEvolution(what + ", group", component, group::next);
    }

    private static void assertEvolution(String what, Class<?> component, ThrowingCallable way) {
        assertThatThrownBy(way)
                .as(what)
                .isInstanceOfSatisfying(
                        HeapspanException.class,
                        e -> assertThat(e.category()).as(e.getMessage()).isEqualTo(Category.EVOLUTION))
                .hasMessageContaining(Element.class.getName())
                .hasMessageContaining(component.getName());
    }

    @Test
    void anElementThatHasLostItsInterfaceIsAnotherVersion() {
        assertEvolution("array", new Marked[] {new Element(), new Element()}, Marked.class);
        assertEvolution("array of a field", new HolderOfElements(), Marked.class);
        assertEvolution("array with another first", new Marked[] {null, new Element()}, Marked.class);
        assertEvolution("arrays in an array", new Marked[][] {{new Element()}}, Marked.class);
        Element shared = new Element();
        assertEvolution("back references", new Object[] {shared, new Marked[] {shared, shared}}, Marked.class);
    }

    @Test
    void anElementThatHasLostItsSuperclassIsAnotherVersion() {
        assertEvolution("array", new Parent[] {new Element(), new Element()}, Parent.class);
    }

    /** Two elements that an image puts into an array of a class. */
    private record Case(Class<?> component, Object first, Object second) {}

    /** Arrays that no version of the elements' classes ever fitted into. */
    private static List<Case> impossible() {
        List<Case> cases = new ArrayList<>();
        cases.add(new Case(Integer.class, new Other(), new Other()));
        cases.add(new Case(Other.class, new Element(), new Element()));
        cases.add(new Case(Other.class, new Element(), null));
        cases.add(new Case(Marked.class, "text", "text"));
        cases.add(new Case(Marked.class, 5, 6));
        cases.add(new Case(Marked.class, new ArrayList<>(), new ArrayList<>()));
        cases.add(new Case(Marked.class, new int[] {1}, new int[] {2}));
        cases.add(new Case(Marked.class, new Object[] {1}, new Object[] {2}));
        cases.add(new Case(int[].class, new Other(), new Other()));
        cases.add(new Case(Integer[].class, new Other[] {new Other()}, new Other[0]));
        return cases;
    }

    /** The image of an array with these elements, which says that the array is of another class. */
    private static byte[] image(Case each) {
        byte[] honest = HEAPSPAN.encode(new Serializable[] {(Serializable) each.first, (Serializable) each.second});
        return TestImages.replaced(honest, description(Serializable[].class), description(each.component.arrayType()));
    }

    private static byte[] description(Class<?> arrayType) {
        return new TypeDescription(Kind.OBJECT_ARRAY, arrayType.getName(), List.of(), List.of()).encode();
    }

    @Test
    void anElementThatNeverFittedIsMalformed() {
        for (Case each : impossible()) {
            byte[] image = image(each);
            assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                    .as("%s", each)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.MALFORMED))
                    .hasMessageContaining(each.first.getClass().getName())
                    .hasMessageContaining(each.component.getName());
        }
    }
}
