package org.heapspan.image.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanObjectInputStream;
import org.heapspan.HeapspanObjectOutputStream;
import org.heapspan.image.format.ImageFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways in which a writer keeps identity within records, and what its images say about it. */
@Tag("once")
final class RecordIdentityTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    @SuppressWarnings("serial") // Fields hold what a test puts there.
    static final class Pair implements Serializable {
        String name;
        Object first;
        Object second;

        Pair(String name, Object first, Object second) {
            this.name = name;
            this.first = first;
            this.second = second;
        }
    }

    private static String fresh(String text) {
        return new String(text.toCharArray());
    }

    private static Pair tree(int number) {
        return new Pair(fresh("tree " + number), fresh("a"), new Pair(fresh("inner"), null, null));
    }

    private static Pair shared(int number) {
        Pair inner = new Pair(fresh("inner"), null, null);
        inner.second = inner;
        return new Pair(fresh("shared " + number), inner, inner);
    }

    private static void check(Pair copy) {
        if (copy.name.startsWith("tree")) {
            assertThat(copy.first).isEqualTo("a");
            assertThat(((Pair) copy.second).name).isEqualTo("inner");
        } else {
            assertThat(copy.first).isSameAs(copy.second);
            assertThat(((Pair) copy.first).second).isSameAs(copy.first);
        }
    }

    private static boolean saysNoBackReferences(byte[] image) {
        return (image[ImageFormat.FLAGS_OFFSET] & ImageFormat.FLAG_NO_BACK_REFERENCES) != 0;
    }

    @Test
    void saysWhetherThereAreBackReferences() {
        assertThat(saysNoBackReferences(HEAPSPAN.encode(tree(1)))).isTrue();
        assertThat(saysNoBackReferences(HEAPSPAN.encode(shared(1)))).isFalse();
        assertThat(saysNoBackReferences(HEAPSPAN.encode(tree(2)))).isTrue();
        Pair self = new Pair("self", null, null);
        self.first = self;
        byte[] image = HEAPSPAN.encode(self);
        assertThat(saysNoBackReferences(image)).isFalse();
        Pair copy = HEAPSPAN.decode(image, Pair.class);
        assertThat(copy.first).isSameAs(copy);
    }

    @Test
    void sharedStringsStayShared() {
        String name = fresh("name");
        byte[] image = HEAPSPAN.encode(new Pair(name, name, List.of(name)));
        Pair copy = HEAPSPAN.decode(image, Pair.class);
        assertThat(copy.first).isSameAs(copy.name);
        assertThat(((List<?>) copy.second).get(0)).isSameAs(copy.name);
    }

    @Test
    void recordsOfBothKindsInAnyOrder() {
        long seed = 20261122;
        Random random = new Random(seed);
        for (int round = 0; round < 20; round++) {
            GroupWriter writer = HEAPSPAN.groupWriter();
            double sharing = random.nextDouble();
            for (int i = 0; i < 500; i++) {
                writer.write(random.nextDouble() < sharing ? shared(i) : tree(i));
            }
            GroupReader reader = HEAPSPAN.groupReader(writer.finish());
            int count = 0;
            while (reader.hasNext()) {
                check((Pair) reader.next());
                count++;
            }
            assertThat(count).as("seed %d, round %d", seed, round).isEqualTo(500);
        }
    }

    @Test
    void recordsLargerThanTheTableOfTrees() {
        for (int size : new int[] {500, 1_000, 5_000, 200_000}) {
            List<Object> distinct = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                distinct.add(fresh("s" + i));
            }
            byte[] image = HEAPSPAN.encode(distinct);
            assertThat(saysNoBackReferences(image)).isTrue();
            assertThat((Object) HEAPSPAN.decode(image, List.class)).isEqualTo(distinct);
            distinct.add(distinct.get(size / 2));
            List<?> copy = HEAPSPAN.decode(HEAPSPAN.encode(distinct), List.class);
            assertThat(copy.get(size)).isSameAs(copy.get(size / 2));
        }
    }

    /** Tables grow while a record is written: what was seen before is still known, whichever table it lay in. */
    @ParameterizedTest
    @ValueSource(ints = {500, 3_000, 12_000, 60_000, 250_000, 600_000})
    void knowsWhatItSawBeforeItsTableGrew(int count) {
        Object[] record = new Object[count + 3];
        for (int i = 0; i < count; i++) {
            record[i] = new Pair(null, null, null);
        }
        for (int round = 0; round < 2; round++) {
            assertThat(saysNoBackReferences(HEAPSPAN.encode(record))).isEqualTo(round == 0);

            // In the second round it is known beforehand that objects are shared.
            record[count] = record[0];
            record[count + 1] = record[count / 2];
            record[count + 2] = record[count - 1];
            Object[] copy = HEAPSPAN.copy(record);
            assertThat(copy[count]).isSameAs(copy[0]);
            assertThat(copy[count + 1]).isSameAs(copy[count / 2]);
            assertThat(copy[count + 2]).isSameAs(copy[count - 1]);
            assertThat(new HashSet<>(List.of(copy))).hasSize(count);
        }
    }

    /** A large tree goes on with another table, and the trees behind it begin with that. A collection in between would use neither: so several times. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20})
    void knowsWhatItSawBeforeATreeChangedItsTable(int treesBefore) {
        int count = 100_000;
        for (int twice : new int[] {0, 1, 2, 3, 4, count / 2, count - 1}) {
            Object[] record = new Object[count + 1];
            for (int i = 0; i < count; i++) {
                record[i] = new Pair(null, null, null);
            }
            Heapspan fresh = Heapspan.create();
            for (int i = 0; i < treesBefore; i++) {
                assertThat(saysNoBackReferences(fresh.encode(record))).isTrue();
            }
            record[count] = record[twice];
            Object[] copy = fresh.decode(fresh.encode(record), Object[].class);
            assertThat(copy[count]).as("object %d", twice).isSameAs(copy[twice]);
        }
    }

    @Test
    void rejectsABackReferenceWhereThereShouldBeNone() {
        byte[] image = HEAPSPAN.encode(shared(1));
        image[ImageFormat.FLAGS_OFFSET] |= ImageFormat.FLAG_NO_BACK_REFERENCES;
        assertThatThrownBy(() -> HEAPSPAN.decode(image, Pair.class))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("in an image whose header says that it has none");
    }

    @Test
    void countsObjectsItDoesNotRemember() {
        byte[] image = HEAPSPAN.encode(tree(1));
        assertThat(saysNoBackReferences(image)).isTrue();
        assertThat(Heapspan.builder().maxObjects(5).build().decode(image, Pair.class))
                .isNotNull();
        assertThatThrownBy(() -> Heapspan.builder().maxObjects(4).build().decode(image, Pair.class))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("maxObjects");
    }

    @Test
    void objectStreamsDoNotSayIt() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream out = new HeapspanObjectOutputStream(bytes)) {
            out.writeObject("a");
        }
        byte[] image = bytes.toByteArray();
        assertThat(saysNoBackReferences(image)).isFalse();
        image[ImageFormat.FLAGS_OFFSET] |= ImageFormat.FLAG_NO_BACK_REFERENCES;
        assertThatThrownBy(() -> {
                    try (HeapspanObjectInputStream in =
                            new HeapspanObjectInputStream(new ByteArrayInputStream(image))) {
                        in.readObject();
                    }
                })
                .hasStackTraceContaining("expected an object stream");
    }

    /** Types take more room before the body than an image usually leaves. */
    @Test
    void groupsWithManyTypes() {
        List<Object> proxies = new ArrayList<>();
        Class<?>[] all = {
            Serializable.class,
            Comparable.class,
            Runnable.class,
            CharSequence.class,
            AutoCloseable.class,
            Iterable.class
        };
        for (int mask = 1; mask < 1 << all.length; mask++) {
            List<Class<?>> interfaces = new ArrayList<>();
            for (int i = 0; i < all.length; i++) {
                if ((mask & 1 << i) != 0) {
                    interfaces.add(all[i]);
                }
            }
            proxies.add(Proxy.newProxyInstance(
                    RecordIdentityTest.class.getClassLoader(), interfaces.toArray(Class<?>[]::new), new Handler()));
        }
        GroupWriter writer = HEAPSPAN.groupWriter();
        for (int round = 0; round < 4; round++) {
            for (Object proxy : proxies) {
                writer.write(proxy);
            }
            Heapspan trusting = Heapspan.builder()
                    .filter(info -> java.io.ObjectInputFilter.Status.ALLOWED)
                    .build();
            GroupReader reader = trusting.groupReader(writer.finish());
            for (Object proxy : proxies) {
                assertThat(reader.next()).hasSameClassAs(proxy);
            }
            assertThat(reader.hasNext()).isFalse();
        }
    }

    static final class Handler implements java.lang.reflect.InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, java.lang.reflect.Method method, Object[] arguments) {
            return method.getName().equals("toString") ? "proxy" : null;
        }
    }
}
