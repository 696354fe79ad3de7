package org.heapspan.tests;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.heapspan.Heapspan;

/** Main class of a JVM that puts an image of more than 2 GB into direct memory and takes it out again. */
public final class LargeMemoryRun {
    private static final int PARTS = 10;
    private static final int PART_BYTES = 230 << 20;
    private static final int BUFFER_BYTES = 900 << 20;

    private LargeMemoryRun() {}

    private static final class Graph implements Serializable {
        final byte[][] parts = new byte[PARTS][PART_BYTES];
        final Object[] shared = new Object[PARTS];
    }

    /**
     * Ends with exit code 0 if the graph arrives.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        Graph graph = new Graph();
        for (int i = 0; i < PARTS; i++) {
            Arrays.fill(graph.parts[i], (byte) (i + 1));
            graph.shared[i] = graph.parts[PARTS - 1 - i];
        }
        ByteBuffer[] memory = new ByteBuffer[3];
        for (int i = 0; i < memory.length; i++) {
            memory[i] = ByteBuffer.allocateDirect(BUFFER_BYTES);
        }
        Heapspan heapspan = Heapspan.create();
        long sizeBytes = heapspan.encodeTo(graph, memory);
        System.out.println("an image of " + sizeBytes + " bytes in " + memory.length + " direct buffers");
        for (ByteBuffer each : memory) {
            each.flip();
        }
        check(sizeBytes > (long) PARTS * PART_BYTES, "the image has " + sizeBytes + " bytes");
        Graph copy = heapspan.decodeFrom(memory, Graph.class);
        for (int i = 0; i < PARTS; i++) {
            check(Arrays.equals(copy.parts[i], graph.parts[i]), "part " + i + " differs");
            check(copy.shared[i] == copy.parts[PARTS - 1 - i], "part " + i + " is not shared");
            check(!memory[i % memory.length].hasRemaining(), "bytes are left");
        }
        System.out.println("the copy is equal");
    }

    private static void check(boolean holds, String failure) {
        if (!holds) {
            throw new AssertionError(failure);
        }
    }
}
