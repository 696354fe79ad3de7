package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Images that refer to objects which their reader has already. */
@Tag("once")
final class SharedObjectsTest {
    record City(String name, int people) implements Serializable {}

    @SuppressWarnings("serial") // What it refers to is serializable here.
    static final class Node implements Serializable {
        private static final long serialVersionUID = 1L;

        String text;
        Object any;
        City city;
        Node next;
    }

    static final class Hooked implements Serializable {
        private static final long serialVersionUID = 1L;

        transient Object inside;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeObject(inside);
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            inside = in.readObject();
        }
    }

    private static final City PARIS = new City("Paris", 2_100_000);

    private final Object[] shared = {"https://example.org/a", PARIS, new int[] {1, 2, 3}};
    private final Heapspan heapspan = Heapspan.create();

    /** By identity, but strings by value. */
    private int numberOf(Object object) {
        for (int i = 0; i < shared.length; i++) {
            if (shared[i] == object || object instanceof String && object.equals(shared[i])) {
                return i;
            }
        }
        return -1;
    }

    private byte[] encode(Object root, ToIntFunction<Object> numbers) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            heapspan.encodeTo(root, numbers, bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return bytes.toByteArray();
    }

    private <T> T decode(byte[] image, IntFunction<?> objects, Class<T> type) {
        return heapspan.decodeFrom(new ByteBuffer[] {ByteBuffer.wrap(image)}, objects, type);
    }

    @SuppressWarnings("unchecked")
    private <T> T passed(T root) {
        return (T) decode(encode(root, this::numberOf), number -> shared[number], root.getClass());
    }

    @Test
    void eachKindOfSlotCanReferToThem() {
        Node node = new Node();
        node.text = new String("https://example.org/a");
        node.any = shared[2];
        node.city = PARIS;
        node.next = node;
        Node read = passed(node);
        assertThat(read.text).isSameAs(shared[0]);
        assertThat(read.any).isSameAs(shared[2]);
        assertThat(read.city).isSameAs(PARIS);
        assertThat(read.next).isSameAs(read);

        Object[] array = {shared[0], "own", PARIS, new City("Rome", 5), shared[2], "own", array(PARIS)};
        Object[] readArray = passed(array);
        assertThat(readArray[0]).isSameAs(shared[0]);
        assertThat(readArray[1]).isEqualTo("own").isSameAs(readArray[5]);
        assertThat(readArray[2]).isSameAs(PARIS).isSameAs(((Object[]) readArray[6])[0]);
        assertThat(readArray[3]).isEqualTo(array[3]).isNotSameAs(array[3]);
        assertThat(readArray[4]).isSameAs(shared[2]);
    }

    private static Object[] array(Object... elements) {
        return elements;
    }

    @Test
    void collectionsCanReferToThem() {
        String url = (String) shared[0];
        List<Object> cities = new ArrayList<>(List.of(PARIS, new City("Oslo", 1), PARIS));
        assertThat(passed(cities).get(2)).isSameAs(PARIS);
        assertThat(passed(cities)).isEqualTo(cities);
        assertThat(passed(new ArrayList<>(List.of(url, "b", url))).get(2)).isSameAs(url);
        assertThat(passed(List.of(url, PARIS)).get(1)).isSameAs(PARIS);
        assertThat(passed(new ArrayDeque<>(List.of(url))).peek()).isSameAs(url);
        for (Map<Object, Object> map : List.of(
                new HashMap<Object, Object>(Map.of(url, 0.5, "other", 1.5)),
                new LinkedHashMap<Object, Object>(Map.of(PARIS, url)),
                new TreeMap<Object, Object>(Map.of(url, PARIS)))) {
            Map<Object, Object> read = passed(map);
            assertThat(read).isEqualTo(map);
            assertThat(read.keySet()).anyMatch(key -> Arrays.stream(shared).anyMatch(each -> each == key));
        }
    }

    @Test
    void hooksCanReferToThem() {
        Hooked hooked = new Hooked();
        hooked.inside = new Object[] {PARIS, hooked, "x"};
        Object[] inside = (Object[]) passed(hooked).inside;
        assertThat(inside[0]).isSameAs(PARIS);
        assertThat(inside[2]).isEqualTo("x");
    }

    /** What lies deep is written after the rest, and on a larger stack. */
    @Test
    void deepObjectsCanReferToThem() {
        Node first = new Node();
        Node last = first;
        for (int i = 0; i < 5_000; i++) {
            last.next = new Node();
            last.text = (String) shared[0];
            last = last.next;
        }
        last.city = PARIS;
        Node read = passed(first);
        int same = 0;
        while (read.next != null) {
            same += read.text == shared[0] ? 1 : 0;
            read = read.next;
        }
        assertThat(same).isEqualTo(5_000);
        assertThat(read.city).isSameAs(PARIS);
        List<Object> nested = List.of(PARIS);
        for (int i = 0; i < 2_000; i++) {
            nested = List.of(nested);
        }
        Object inner = passed(nested);
        while (inner instanceof List<?> list) {
            inner = list.get(0);
        }
        assertThat(inner).isSameAs(PARIS);
    }

    /** Larger than a frame, with many objects of its own and references to both kinds. */
    @Test
    void largeGraphsCanReferToThem() {
        Random random = new Random(5);
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            list.add(
                    switch (random.nextInt(4)) {
                        case 0 -> shared[random.nextInt(3)];
                        case 1 -> list.isEmpty() ? "first" : list.get(random.nextInt(list.size()));
                        case 2 -> "string " + i;
                        default -> new City("city " + i, i);
                    });
        }
        List<Object> read = passed(list);
        IdentityHashMap<Object, Object> byOriginal = new IdentityHashMap<>();
        assertThat(read).isEqualTo(list);
        for (int i = 0; i < list.size(); i++) {
            Object original = list.get(i);
            boolean isShared = numberOf(original) >= 0;
            Object first = byOriginal.putIfAbsent(original, read.get(i));
            if (isShared && read.get(i) != original || first != null && first != read.get(i)) {
                throw new AssertionError("element " + i + " is another object");
            }
        }
    }

    @Test
    void theyTakeAFewBytesEach() {
        Object[] urls = new Object[1000];
        Arrays.setAll(urls, i -> "https://example.org/a/long/path/to/page/" + i);
        Map<Object, Integer> numbers = new HashMap<>();
        for (Object url : urls) {
            numbers.put(url, numbers.size());
        }
        Object[] root = urls.clone();
        byte[] image = encode(root, url -> numbers.getOrDefault(url, -1));
        assertThat(image.length).isLessThan(4_200).isLessThan(heapspan.encode(root).length / 10);
        assertThat(decode(image, number -> urls[number], Object[].class)).containsExactly(urls);
    }

    @Test
    void anImageWithoutReferencesNeedsNothing() {
        Object[] root = {"a", "b", "a", new City("Bern", 3), PARIS};
        byte[] image = encode(root, object -> -1);
        Object[] read = heapspan.decode(image, Object[].class);
        assertThat(read).isEqualTo(root);
        assertThat(read[0]).isSameAs(read[2]);
    }

    @Test
    void aReaderWithoutThemSaysSo() {
        byte[] image = encode(new Object[] {PARIS}, this::numberOf);
        assertThatThrownBy(() -> heapspan.decode(image, Object[].class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                .hasMessageContaining("shared object 1");
        // A pooled reader does not remember the objects of the image before.
        assertThat(decode(image, number -> shared[number], Object[].class)[0]).isSameAs(PARIS);
        assertThatThrownBy(() -> heapspan.decode(image, Object[].class)).hasMessageContaining("shared object 1");
        assertThat(heapspan.decode(heapspan.encode("plain"), String.class)).isEqualTo("plain");
    }

    /** A field of another type than the object that an image claims for it. */
    @Test
    void anObjectMustFitItsSlot() {
        Node node = new Node();
        node.text = (String) shared[0];
        node.city = PARIS;
        byte[] image = encode(node, this::numberOf);
        assertThatThrownBy(() -> decode(image, number -> PARIS, Node.class)).isInstanceOf(HeapspanException.class);
        assertThatThrownBy(() -> decode(image, number -> "text", Node.class)).isInstanceOf(HeapspanException.class);
    }

    @Test
    void damagedImagesAreRefused() {
        Heapspan unchecked = Heapspan.builder().checksum(false).build();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            unchecked.encodeTo(new Object[] {"own", shared[0], PARIS, "own", new Node()}, this::numberOf, bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        Random random = new Random(11);
        int refused = 0;
        for (int i = 0; i < 2_000; i++) {
            byte[] image = bytes.toByteArray();
            image[6 + random.nextInt(image.length - 6)] ^= (byte) (1 << random.nextInt(8));
            try {
                unchecked.decodeFrom(
                        new ByteBuffer[] {ByteBuffer.wrap(image)}, number -> shared[number % 3], Object.class);
            } catch (HeapspanException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    /** Flags that do not go together. */
    @Test
    void otherScopesAreRefused() {
        byte[] image = encode(new Object[] {"a"}, this::numberOf);
        for (int scope : new int[] {0, 16, 18}) {
            byte[] other = image.clone();
            other[6] = (byte) (other[6] & ~18 | scope);
            assertThatThrownBy(() -> decode(other, number -> shared[number], Object[].class))
                    .as("scope %d", scope)
                    .isInstanceOf(HeapspanException.class);
        }
    }

    @Test
    void theInspectorShowsThem() {
        InspectedImage image =
                new ImageInspector(5, 10).inspect(encode(new Object[] {"own", PARIS, "own"}, this::numberOf));
        assertThat(image.problem()).isNull();
        assertThat(image.references()).isEqualTo(1);
        assertThat(image.sharedReferences()).isEqualTo(1);
        List<InspectedImage.Node> elements = image.tree().children().get(0).children();
        assertThat(elements).extracting(InspectedImage.Node::value).contains("-> shared object 1");
        assertThat(elements.get(2).reference()).isEqualTo(elements.get(0).index());
    }
}
