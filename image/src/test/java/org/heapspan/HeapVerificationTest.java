package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.testing.JavaProcess;
import org.heapspan.vm.RawMemory;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What raw memory has filled must satisfy HotSpot's own verification of the heap, before and after each collection. */
public final class HeapVerificationTest {
    private static List<String> verifying(String collector) {
        List<String> options = new ArrayList<>(JavaProcess.VERIFICATION);
        options.addAll(List.of(
                JavaProcess.BOTH_COMPILERS,
                "-Xmx96m",
                "-XX:+Use" + collector + "GC",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=/dev/null"));
        return options;
    }

    @ParameterizedTest
    @ValueSource(strings = {"G1", "Parallel", "Serial"})
    void holdsForWhatDecodingFilled(String collector) throws Exception {
        assertThat(JavaProcess.run(Decoding.class, verifying(collector)).value("equal"))
                .isEqualTo("true");
    }

    /** Shows that the verification can fail. */
    @ParameterizedTest
    @ValueSource(strings = {"G1", "Parallel", "Serial"})
    void failsForABadReference(String collector) throws Exception {
        assertThat(JavaProcess.runToAnyEnd(BadReference.class, verifying(collector))
                        .exitCode())
                .isNotZero();
    }

    @Test
    void needsRawMemoryToSayAnything() {
        assertThat(VirtualMachine.current().memory()).isNotNull();
    }

    /** A graph with each thing that raw memory fills: fields of all kinds, wide strings, lists, arrays, maps. */
    record Sample(
            boolean flag,
            int number,
            long large,
            double real,
            String text,
            String wide,
            List<Object> list,
            Map<Integer, String> map,
            Map<String, Long> sorted,
            int[] ints,
            String[] strings)
            implements Serializable {
        static Sample of(int seed) {
            Map<Integer, String> map = new HashMap<>();
            Map<String, Long> sorted = new TreeMap<>();
            for (int i = 0; i < 40; i++) {
                map.put(i * seed, "value " + i);
                sorted.put("key " + i, (long) i * seed);
            }
            String text = "text " + seed;
            List<Object> list = new ArrayList<>(List.of(text, seed, new ArrayList<>(List.of(text, 2L))));
            return new Sample(
                    true,
                    seed,
                    1L << seed % 60,
                    seed / 3.0,
                    text,
                    "\u4e2d" + seed,
                    list,
                    map,
                    sorted,
                    new int[] {seed, 2},
                    new String[] {text, null});
        }

        @SuppressWarnings("ReferenceEquality") // Sharing is what is looked at.
        boolean matches(Sample other) {
            return number == other.number
                    && large == other.large
                    && text.equals(other.text)
                    && wide.equals(other.wide)
                    && list.equals(other.list)
                    && list.get(0) == text
                    && map.equals(other.map)
                    && sorted.equals(other.sorted)
                    && ints[0] == other.ints[0]
                    && strings[0] == text;
        }
    }

    /** Main class of a child JVM. */
    public static final class Decoding {
        private Decoding() {}

        /** Decodes a record of several chunks, of which each comes in an array of its own. */
        private static boolean arrivesInSeveralArrays(Heapspan heapspan, int size) throws IOException {
            Sample[] samples = new Sample[size];
            Arrays.setAll(samples, i -> Sample.of(i + 1));
            byte[] image = heapspan.encode(samples, Encoding.RAW);
            Sample[] copies = heapspan.decodeTrustedFrom(new ByteArrayInputStream(image), Sample[].class);
            boolean equal = copies.length == size;
            for (int i = 0; i < size; i++) {
                equal &= copies[i].matches(samples[i]);
            }
            return equal;
        }

        /** Decodes an array whose frames lie outside the Java heap, so that they are copied to it at once. */
        private static boolean arrivesOutsideTheHeap(Heapspan heapspan, int size) throws IOException {
            long[] numbers = new long[size];
            Arrays.setAll(numbers, i -> ~i);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            heapspan.encodeTo(numbers, bytes);
            ByteBuffer image = ByteBuffer.allocateDirect(bytes.size())
                    .put(bytes.toByteArray())
                    .flip();
            return Arrays.equals(heapspan.decodeFrom(new ByteBuffer[] {image}, long[].class), numbers);
        }

        /** Decodes, keeps and drops graphs over several collections. */
        public static void main(String[] arguments) throws IOException {
            Heapspan heapspan = Heapspan.create();
            List<Sample> kept = new ArrayList<>();
            boolean equal = true;
            for (int round = 0; round < 1200; round++) {
                Sample sample = Sample.of(round + 1);
                Sample copy = round % 20 < 10
                        ? heapspan.decode(heapspan.encode(sample), Sample.class)
                        : heapspan.decodeTrusted(heapspan.encode(sample, Encoding.RAW), Sample.class);
                if (round % 10 == 0) {
                    kept.add(copy);
                }
                if (round % 500 == 0) {
                    System.gc();
                }
                if (round % 100 == 0) {
                    equal &= arrivesInSeveralArrays(heapspan, round % 200 == 0 ? 40 : 200);
                    equal &= arrivesOutsideTheHeap(heapspan, 100_000);
                }
            }
            System.gc();
            for (int i = 0; i < kept.size(); i++) {
                equal &= kept.get(i).matches(Sample.of(10 * i + 1));
            }
            System.out.println("equal=" + equal);
        }
    }

    /** Main class of a child JVM that must not survive. */
    public static final class BadReference {
        private BadReference() {}

        /** Puts a number where a reference belongs. */
        public static void main(String[] arguments) {
            RawMemory raw = VirtualMachine.current().memory();
            Object[] victim = {new Object(), new Object()};
            raw.putInt(victim, raw.arrayBaseOffset(Object[].class), 0x1234567);
            System.gc();
            System.out.println("survived=" + (victim[1] != null));
        }
    }
}
