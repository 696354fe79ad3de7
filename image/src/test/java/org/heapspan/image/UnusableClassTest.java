package org.heapspan.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.heapspan.testing.TestImages;
import org.junit.jupiter.api.Test;

/** Images that name classes of which there can be no object; no writer makes them. */
final class UnusableClassTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    abstract static class Unfinished implements Serializable {
        int number;
    }

    abstract static class UnfinishedWithMethod implements Serializable {
        private void writeObject(ObjectOutputStream target) {}

        private void readObject(ObjectInputStream source) {}
    }

    interface Marked extends Serializable {}

    interface Outside extends Externalizable {}

    static final AtomicInteger FAILURES = new AtomicInteger();

    private static int fail() {
        throw new IllegalStateException("failure " + FAILURES.incrementAndGet());
    }

    static final class Failing implements Serializable {
        static final int NUMBER = fail();
    }

    static final class FailingWithMethod implements Serializable {
        static final int NUMBER = fail();

        private void readObject(ObjectInputStream source) {}
    }

    enum FailingEnum {
        ONE;

        static final int NUMBER = fail();
    }

    static final class FailingInField implements Serializable {
        static final int NUMBER = fail();
    }

    static final class Holder implements Serializable {
        FailingInField content;
        int number = 5;
    }

    static final AtomicInteger SIDE_EFFECTS = new AtomicInteger();

    /** Nothing that untrusted bytes may name. */
    static final class NotSerializable {
        static final int NUMBER = SIDE_EFFECTS.incrementAndGet();
    }

    private static TypeDescription fields(Class<?> type) {
        return new TypeDescription(Kind.FIELDS, type.getName(), List.of(), List.of());
    }

    private static TypeDescription hooks(Class<?> type) {
        return new TypeDescription(
                Kind.HOOKS, type.getName(), List.of(), List.of(new Level(type.getName(), 0, List.of())));
    }

    private static TypeDescription external(Class<?> type) {
        return new TypeDescription(Kind.EXTERNAL, type.getName(), List.of(), List.of());
    }

    private static TypeDescription constants(Class<?> type) {
        return new TypeDescription(Kind.ENUM, type.getName(), List.of("ONE"), List.of());
    }

    /** An image of one object of a described class, with more than enough bytes behind. */
    private static byte[] image(TypeDescription description) {
        byte[] types = description.encode();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(TestImages.numbers(ImageFormat.TAG_FIRST_DESCRIBED_TYPE));
        body.writeBytes(TestImages.numbers(0, 0, 0, 0));
        return TestImages.image(types, body.toByteArray());
    }

    private static void assertRefused(TypeDescription description, Category category) {
        byte[] image = image(description);
        // The second time a class that failed is another error for the JVM.
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> HEAPSPAN.decode(image, Object.class))
                    .as("%s", description)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(category))
                    .hasMessageContaining(description.name());
        }
    }

    @Test
    void refusesClassesThatHaveNoObjects() {
        List<TypeDescription> descriptions = new ArrayList<>();
        for (Class<?> type : List.of(Unfinished.class, UnfinishedWithMethod.class, Marked.class, Outside.class)) {
            descriptions.add(fields(type));
            descriptions.add(hooks(type));
            descriptions.add(external(type));
        }
        descriptions.add(ClassFields.fieldDescription(Unfinished.class, org.heapspan.Mode.SERIAL));
        descriptions.add(ClassFields.hookDescription(UnfinishedWithMethod.class));
        for (TypeDescription each : descriptions) {
            assertRefused(each, Category.EVOLUTION);
        }
    }

    /** A string whose characters are null is nothing that the JDK, or what the JIT makes of it, reckons with. */
    @Test
    void refusesToMakeStringsClassesAndArraysFieldByField() {
        for (Class<?> type : List.of(String.class, Class.class, int[].class, Object[].class, String[].class)) {
            assertRefused(fields(type), Category.EVOLUTION);
            assertRefused(hooks(type), Category.EVOLUTION);
            assertRefused(external(type), Category.EVOLUTION);
        }
    }

    @Test
    void saysWhichClassCannotBeInitialized() {
        assertRefused(fields(Failing.class), Category.HOOK);
        assertRefused(hooks(FailingWithMethod.class), Category.HOOK);
        assertRefused(constants(FailingEnum.class), Category.HOOK);
        assertThat(FAILURES).hasPositiveValue();
    }

    @Test
    void copiesEmptyFieldsOfClassesThatCannotBeInitialized() {
        assertThat(HEAPSPAN.copy(new Holder()).number).isEqualTo(5);
        Holder decoded = HEAPSPAN.decode(HEAPSPAN.encode(new Holder()), Holder.class);
        assertThat(decoded.number).isEqualTo(5);
    }

    @Test
    void doesNotInitializeAClassThatOnlyPretendsToBeAnEnum() {
        assertRefused(constants(NotSerializable.class), Category.CLASS_REJECTED);
        assertThat(SIDE_EFFECTS).hasValue(0);
    }
}
