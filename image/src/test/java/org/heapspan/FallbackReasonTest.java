package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.heapspan.testing.GeneratedClass;
import org.heapspan.testing.JavaProcess;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * For each reason an image that the direct engine has to leave to the portable one: it is read all the same, and the statistics say why
 * and on account of what. {@link FallbackReason#CLASS_NEEDS_UPDATES} and {@link FallbackReason#LIMITS} are in
 * {@link EngineStatisticsTest}; {@link FallbackReason#RECORDS_UNREAD} takes a compact part of more than 64 MB.
 */
@SuppressWarnings("serial")
class FallbackReasonTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    static final class Node implements Serializable {
        int number;
        String text;
        Object any;
        Node next;
    }

    @SuppressWarnings({"deprecation", "removal", "Finalize"})
    static final class Finalized implements Serializable {
        int number = 5;

        @Override
        protected void finalize() {}
    }

    @BeforeAll
    static void findEngine() {
        Assumptions.assumeTrue(VirtualMachine.current().carver() != null, "needs the direct engine");
    }

    private static Node ring(int size) {
        Node first = new Node();
        Node last = first;
        for (int i = 0; i < size; i++) {
            last.number = i;
            last.text = "node " + i;
            last.next = i + 1 < size ? new Node() : first;
            last = last.next;
        }
        return first;
    }

    private static void assertRing(Node first, int size) {
        Node node = first;
        for (int i = 0; i < size; i++) {
            assertThat(node.number).isEqualTo(i);
            assertThat(node.text).isEqualTo("node " + i);
            node = node.next;
        }
        assertThat(node).isSameAs(first);
    }

    private static long chunks(FallbackReason reason, String concerning) {
        return Heapspan.statistics().fallbacks().stream()
                .filter(each -> each.reason() == reason && each.concerning().contains(concerning))
                .mapToLong(EngineStatistics.Fallback::chunks)
                .sum();
    }

    /** What the work gives, which has to count chunks for the reason. */
    private static <T> T fallingBack(FallbackReason reason, String concerning, Callable<T> work) throws Exception {
        long before = chunks(reason, concerning);
        T result = work.call();
        assertThat(chunks(reason, concerning)).as("chunks").isGreaterThan(before);
        return result;
    }

    @Test
    void aSideObjectOfSeveralFramesRefersToCopies() throws Exception {
        Node node = ring(2);
        Map<Integer, String> side = new ConcurrentHashMap<>();
        for (int i = 0; i < 200_000; i++) {
            side.put(i, node.text);
        }
        node.any = side;
        var image = new ByteArrayOutputStream();
        HEAPSPAN.encodeTo(node, Encoding.RAW, image);
        Node copy = fallingBack(
                FallbackReason.NOT_CLOSED,
                "",
                () -> HEAPSPAN.decodeTrustedFrom(new ByteArrayInputStream(image.toByteArray()), Node.class));
        assertRing(copy, 2);
        assertThat(copy.any).isEqualTo(side);
        assertThat(((Map<?, ?>) copy.any).get(7)).isSameAs(copy.text);
    }

    @Test
    void theWriterHasAnotherAlignmentOfObjects() throws Exception {
        byte[] image = HexFormat.of()
                .parseHex(JavaProcess.run(Writing.class, List.of("-XX:ObjectAlignmentInBytes=16"))
                        .value("image"));
        assertRing(
                fallingBack(FallbackReason.LAYOUT_DIFFERS, "", () -> HEAPSPAN.decodeTrusted(image, Node.class)), 300);
    }

    /** Main class of a JVM with another layout. */
    public static final class Writing {
        private Writing() {}

        /** Prints an image. */
        public static void main(String[] arguments) {
            System.out.println("image=" + HexFormat.of().formatHex(HEAPSPAN.encode(ring(300), Encoding.RAW)));
        }
    }

    @Test
    void theReadersClassHasAFieldMore() throws Exception {
        String name = "generated.fallback.Person";
        Object person = new GeneratedClass.Loader(new GeneratedClass(name, Map.of("id", "J"))).newInstance(name);
        GeneratedClass.set(person, "id", 17L);
        byte[] image = HEAPSPAN.encode(person, Encoding.RAW);
        Heapspan reader = Heapspan.builder()
                .classLoader(new GeneratedClass.Loader(new GeneratedClass(name, Map.of("id", "J", "more", "J"))))
                .build();
        Object copy = fallingBack(FallbackReason.CLASS_DIFFERS, name, () -> reader.decodeTrusted(image, Object.class));
        assertThat(GeneratedClass.get(copy, "id")).isEqualTo(17L);
        assertThat(GeneratedClass.get(copy, "more")).isEqualTo(0L);
    }

    @Test
    void theJvmKeepsBooksOfObjectsWithFinalizers() throws Exception {
        byte[] image = HEAPSPAN.encode(new Object[] {new Finalized()}, Encoding.RAW);
        Object[] copy = fallingBack(
                FallbackReason.CLASS_NOT_CARVED,
                Finalized.class.getName(),
                () -> HEAPSPAN.decodeTrusted(image, Object[].class));
        assertThat(((Finalized) copy[0]).number).isEqualTo(5);
    }

    @Test
    void aWindowMustNotTakeTooLong() throws Exception {
        byte[] image = HEAPSPAN.encode(ring(100_000), Encoding.RAW);
        assertRing(
                fallingBack(FallbackReason.DECLINED, "TOO_LARGE", () -> HEAPSPAN.decodeTrusted(image, Node.class)),
                100_000);
    }

    @Test
    void theEngineIsSwitchedOff() throws Exception {
        assertThat(JavaProcess.run(Reading.class, List.of("-Dheapspan.direct=false"))
                        .value("reasons"))
                .isEqualTo("[" + FallbackReason.NO_DIRECT_ENGINE + "]");
    }

    /** Main class of a JVM without the direct engine. */
    public static final class Reading {
        private Reading() {}

        /** Reads an image and prints why the direct engine had no part in it. */
        public static void main(String[] arguments) {
            assertRing(HEAPSPAN.decodeTrusted(HEAPSPAN.encode(ring(10), Encoding.RAW), Node.class), 10);
            System.out.println("reasons="
                    + Heapspan.statistics().fallbacks().stream()
                            .map(EngineStatistics.Fallback::reason)
                            .toList());
        }
    }
}
