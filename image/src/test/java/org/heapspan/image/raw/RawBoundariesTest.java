package org.heapspan.image.raw;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Serializable;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.Encoding;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.image.format.RawFormat;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Raw images whose objects end where chunks do, records of nothing, and graphs that others change. */
@SuppressWarnings("serial")
class RawBoundariesTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    @BeforeAll
    static void findLayout() {
        Assumptions.assumeTrue(RawLayout.OWN != null, "needs raw memory");
    }

    /** What comes out of an image in one array, and out of one that comes in pieces; this also with the portable engine. */
    private static Object[] decoded(Object graph) throws IOException {
        byte[] image = HEAPSPAN.encode(graph, Encoding.RAW);
        return new Object[] {
            HEAPSPAN.decodeTrusted(image, Object.class),
            HEAPSPAN.decodeTrustedFrom(new ByteArrayInputStream(image), Object.class),
            RawWaitingChunksTest.portable(image)
        };
    }

    // ---------------------------------------------------------------- ends of chunks

    private static Object filledArray(Class<?> component, int length, Random random) {
        Object array = Array.newInstance(component, length);
        if (component == Object.class) {
            Object[] elements = (Object[]) array;
            for (int i = 0; i < length; i += 1 + random.nextInt(2000)) {
                elements[i] = i % 2 == 0 ? (Object) ("element " + i) : (Object) (1_000_000 + i);
            }
            if (length > 0) {
                elements[0] = array;
                elements[length - 1] = "the last";
            }
        } else {
            for (int i = 0; i < 50 && length > 0; i++) {
                byte value = (byte) random.nextInt();
                set(array, random.nextInt(length), value);
            }
            set(array, 0, (byte) 77);
            set(array, length - 1, (byte) 78);
        }
        return array;
    }

    private static void set(Object array, int index, byte value) {
        if (array instanceof boolean[] booleans) {
            booleans[index] = value != 0;
        } else if (array instanceof char[] characters) {
            characters[index] = (char) value;
        } else {
            Array.setByte(array, index, value);
        }
    }

    private static void assertSameArray(Object copy, Object array) {
        assertThat(copy.getClass()).isEqualTo(array.getClass());
        if (!(array instanceof Object[] elements)) {
            assertThat(Objects.deepEquals(copy, array)).isTrue();
            return;
        }
        Object[] copied = (Object[]) copy;
        assertThat(copied).hasSize(elements.length);
        for (int i = 0; i < elements.length; i++) {
            Object expected = elements[i] == array ? copy : elements[i];
            if (!Objects.equals(copied[i], expected)) {
                throw new AssertionError("element " + i + " is " + copied[i] + ", expected " + expected);
            }
        }
    }

    /** So many bytes more than a number of whole chunks the array takes. */
    @ParameterizedTest
    @ValueSource(ints = {-16, -8, 0, 8, 16})
    void arraysThatEndNearTheEndOfAChunkArrive(int more) throws Exception {
        Random random = new Random(more);
        RawLayout layout = RawLayout.own();
        for (Class<?> component : List.of(
                boolean.class,
                byte.class,
                short.class,
                char.class,
                int.class,
                float.class,
                long.class,
                double.class,
                Object.class)) {
            for (int chunks = 1; chunks <= 2; chunks++) {
                int sizeBytes = chunks * RawFormat.CHUNK_LIMIT_BYTES + more;
                int length = (sizeBytes - layout.arrayBase(component)) / layout.elementBytes(component);
                for (int each = length; each <= length + 1; each++) {
                    Object array = filledArray(component, each, random);
                    // Alone, and between other things.
                    Object[] graph = {"before", array, new Object[] {array, "behind"}, new int[] {1, 2, 3}};
                    for (Object copy : decoded(array)) {
                        assertSameArray(copy, array);
                    }
                    for (Object copy : decoded(graph)) {
                        Object[] whole = (Object[]) copy;
                        assertThat(whole[0]).isEqualTo("before");
                        assertSameArray(whole[1], array);
                        assertThat(((Object[]) whole[2])[0]).isSameAs(whole[1]);
                        assertThat(((Object[]) whole[2])[1]).isEqualTo("behind");
                        assertThat((int[]) whole[3]).containsExactly(1, 2, 3);
                    }
                }
            }
        }
    }

    @Test
    void recordsThatFillTheirChunkToTheEndArrive() {
        // What is left of a chunk behind the first record goes through all residues.
        int base = RawLayout.own().arrayBase(byte.class);
        for (int rest = 0; rest <= 64; rest += 8) {
            byte[] first = new byte[RawFormat.CHUNK_TARGET_BYTES - 8 - base];
            byte[] second = new byte[RawFormat.CHUNK_LIMIT_BYTES - RawFormat.CHUNK_TARGET_BYTES + 8 - base - rest];
            Arrays.fill(first, (byte) 1);
            Arrays.fill(second, (byte) 2);
            GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
            writer.write(first);
            writer.write(second);
            writer.write("the third");
            Object[] records = HEAPSPAN.trustedGroupReader(writer.finish()).readAll();
            assertThat(records).hasSize(3);
            assertThat((byte[]) records[0]).isEqualTo(first);
            assertThat((byte[]) records[1]).isEqualTo(second);
            assertThat(records[2]).isEqualTo("the third");
        }
    }

    // ---------------------------------------------------------------- nothing

    private static Object[] roundTrip(Object... records) {
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        for (Object each : records) {
            writer.write(each);
        }
        byte[] group = writer.finish();
        Object[] all = HEAPSPAN.trustedGroupReader(group).readAll();
        GroupReader reader = HEAPSPAN.trustedGroupReader(group);
        for (Object each : all) {
            assertThat(reader.hasNext()).isTrue();
            assertThat(reader.next()).isEqualTo(each);
        }
        assertThat(reader.hasNext()).isFalse();
        assertThat(reader.readAll()).isEmpty();
        return all;
    }

    @Test
    void groupsWithRecordsThatAreNullArrive() {
        assertThat(roundTrip()).isEmpty();
        assertThat(roundTrip(new Object[] {null})).containsExactly((Object) null);
        assertThat(roundTrip(null, null, null)).containsExactly(null, null, null);
        assertThat(roundTrip("a", null, 5_000, null)).containsExactly("a", null, 5_000, null);
        assertThat(roundTrip(null, TimeUnit.DAYS, null)).containsExactly(null, TimeUnit.DAYS, null);
        Object[] many = new Object[100_000];
        many[99_999] = "the last";
        assertThat(roundTrip(many)).isEqualTo(many);
    }

    @Test
    void whatIsLeftOfAGroupCanBeReadAtOnceFromAnyRecordOn() {
        Object[] records = new Object[20_000];
        for (int i = 0; i < records.length; i++) {
            records[i] = i % 7 == 0 ? null : "record " + i;
        }
        GroupWriter writer = HEAPSPAN.groupWriter(Encoding.RAW);
        writer.writeAll(records);
        byte[] group = writer.finish();
        for (int first : new int[] {0, 1, 100, 5_000, 12_345, 19_999, 20_000}) {
            GroupReader reader = HEAPSPAN.trustedGroupReader(group);
            for (int i = 0; i < first; i++) {
                assertThat(reader.next()).isEqualTo(records[i]);
            }
            assertThat(reader.readAll()).isEqualTo(Arrays.copyOfRange(records, first, records.length));
            assertThat(reader.hasNext()).isFalse();
        }
    }

    // ---------------------------------------------------------------- other threads

    static final class Shared implements Serializable {
        String text = "";
        Object any = "";
        Object[] array = {};
        List<Object> list = new ArrayList<>();
        Integer number = 0;
        Shared other;
    }

    /** Copies have a mix of old and new values, each of the type of its slot. */
    @Test
    void graphsThatOthersChangeArriveSound() throws Exception {
        Shared first = new Shared();
        Shared second = new Shared();
        AtomicBoolean stop = new AtomicBoolean();
        Thread changer = new Thread(() -> {
            for (int i = 0; !stop.get(); i++) {
                first.text = "text " + i;
                first.any = i % 3 == 0 ? (Object) i : i % 3 == 1 ? new long[i % 1000] : second;
                first.array = new Object[i % 500];
                if (first.array.length > 2) {
                    first.array[1] = first;
                    first.array[2] = first.list;
                }
                first.number = 1000 + i;
                first.other = i % 2 == 0 ? second : null;
                second.other = i % 5 == 0 ? first : second;
                first.list.add("element " + i);
                if (first.list.size() > 200) {
                    first.list = new ArrayList<>(List.of(first.list.get(0), first));
                }
            }
        });
        changer.start();
        try {
            long end = System.nanoTime() + 1_000_000_000L;
            while (System.nanoTime() < end) {
                for (Object copy : decoded(first)) {
                    check((Shared) copy, 3);
                }
            }
        } finally {
            stop.set(true);
            changer.join();
        }
    }

    private static void check(Shared copy, int depth) {
        assertThat(copy.text.isEmpty() || copy.text.startsWith("text ")).isTrue();
        assertThat(copy.any).isInstanceOfAny(String.class, Integer.class, long[].class, Shared.class);
        for (int i = 0; i < copy.array.length; i++) {
            assertThat(copy.array[i] == null || i == 1 || i == 2).isTrue();
        }
        for (Object each : copy.list) {
            assertThat(each == null || each instanceof String || each instanceof Shared)
                    .isTrue();
        }
        copy.list.add("one more");
        assertThat(copy.number == 0 || copy.number >= 1000).isTrue();
        if (copy.other != null && depth > 0) {
            check(copy.other, depth - 1);
        }
    }
}
