package org.heapspan.image.type;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.LoaderScopes;
import org.heapspan.Mode;
import org.heapspan.TypeRegistry;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Test;

final class SerialNumbersTest {
    private static final class Thing {}

    /** Returns when references to objects that were dropped before are in their queues, where a thread of the JVM puts them. */
    private static void collect() throws InterruptedException {
        ReferenceQueue<Object> queue = new ReferenceQueue<>();
        // Of the references that one collection finds ours may come first: the next one's come after all of them.
        for (int round = 0; round < 2; round++) {
            WeakReference<Object> last = new WeakReference<>(new Object(), queue);
            do {
                System.gc();
            } while (queue.remove(100) == null);
            Reference.reachabilityFence(last);
        }
    }

    @Test
    void numbersGrowWithTheObjectsInUse() throws Exception {
        SerialNumbers numbers = new SerialNumbers();
        Map<Integer, Thing> kept = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            Thing thing = new Thing();
            assertThat(kept.put(numbers.give(thing), thing)).isNull();
        }
        assertThat(kept.keySet()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        int most = 0;
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 50; i++) {
                int number = numbers.give(new Thing());
                assertThat(kept).doesNotContainKey(number);
                most = Math.max(most, number);
            }
            collect();
        }
        assertThat(most).isLessThan(200);
        Reference.reachabilityFence(kept);
    }

    @Test
    void numbersOfThoseInUseDiffer() throws Exception {
        SerialNumbers numbers = new SerialNumbers();
        List<Thing> things = new ArrayList<>();
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            Thing thing = new Thing();
            things.add(thing);
            assertThat(given.add(numbers.give(thing))).isTrue();
            if (i % 500 == 0) {
                collect();
            }
        }
        Reference.reachabilityFence(things);
    }

    private static final String NAME = "generated.serial.Node";

    /** Writers whose tables know the number of a class that is gone, and then another class with that number. */
    @Test
    void writersTakeNoClassForOneThatHadItsNumber() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        LoaderScopes scopes = new LoaderScopes();
        Heapspan numbered =
                Heapspan.builder().typeRegistry(registry).loaderScopes(scopes).build();
        Heapspan plain = Heapspan.create();
        GroupWriter[] groups = {numbered.groupWriter(), plain.groupWriter(), plain.groupWriter(Encoding.RAW)};
        String[] types = {"I", "J", "Ljava/lang/String;", "D", "Ljava/lang/Object;", "[I"};
        Set<Integer> serials = new HashSet<>();
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 10; i++) {
                // Equal names, and fields that a reader would mistake for one another.
                GeneratedClass generated =
                        new GeneratedClass(NAME, Map.of("field" + i % 3, types[(round + i) % types.length]));
                GeneratedClass.Loader loader = new GeneratedClass.Loader(generated);
                scopes.name("loader " + round + "." + i, loader);
                Object object = loader.newInstance(NAME);
                for (int g = 0; g < groups.length; g++) {
                    groups[g].write(object);
                    GroupReader reader = (g == 0 ? numbered : reading(loader)).trustedGroupReader(groups[g].finish());
                    assertThat(reader.next().getClass()).isSameAs(object.getClass());
                    assertThat(reader.hasNext()).isFalse();
                }
                serials.add(PolicyCodecRegistry.of(Mode.SERIAL, Map.of()).codecOf(object.getClass()).serial);
            }
            if (round % 3 == 0) {
                collect();
            }
        }
        // Else nothing was shown.
        assertThat(serials).as("serials of 200 classes").hasSizeLessThan(200);
    }

    private static Heapspan reading(ClassLoader loader) {
        return Heapspan.builder().classLoader(loader).build();
    }
}
