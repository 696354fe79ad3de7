package org.heapspan.image.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.Heapspan;
import org.junit.jupiter.api.Test;

/** What fields of generic classes are in subclasses. */
final class BoundTypeTest {
    static class Pair<A, B> implements Serializable {
        A first;
        B second;

        Pair(A first, B second) {
            this.first = first;
            this.second = second;
        }
    }

    static final class Sale extends Pair<Long, String> {
        Sale(Long first, String second) {
            super(first, second);
        }
    }

    static class Deeper<X extends Number> extends Pair<X, List<X>> {
        X third;

        Deeper(X first, List<X> second) {
            super(first, second);
            third = first;
        }
    }

    static final class Deepest extends Deeper<Integer> {
        Deepest(Integer first, List<Integer> second) {
            super(first, second);
        }
    }

    @SuppressWarnings("rawtypes")
    static final class Raw extends Pair {
        @SuppressWarnings("unchecked")
        Raw(Object first, Object second) {
            super(first, second);
        }
    }

    static class Node<T> implements Serializable {
        T value;

        Node(T value) {
            this.value = value;
        }

        /** Its superclass has the variable of the class around it as its argument. */
        Node<T> anonymous() {
            return new Node<>(value) {};
        }

        @SuppressWarnings("ClassCanBeStatic") // Then it could not name the variable.
        final class Inner extends Node<T> {
            Inner(T value) {
                super(value);
            }
        }

        /** Its field has the variable of the class around it, not that of its superclass. */
        @SuppressWarnings("ClassCanBeStatic")
        final class Shadowed extends Node<String> {
            T own;

            Shadowed(T own) {
                super("super");
                this.own = own;
            }
        }
    }

    static class Swapping<A, B> extends Pair<A, B> {
        Swapping(A first, B second) {
            super(first, second);
        }

        Swapping<B, A> swapped() {
            return new Swapping<>(second, first) {};
        }
    }

    private static Class<?> classOf(Class<?> type, Class<?> declaring, String field) throws NoSuchFieldException {
        return BoundType.classOf(type, declaring.getDeclaredField(field));
    }

    @Test
    void subclassesNameTypeArguments() throws NoSuchFieldException {
        assertThat(classOf(Sale.class, Pair.class, "first")).isEqualTo(Long.class);
        assertThat(classOf(Sale.class, Pair.class, "second")).isEqualTo(String.class);
        assertThat(classOf(Deepest.class, Pair.class, "first")).isEqualTo(Integer.class);
        assertThat(classOf(Deepest.class, Pair.class, "second")).isEqualTo(List.class);
        assertThat(classOf(Deepest.class, Deeper.class, "third")).isEqualTo(Integer.class);
    }

    @Test
    void withoutTypeArgumentsTheDeclaredClassRemains() throws NoSuchFieldException {
        assertThat(classOf(Pair.class, Pair.class, "first")).isEqualTo(Object.class);
        assertThat(classOf(Raw.class, Pair.class, "second")).isEqualTo(Object.class);
        assertThat(classOf(Deeper.class, Deeper.class, "third")).isEqualTo(Number.class);
    }

    @Test
    void aVariableOfTheClassAroundTellsNothing() throws NoSuchFieldException {
        Node<String> node = new Node<>("value");
        Class<?> anonymous = node.anonymous().getClass();
        assertThat(classOf(anonymous, Node.class, "value")).isEqualTo(Object.class);
        assertThat(classOf(Node.Inner.class, Node.class, "value")).isEqualTo(Object.class);
        assertThat(classOf(Node.Shadowed.class, Node.class, "value")).isEqualTo(String.class);
        assertThat(classOf(Node.Shadowed.class, Node.Shadowed.class, "own")).isEqualTo(Object.class);
        Class<?> swapped = new Swapping<>(1, "b").swapped().getClass();
        assertThat(classOf(swapped, Pair.class, "first")).isEqualTo(Object.class);

        Heapspan heapspan = Heapspan.create();
        Node<?> copy = heapspan.decode(heapspan.encode(node.anonymous()), Node.class);
        assertThat((Object) copy.value).isEqualTo("value");
        assertThat((Object) copyOf(new Swapping<>(1, "b").swapped()).second).isEqualTo(1);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Pair<?, ?>> T copyOf(T original) {
        Heapspan heapspan = Heapspan.create();
        return (T) heapspan.decode(heapspan.encode(original), Pair.class);
    }

    /** The same objects in a class that names nothing have the same bytes behind the name of the class. */
    @Test
    void objectsComeBackWhateverIsInThem() {
        Sale sale = copyOf(new Sale(-5L, "five"));
        assertThat(sale.first).isEqualTo(-5L);
        assertThat(sale.second).isEqualTo("five");
        Sale empty = copyOf(new Sale(null, null));
        assertThat(empty.first).isNull();
        assertThat(empty.second).isNull();
        Deepest deepest = copyOf(new Deepest(7, new ArrayList<>(List.of(1, 2))));
        assertThat(deepest.first).isEqualTo(7).isEqualTo(deepest.third);
        assertThat(deepest.second).isEqualTo(List.of(1, 2));
    }

    /** Nothing enforces type arguments: a program can put other objects in. */
    @Test
    @SuppressWarnings("unchecked")
    void objectsOfOtherClassesComeBack() {
        Sale sale = new Sale(null, null);
        String text = new String("shared");
        ((Pair<Object, Object>) (Pair<?, ?>) sale).first = text;
        ((Pair<Object, Object>) (Pair<?, ?>) sale).second = text;
        Pair<?, ?> copy = copyOf(sale);
        assertThat((Object) copy.first).isEqualTo("shared").isSameAs(copy.second);
        ((Pair<Object, Object>) (Pair<?, ?>) sale).second = new ArrayList<>(List.of(text, 4L));
        Pair<?, ?> other = copyOf(sale);
        assertThat((Object) other.second).isEqualTo(List.of("shared", 4L));
        assertThat(((List<?>) other.second).get(0)).isSameAs(other.first);
    }
}
