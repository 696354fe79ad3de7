package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Test;

/** Classes that differ between writer and reader. */
final class EvolutionTest {
    private static final String NAME = "generated.evolution.Person";
    private static final Heapspan WRITER = Heapspan.create();

    private static Map<String, String> fields(String... namesAndDescriptors) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndDescriptors.length; i += 2) {
            fields.put(namesAndDescriptors[i], namesAndDescriptors[i + 1]);
        }
        return fields;
    }

    private static Object person(String... namesAndDescriptors) throws ReflectiveOperationException {
        return new GeneratedClass.Loader(new GeneratedClass(NAME, fields(namesAndDescriptors))).newInstance(NAME);
    }

    private static Heapspan reader(String... namesAndDescriptors) {
        return Heapspan.builder()
                .classLoader(new GeneratedClass.Loader(new GeneratedClass(NAME, fields(namesAndDescriptors))))
                .build();
    }

    @Test
    void keepsDefaultsForNewFieldsAndDropsOldOnes() throws Exception {
        Object person = person("id", "J", "name", "Ljava/lang/String;", "gone", "Ljava/lang/Object;", "old", "I");
        GeneratedClass.set(person, "id", 5L);
        GeneratedClass.set(person, "name", "Ada");
        GeneratedClass.set(person, "gone", new Object[] {List.of(1, 2), person, "text"});
        GeneratedClass.set(person, "old", -1);
        Heapspan reader = reader("name", "Ljava/lang/String;", "id", "J", "fresh", "D", "list", "Ljava/util/List;");
        Object[] graph = {person, "text", person, new int[] {1}};
        Object[] copy = reader.decode(WRITER.encode(graph), Object[].class);
        assertThat(GeneratedClass.get(copy[0], "id")).isEqualTo(5L);
        assertThat(GeneratedClass.get(copy[0], "name")).isEqualTo("Ada");
        assertThat(GeneratedClass.get(copy[0], "fresh")).isEqualTo(0.0);
        assertThat(GeneratedClass.get(copy[0], "list")).isNull();
        assertThat(copy[2]).isSameAs(copy[0]);
        assertThat((int[]) copy[3]).containsExactly(1);
    }

    @Test
    void refersToWhatLiesBehindADroppedField() throws Exception {
        int[] shared = {1, 2, 3};
        Object person = person("a", "Ljava/lang/Object;", "z", "Ljava/lang/Object;");
        GeneratedClass.set(person, "a", new Object[] {shared});
        GeneratedClass.set(person, "z", shared);
        Object copy = reader("z", "Ljava/lang/Object;").decode(WRITER.encode(person), Object.class);
        assertThat((int[]) GeneratedClass.get(copy, "z")).containsExactly(1, 2, 3);
    }

    /** What lies behind the dropped field is of a class that is gone, or leads to such an object, or to none. */
    @Test
    void keepsNothingThatLeadsToAnObjectOfAMissingClass() throws Exception {
        GeneratedClass gone = new GeneratedClass("generated.evolution.Gone", Map.of());
        GeneratedClass.Loader there = new GeneratedClass.Loader(
                new GeneratedClass(NAME, fields("a", "Ljava/lang/Object;", "z", "Ljava/lang/Object;")), gone);
        Object missing = there.newInstance(gone.name());
        int[] harmless = {1, 2, 3};
        Object array = new Object[] {missing, harmless};
        List<Object> list = new ArrayList<>(List.of("text", missing));
        Map<Object, Object> map = new HashMap<>(Map.of("key", new Object[] {list}));
        Heapspan reader = reader("z", "Ljava/lang/Object;");
        for (Object kept : List.of(missing, array, list, map, Optional.of(list), new Object[][] {{list}})) {
            Object person = there.newInstance(NAME);
            GeneratedClass.set(person, "a", new Object[] {missing, harmless, array, list, map, kept});
            GeneratedClass.set(person, "z", kept);
            byte[] image = WRITER.encode(person);
            assertThatThrownBy(() -> reader.decode(image, Object.class))
                    .as("%s", kept)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_NOT_FOUND))
                    .hasMessageContaining(gone.name());
            GeneratedClass.set(person, "z", harmless);
            Object copy = reader.decode(WRITER.encode(person), Object.class);
            assertThat((int[]) GeneratedClass.get(copy, "z")).containsExactly(1, 2, 3);
        }
    }

    static final class ByNumber implements Comparator<Object>, Serializable {
        private static int number(Object object) {
            try {
                return (Integer) GeneratedClass.get(object, "n");
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public int compare(Object a, Object b) {
            return Integer.compare(number(a), number(b));
        }
    }

    /** Objects of the class that is gone cannot be told apart, nor compared. */
    @Test
    void dropsCollectionsOfObjectsOfAMissingClass() throws Exception {
        GeneratedClass gone = new GeneratedClass("generated.evolution.Gone", Map.of("n", "I"));
        GeneratedClass.Loader there = new GeneratedClass.Loader(
                new GeneratedClass(NAME, fields("a", "Ljava/lang/Object;", "z", "Ljava/lang/Object;")), gone);
        Object one = there.newInstance(gone.name());
        Object two = there.newInstance(gone.name());
        GeneratedClass.set(two, "n", 2);
        Map<Object, Object> map = new TreeMap<>(new ByNumber());
        map.put(one, "one");
        map.put(two, "two");
        Set<Object> set = new TreeSet<>(new ByNumber());
        set.addAll(List.of(one, two));
        Heapspan reader = reader("z", "Ljava/lang/Object;");
        for (Object dropped :
                List.of(Set.of(one, two), Map.of(one, 1, two, 2), new HashMap<>(Map.of(one, 1, two, 2)), map, set)) {
            Object person = there.newInstance(NAME);
            GeneratedClass.set(person, "a", dropped);
            GeneratedClass.set(person, "z", "kept");
            Object copy = reader.decode(WRITER.encode(person), Object.class);
            assertThat(GeneratedClass.get(copy, "z")).isEqualTo("kept");
            GeneratedClass.set(person, "z", dropped);
            byte[] image = WRITER.encode(person);
            assertThatThrownBy(() -> reader.decode(image, Object.class))
                    .as("%s", dropped.getClass())
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_NOT_FOUND));
        }
    }

    @Test
    void namesClassFieldAndBothTypesOfAChangedField() throws Exception {
        String[] types = {"I", "J", "Z", "D", "F", "S", "C", "B", "Ljava/lang/String;"};
        for (String there : types) {
            Object person = person("value", there);
            byte[] image = WRITER.encode(person);
            for (String here : types) {
                Heapspan reader = reader("value", here);
                if (here.equals(there)) {
                    assertThat(reader.decode(image, Object.class)).isNotNull();
                    continue;
                }
                assertThatThrownBy(() -> reader.decode(image, Object.class))
                        .as("%s to %s", there, here)
                        .isInstanceOfSatisfying(
                                HeapspanException.class,
                                e -> assertThat(e.category()).isEqualTo(Category.EVOLUTION))
                        .hasMessageContaining(NAME + ".value");
            }
        }
    }

    @Test
    void checksObjectsAgainstTheLocalType() throws Exception {
        Object person = person("any", "Ljava/lang/Object;");
        GeneratedClass.set(person, "any", List.of("x"));
        byte[] image = WRITER.encode(person);
        Object copy = reader("any", "Ljava/util/Collection;").decode(image, Object.class);
        assertThat(GeneratedClass.get(copy, "any")).isEqualTo(List.of("x"));
    }

    /** Descriptions say of most types of fields only that they are references, so that the classes look alike until an object comes. */
    @Test
    void namesClassFieldAndTypesWhereAnObjectDoesNotFitItsField() throws Exception {
        String[] types = {
            "Ljava/lang/Integer;",
            "Ljava/lang/Long;",
            "Ljava/lang/Double;",
            "Ljava/util/Map;",
            "Ljava/util/HashMap;",
            "Ljava/lang/CharSequence;",
            "Ljava/lang/Thread;",
            "[I",
            "[Ljava/lang/Object;"
        };
        for (String there : new String[] {"Ljava/lang/Object;", "Ljava/util/List;"}) {
            // The second field is the one in question, and there are others of its type.
            Object person = person("a", there, "any", there, "next", there, "other", "I");
            GeneratedClass.set(person, "any", new java.util.ArrayList<>(List.of("x")));
            byte[] image = WRITER.encode(person);
            for (String here : types) {
                for (Heapspan reader : List.of(
                        reader("a", here, "any", here, "next", here, "other", "I"),
                        reader("a", here, "any", here, "next", here, "other", "I", "fresh", "J"))) {
                    assertThatThrownBy(() -> reader.decode(image, Object.class))
                            .as("%s to %s", there, here)
                            .isInstanceOfSatisfying(
                                    HeapspanException.class,
                                    e -> assertThat(e.category()).isEqualTo(Category.EVOLUTION))
                            .hasMessageContaining(NAME + ".any")
                            .hasMessageContaining("is declared "
                                    + (here.startsWith("L") ? here.substring(1, here.length() - 1) : here)
                                            .replace('/', '.'))
                            .hasMessageContaining("java.util.ArrayList");
                }
            }
        }
    }

    @Test
    void namesTheFieldOfASubclassAndOfARawImage() throws Exception {
        Object person = person("any", "Ljava/lang/Object;");
        GeneratedClass.set(person, "any", new int[] {1});
        Heapspan reader = reader("any", "Ljava/util/Collection;");
        for (Encoding encoding : Encoding.values()) {
            byte[] image = WRITER.encode(List.of(person), encoding);
            assertThatThrownBy(() -> reader.decodeTrusted(image, Object.class))
                    .as("%s", encoding)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.EVOLUTION))
                    .hasMessageContaining(NAME + ".any")
                    .hasMessageContaining("java.util.Collection");
        }
    }

    @Test
    void readsDeepGraphsOfAnEvolvedClass() throws Exception {
        GeneratedClass.Loader there = new GeneratedClass.Loader(
                new GeneratedClass(NAME, fields("next", "Ljava/lang/Object;", "old", "Ljava/lang/Object;", "n", "I")));
        Object chain = null;
        for (int i = 0; i < 3000; i++) {
            Object person = there.newInstance(NAME);
            GeneratedClass.set(person, "next", chain);
            GeneratedClass.set(person, "old", i % 5 == 0 ? chain : new Object[] {i});
            GeneratedClass.set(person, "n", i);
            chain = person;
        }
        Object copy = reader("next", "Ljava/lang/Object;", "n", "I").decode(WRITER.encode(chain), Object.class);
        for (int i = 2999; i >= 0; i--) {
            assertThat(GeneratedClass.get(copy, "n")).isEqualTo(i);
            copy = GeneratedClass.get(copy, "next");
        }
        assertThat(copy).isNull();
    }

    @Test
    void saysWhichClassIsMissing() throws Exception {
        byte[] image = WRITER.encode(person("x", "I"));
        assertThatThrownBy(() -> WRITER.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.CLASS_NOT_FOUND))
                .hasMessageContaining(NAME)
                .hasMessageContaining("classLoader(");
    }

    @Test
    void findsClassesByTheContextLoaderOfTheThread() throws Exception {
        GeneratedClass.Loader loader = new GeneratedClass.Loader(new GeneratedClass(NAME, fields("x", "I")));
        byte[] image = WRITER.encode(loader.newInstance(NAME));
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            assertThat(WRITER.decode(image, Object.class).getClass().getClassLoader())
                    .isSameAs(loader);
        } finally {
            thread.setContextClassLoader(before);
        }
        // What one thread's loader has is nothing to another's.
        assertThatThrownBy(() -> WRITER.decode(image, Object.class)).isInstanceOf(HeapspanException.class);
    }

    @Test
    void tellsLoadersOfEqualNamesApart() throws Exception {
        GeneratedClass generated = new GeneratedClass(NAME, fields("x", "I"));
        GeneratedClass.Loader first = new GeneratedClass.Loader(generated);
        GeneratedClass.Loader second = new GeneratedClass.Loader(generated);
        byte[] image = WRITER.encode(first.newInstance(NAME));
        for (int i = 0; i < 3; i++) {
            for (GeneratedClass.Loader loader : List.of(first, second)) {
                Heapspan reader = Heapspan.builder().classLoader(loader).build();
                assertThat(reader.decode(image, Object.class).getClass().getClassLoader())
                        .isSameAs(loader);
            }
        }
    }
}
