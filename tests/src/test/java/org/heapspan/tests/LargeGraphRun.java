package org.heapspan.tests;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.Heapspan;

/**
 * Main class of two JVMs, one after the other: the first writes one graph of many gigabytes of small objects to a file, the
 * second reads it and compares every object with what the first made.
 *
 * <p>The nodes form a list with links back, so that the graph is deep, wide and full of shared objects.
 */
public final class LargeGraphRun {
    /** What a node, its string and its array take in the heap, with compressed references. */
    private static final int NODE_BYTES = 32 + 24 + 24 + 80;

    private static final int BACK = 1000;

    private LargeGraphRun() {}

    private static final class Node implements Serializable {
        private static final long serialVersionUID = 1L;

        long number;
        String name;
        long[] payload;
        Node next;
        Node back;
    }

    private static Node build(long count) {
        Node[] recent = new Node[BACK];
        Node first = null;
        for (long i = count - 1; i >= 0; i--) {
            Node node = new Node();
            node.number = i;
            node.name = Long.toHexString(i);
            node.payload = new long[8];
            node.payload[(int) (i & 7)] = i;
            node.next = first;
            node.back = recent[(int) (i % BACK)];
            recent[(int) (i % BACK)] = node;
            first = node;
        }
        return first;
    }

    private static void compare(Node first, long count) {
        Node[] expected = new Node[BACK];
        long number = 0;
        for (Node node = first; node != null; node = node.next) {
            boolean equal = node.number == number
                    && node.name.equals(Long.toHexString(number))
                    && node.payload.length == 8
                    && node.payload[(int) (number & 7)] == number;
            int slot = (int) (number % BACK);
            if (!equal || expected[slot] != null && expected[slot] != node) {
                throw new AssertionError("node " + number + " differs");
            }
            expected[slot] = node.back;
            number++;
        }
        if (number != count) {
            throw new AssertionError(number + " nodes, expected " + count);
        }
    }

    /**
     * Ends with exit code 0 if it works.
     *
     * @param arguments {@code write} or {@code read}, the file, and how many gigabytes of heap the graph takes
     * @throws IOException if the file fails
     */
    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[1]);
        long count = (Long.parseLong(arguments[2]) << 30) / NODE_BYTES;
        Heapspan heapspan = Heapspan.create();
        long start;
        if (arguments[0].equals("write")) {
            Node first = build(count);
            start = System.nanoTime();
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
                heapspan.encodeTo(first, out);
            }
        } else {
            start = System.nanoTime();
            Node first;
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 20)) {
                first = heapspan.decodeFrom(in, Node.class);
            }
            compare(first, count);
        }
        System.out.printf(
                "%s: %d nodes, a file of %d MB, %.0f s%n",
                arguments[0], count, Files.size(file) >> 20, (System.nanoTime() - start) / 1e9);
    }
}
