package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Test;

final class TypeRegistryTest {
    private static final GeneratedClass ITEM = new GeneratedClass(
            "generated.registry.Item", new LinkedHashMap<>(Map.of("value", "I", "next", "Ljava/lang/Object;")));

    record Point(int x, int y) implements Serializable {}

    static final class Holder implements Serializable {
        Object content;
        int number = 5;

        Holder(Object content) {
            this.content = content;
        }
    }

    private static Object item(ClassLoader loader, int value, Object next) throws ReflectiveOperationException {
        Object item = ((GeneratedClass.Loader) loader).newInstance(ITEM.name());
        GeneratedClass.set(item, "value", value);
        GeneratedClass.set(item, "next", next);
        return item;
    }

    private static Class<?> itemClass(ClassLoader loader) throws ReflectiveOperationException {
        return loader.loadClass(ITEM.name());
    }

    private static Heapspan heapspan(TypeRegistry registry, LoaderScopes scopes) {
        return Heapspan.builder().typeRegistry(registry).loaderScopes(scopes).build();
    }

    private static void assertCategory(Category category, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(category));
    }

    /** One side of an exchange: loaders of its own, which bear the names that both sides agreed on. */
    private static final class Side {
        final GeneratedClass.Loader red = new GeneratedClass.Loader(ITEM);
        final GeneratedClass.Loader blue = new GeneratedClass.Loader(ITEM);
        final LoaderScopes scopes = new LoaderScopes().name("red", red).name("blue", blue);

        Heapspan heapspan(TypeRegistry registry) {
            return Heapspan.builder()
                    .typeRegistry(registry)
                    .loaderScopes(scopes)
                    .build();
        }
    }

    @Test
    void tellsApartClassesOfTheSameNameAndLayout() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        Side writer = new Side();
        Side reader = new Side();
        Object blue = item(writer.blue, 2, null);
        Object red = item(writer.red, 1, blue);
        Object[] array = (Object[]) Array.newInstance(itemClass(writer.blue), 1);
        array[0] = blue;

        byte[] image = writer.heapspan(registry).encode(new Object[] {red, blue, array, new Point(3, 4)});
        Object[] copy = reader.heapspan(registry).decode(image, Object[].class);

        assertThat(copy[0].getClass()).isSameAs(itemClass(reader.red));
        assertThat(copy[1].getClass()).isSameAs(itemClass(reader.blue));
        assertThat(copy[2].getClass().getComponentType()).isSameAs(itemClass(reader.blue));
        assertThat(((Object[]) copy[2])[0]).isSameAs(copy[1]).isSameAs(GeneratedClass.get(copy[0], "next"));
        assertThat(GeneratedClass.get(copy[1], "value")).isEqualTo(2);
        assertThat(copy[3]).isEqualTo(new Point(3, 4));
    }

    @Test
    void keepsScopesApartInStreamsAndGroups() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        Side writer = new Side();
        Side reader = new Side();
        Object[] objects = {item(writer.red, 1, null), item(writer.blue, 2, null), item(writer.red, 3, null)};
        GroupWriter group = writer.heapspan(registry).groupWriter(IdentityScope.GROUP);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(bytes, writer.heapspan(registry))) {
            for (Object each : objects) {
                group.write(each);
                output.writeObject(each);
                output.flush();
            }
        }
        GroupReader groupReader = reader.heapspan(registry).groupReader(group.finish());
        try (HeapspanObjectInputStream input = new HeapspanObjectInputStream(
                new ByteArrayInputStream(bytes.toByteArray()), reader.heapspan(registry))) {
            for (ClassLoader expected : new ClassLoader[] {reader.red, reader.blue, reader.red}) {
                assertThat(groupReader.next().getClass()).isSameAs(itemClass(expected));
                assertThat(input.readObject().getClass()).isSameAs(itemClass(expected));
            }
        }
    }

    @Test
    void copiesClassesOfSeveralLoaders() throws Exception {
        Side side = new Side();
        Object[] copy = side.heapspan(TypeRegistry.local())
                .copy(new Object[] {item(side.red, 1, null), item(side.blue, 2, null)});
        assertThat(copy[0].getClass()).isSameAs(itemClass(side.red));
        assertThat(copy[1].getClass()).isSameAs(itemClass(side.blue));
    }

    @Test
    void takesLoadersWithoutNameForOne() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        GeneratedClass.Loader one = new GeneratedClass.Loader(ITEM);
        GeneratedClass.Loader other = new GeneratedClass.Loader(ITEM);
        byte[] image = Heapspan.builder().typeRegistry(registry).build().encode(item(one, 7, null));
        Heapspan reader =
                Heapspan.builder().typeRegistry(registry).classLoader(other).build();
        Object copy = reader.decode(image, Object.class);
        assertThat(copy.getClass()).isSameAs(itemClass(other));
        assertThat(GeneratedClass.get(copy, "value")).isEqualTo(7);
    }

    @Test
    void refusesAScopeThatNoLoaderBears() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        Side writer = new Side();
        byte[] image = writer.heapspan(registry).encode(item(writer.red, 1, null));
        Heapspan reader = heapspan(registry, new LoaderScopes());
        assertThatThrownBy(() -> reader.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.CLASS_NOT_FOUND))
                .hasMessageContaining("loader scope \"red\"")
                .hasMessageContaining("LoaderScopes");
    }

    /** Names may come and change while images are read: what a reader remembers of the types must not outlive them. */
    @Test
    void followsNamesThatPassToOtherLoaders() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        Side writer = new Side();
        byte[] image = writer.heapspan(registry).encode(item(writer.red, 1, null));
        LoaderScopes scopes = new LoaderScopes();
        Heapspan reader = heapspan(registry, scopes);
        assertCategory(Category.CLASS_NOT_FOUND, () -> reader.decode(image, Object.class));
        for (int i = 0; i < 3; i++) {
            GeneratedClass.Loader loader = new GeneratedClass.Loader(ITEM);
            scopes.name("red", loader);
            for (int j = 0; j < 3; j++) {
                assertThat(reader.decode(image, Object.class).getClass()).isSameAs(itemClass(loader));
            }
        }
    }

    /** Writers remember the numbers of classes. */
    @Test
    void usesNamesThatAreGivenLater() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        GeneratedClass.Loader loader = new GeneratedClass.Loader(ITEM);
        LoaderScopes scopes = new LoaderScopes();
        Heapspan writer = heapspan(registry, scopes);
        GroupWriter group = writer.groupWriter();
        group.write(item(loader, 1, null));
        group.finish();
        scopes.name("late", loader);
        group.write(item(loader, 1, null));
        byte[] image = group.finish();

        GeneratedClass.Loader readers = new GeneratedClass.Loader(ITEM);
        Heapspan reader = heapspan(registry, new LoaderScopes().name("late", readers));
        assertThat(reader.groupReader(image).next().getClass()).isSameAs(itemClass(readers));
    }

    @Test
    void asksTheAllowListForClassesOfNamedLoaders() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        Side writer = new Side();
        byte[] image = writer.heapspan(registry).encode(item(writer.red, 1, null));
        Side side = new Side();
        Heapspan reader = Heapspan.builder()
                .typeRegistry(registry)
                .loaderScopes(side.scopes)
                .allow("elsewhere.*")
                .build();
        assertCategory(Category.CLASS_REJECTED, () -> reader.decode(image, Object.class));
        assertThat(side.red.asked()).isEmpty();
    }

    @Test
    void dropsFieldsOfMissingScopes() throws Exception {
        GeneratedClass older =
                new GeneratedClass("generated.registry.Older", Map.of("gone", "Ljava/lang/Object;", "kept", "I"));
        GeneratedClass newer = new GeneratedClass("generated.registry.Older", Map.of("kept", "I"));
        TypeRegistry registry = TypeRegistry.local();
        Side writer = new Side();
        Object old = new GeneratedClass.Loader(older).newInstance(older.name());
        GeneratedClass.set(old, "gone", item(writer.red, 1, null));
        GeneratedClass.set(old, "kept", 9);
        byte[] image = writer.heapspan(registry).encode(old);
        LoaderScopes scopes = new LoaderScopes();
        Heapspan reader = Heapspan.builder()
                .typeRegistry(registry)
                .loaderScopes(scopes)
                .classLoader(new GeneratedClass.Loader(newer))
                .build();
        assertThat(GeneratedClass.get(reader.decode(image, Object.class), "kept"))
                .isEqualTo(9);
    }

    @Test
    void preparedRegistriesDoNotDependOnNamesUnlessGiven() throws Exception {
        Side one = new Side();
        Side other = new Side();
        Class<?>[] classes = {Point.class, Holder.class, itemClass(one.red)};
        TypeRegistry plain = TypeRegistry.of(Mode.SERIAL, classes);

        assertThat(TypeRegistry.of(Mode.SERIAL, Point.class, Holder.class, itemClass(other.blue))
                        .id())
                .isEqualTo(plain.id());
        assertThat(TypeRegistry.of(Mode.SERIAL, new LoaderScopes(), classes).id())
                .isEqualTo(plain.id());
        assertThat(TypeRegistry.of(Mode.SERIAL, one.scopes, classes).id()).isNotEqualTo(plain.id());
        assertThat(TypeRegistry.of(Mode.SERIAL, Holder.class, Point.class, itemClass(one.red))
                        .id())
                .isNotEqualTo(plain.id());
    }

    @Test
    void preparedRegistriesTellNamedLoadersApart() throws Exception {
        Side writer = new Side();
        Side reader = new Side();
        TypeRegistry writers = TypeRegistry.of(
                Mode.SERIAL, writer.scopes, itemClass(writer.red), itemClass(writer.blue), Holder.class);
        TypeRegistry readers = TypeRegistry.of(
                Mode.SERIAL, reader.scopes, itemClass(reader.red), itemClass(reader.blue), Holder.class);
        assertThat(readers.id()).isEqualTo(writers.id());
        assertThat(TypeRegistry.of(
                                Mode.SERIAL, reader.scopes, itemClass(reader.blue), itemClass(reader.red), Holder.class)
                        .id())
                .isNotEqualTo(writers.id());

        byte[] image = writer.heapspan(writers).encode(new Holder(item(writer.blue, 4, null)));
        Holder copy = reader.heapspan(readers).decode(image, Holder.class);
        assertThat(copy.content.getClass()).isSameAs(itemClass(reader.blue));
        assertThat(copy.number).isEqualTo(5);
    }

    @Test
    void refusesImagesOfAnotherRegistry() {
        byte[] image = heapspan(TypeRegistry.local(), new LoaderScopes()).encode(new Point(1, 2));
        for (Heapspan reader : new Heapspan[] {Heapspan.create(), heapspan(TypeRegistry.local(), new LoaderScopes())}) {
            assertCategory(Category.CLASS_NOT_FOUND, () -> reader.decode(image, Point.class));
        }
    }

    /** The reader has written another class before, which must not have the same number. */
    @Test
    void describesTypesThatAreNotListed() {
        record Price(int amount) implements Serializable {}
        record Count(int amount) implements Serializable {}
        Heapspan writer = heapspan(TypeRegistry.of(Mode.SERIAL, Point.class), new LoaderScopes());
        Heapspan reader = heapspan(TypeRegistry.of(Mode.SERIAL, Point.class), new LoaderScopes());
        Object[] graph = {new Point(1, 2), new Price(3)};

        byte[] image = writer.encode(graph);
        reader.encode(new Count(4));

        assertThat(reader.decode(image, Object[].class)).isEqualTo(graph);
    }

    /** A registry that numbers no type before it is told to. */
    private static final class Hesitant implements TypeRegistry {
        final TypeRegistry types = TypeRegistry.local();
        boolean answers;
        int questions;

        @Override
        public UUID id() {
            return types.id();
        }

        @Override
        public int numberOf(String loaderScope, byte[] description) {
            questions++;
            return answers ? types.numberOf(loaderScope, description) : NO_NUMBER;
        }

        @Override
        public Type typeOf(int number) {
            return types.typeOf(number);
        }
    }

    @Test
    void describesTypesThatHaveNoNumber() throws Exception {
        Hesitant registry = new Hesitant();
        Side writer = new Side();
        Side reader = new Side();
        GroupWriter group = writer.heapspan(registry).groupWriter();
        Object record = new Holder(item(writer.red, 1, new Point(2, 3)));

        group.write(record);
        byte[] described = group.finish();
        registry.answers = true;
        group.write(record);
        byte[] numbered = group.finish();
        int questions = registry.questions;
        group.write(record);
        assertThat(group.finish()).isEqualTo(numbered);

        assertThat(registry.questions).isEqualTo(questions);
        assertThat(numbered.length).isLessThan(described.length - 50);
        for (byte[] each : new byte[][] {described, numbered}) {
            Holder copy = (Holder) reader.heapspan(registry).groupReader(each).next();
            assertThat(copy.content.getClass()).isSameAs(itemClass(reader.red));
            assertThat(GeneratedClass.get(copy.content, "next")).isEqualTo(new Point(2, 3));
        }
    }

    /** Known and new types in one image, and a number that is found out while its first record is being written. */
    @Test
    void describesOnlyTheTypesThatHaveNoNumber() {
        Hesitant registry = new Hesitant();
        Heapspan heapspan = heapspan(registry, new LoaderScopes());
        registry.answers = true;
        heapspan.encode(new Holder(null));
        registry.answers = false;
        for (Object[] records : new Object[][] {
            {new Holder(new Point(1, 2)), new Point(3, 4)},
            {new Point(3, 4), new Holder(List.of(new Point(1, 2)))}
        }) {
            GroupWriter group = heapspan.groupWriter();
            for (Object record : records) {
                group.write(record);
                group.sizeBytes();
            }
            GroupReader reader = heapspan.groupReader(group.finish());
            for (Object record : records) {
                assertThat(reader.next()).usingRecursiveComparison().isEqualTo(record);
            }
        }
    }

    @Test
    void refusesDescriptionsThatEndEarly() {
        Hesitant registry = new Hesitant();
        Heapspan heapspan =
                Heapspan.builder().typeRegistry(registry).checksum(false).build();
        byte[] image = heapspan.encode(new Point(1, 2));
        int types = 8 + 12 + 16;
        for (int length : new int[] {1, 3, 4, 5, 6, 20}) {
            byte[] cut = Arrays.copyOf(image, types + length);
            // The bytes of types in the header of the frame, and no body.
            cut[8] = cut[9] = 0;
            cut[12] = (byte) (16 + length);
            cut[13] = 0;
            assertCategory(Category.MALFORMED, () -> heapspan.decode(cut, Point.class));
        }
    }

    @Test
    void numbersTypesByScopeAndDescription() {
        TypeRegistry registry = new LocalTypeRegistry(new UUID(1, 2));
        byte[] description = {1, 2, 3};
        assertThat(registry.numberOf("", description)).isZero();
        assertThat(registry.numberOf("a", description)).isEqualTo(1);
        assertThat(registry.numberOf("", new byte[] {1, 2})).isEqualTo(2);
        assertThat(registry.numberOf("a", description.clone())).isEqualTo(1);
        description[0] = 9;
        assertThat(registry.typeOf(1).loaderScope()).isEqualTo("a");
        assertThat(registry.typeOf(1).description()).containsExactly(1, 2, 3);
        assertThat(registry.typeOf(3)).isNull();
        assertThat(registry.typeOf(-1)).isNull();
    }

    @Test
    void namesOfLoadersAreUnique() {
        ClassLoader one = new GeneratedClass.Loader();
        ClassLoader other = new GeneratedClass.Loader();
        LoaderScopes scopes = new LoaderScopes().name("a", one).name("a", one);
        assertThatThrownBy(() -> scopes.name("b", one))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has the name \"a\" already");
        assertThatThrownBy(() -> scopes.name("", other)).isInstanceOf(IllegalArgumentException.class);
        scopes.name("a", other);
        assertThat(scopes.scopeOf(one)).isEmpty();
        assertThat(scopes.scopeOf(other)).isEqualTo("a");
        assertThat(scopes.scopeOf(null)).isEmpty();
        assertThat(scopes.loaderOf("a")).isSameAs(other);
        assertThat(scopes.loaderOf("b")).isNull();
    }
}
