package org.heapspan.vm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Carves a small graph with all that objects consist of and looks at what came out, before anybody relies on it. What a misread table
 * would do shows here: references that lead elsewhere, fields at other places, wrong classes.
 */
final class CarverSelfTest {
    /** Attempts, because a collection may come between at any time. */
    private static final int ATTEMPTS = 16;

    /** Added to class words for the pass that replaces them; small enough for the 22 bits of compact headers. */
    private static final long WORD_DISTANCE = 3;

    /** What {@code -Xcheck:jni} on JDK 17 and 21 comes to: no defect, but no carver either. */
    static final String COPIES = "this JVM gives out copies of arrays";

    private final Carver carver;
    private final RawMemory memory;
    private final HeapLayout layout;

    CarverSelfTest(Carver carver, RawMemory memory, HeapLayout layout) {
        this.carver = carver;
        this.memory = memory;
        this.layout = layout;
    }

    /** Fields of all kinds, in a class with a superclass. */
    private static class Base {
        byte small = -3;

        @Nullable
        Object constant;

        boolean flag = true;
    }

    private static final class Node extends Base {
        long large = 0x123456789abcdefL;
        double real = Math.E;
        int number = 77;
        float single = 1.5f;
        short half = -12345;
        char letter = '\u4e2d';
        String text = "Ada";
        String wide = "\u4e2d\u6587";
        int[] ints = {1, -2, 3};
        long[] longs = {Long.MIN_VALUE, 5};
        byte[] bytes = {1, 2, 3, 4, 5};
        Object[] objects = {text, this, null, new int[0][0]};

        @Nullable
        Node next;
    }

    /** Why the carver must not be used; {@code null} if all is well. */
    @Nullable
    String run() {
        Node first = new Node();
        Node second = new Node();
        Object constant = new Object();
        first.next = second;
        second.next = first;
        first.constant = constant;
        second.number = 78;
        @Nullable Object[] roots = {first, null, second};
        Object[] exports = {first.ints};
        for (int pass = 0; pass < 3; pass++) {
            SampleImage image = new SampleImage(carver, memory, layout).padding(pass == 1 ? 5 : 0);
            if (pass == 2) {
                image.classWords(word -> word + WORD_DISTANCE);
            }
            CarveRequest request = image.of(roots, exports, constant);
            String wrong = check(request, first, constant);
            if (wrong != null) {
                return wrong + " in pass " + pass;
            }
        }
        return null;
    }

    private @Nullable String check(CarveRequest request, Node expected, Object constant) {
        try (CarvingSpace space = carver.newSpace()) {
            @Nullable Object[] carved = null;
            for (int i = 0; i < ATTEMPTS && carved == null; i++) {
                carved = space.carve(request);
                if (carved == null
                        && space.decline() != Decline.NOT_EDEN
                        && space.decline() != Decline.COLLECTOR_BUSY) {
                    return space.decline() == Decline.COPIED_ARRAY ? COPIES : "declined as " + space.decline();
                }
            }
            if (carved == null) {
                return "declined again and again as " + space.decline();
            }
            if (carved.getClass() != Object[].class || carved.length != 4 || carved[1] != null) {
                return "roots differ";
            }
            if (!(carved[0] instanceof Node first) || !(carved[2] instanceof Node second)) {
                return "classes of roots differ";
            }
            if (first == expected || first == second || first.next != second || second.next != first) {
                return "references of a cycle lead elsewhere";
            }
            if (first.constant != constant || second.constant != null || carved[3] != first.ints) {
                return "a constant or an export differs";
            }
            return same(first, 77) && same(second, 78) ? null : "fields differ";
        }
    }

    private static boolean same(Node node, int number) {
        return node.small == -3
                && node.flag
                && node.large == 0x123456789abcdefL
                && node.real == Math.E
                && node.number == number
                && node.single == 1.5f
                && node.half == -12345
                && node.letter == '\u4e2d'
                && node.text.getClass() == String.class
                && node.text.equals("Ada")
                && node.wide.equals("\u4e2d\u6587")
                && Arrays.equals(node.ints, new int[] {1, -2, 3})
                && Arrays.equals(node.longs, new long[] {Long.MIN_VALUE, 5})
                && Arrays.equals(node.bytes, new byte[] {1, 2, 3, 4, 5})
                && node.objects.length == 4
                && node.objects.getClass() == Object[].class
                && node.objects[0] == node.text
                && node.objects[1] == node
                && node.objects[2] == null
                && node.objects[3] instanceof int[][] nested
                && nested.length == 0;
    }
}
