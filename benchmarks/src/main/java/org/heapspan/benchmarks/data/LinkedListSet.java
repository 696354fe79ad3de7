package org.heapspan.benchmarks.data;

import java.util.List;

/** Singly linked lists: each node is one level deeper for a codec that recurses. */
final class LinkedListSet implements DataSet {
    private final String name;
    private final int recordCount;
    private final int nodeCount;

    LinkedListSet(String name, int recordCount, int nodeCount) {
        this.name = name;
        this.recordCount = recordCount;
        this.nodeCount = nodeCount;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return "linked list of " + nodeCount + " nodes (" + recordCount + (recordCount == 1 ? " record)" : " records)");
    }

    @Override
    public Object[] records() {
        Object[] records = new Object[recordCount];
        for (int i = 0; i < recordCount; i++) {
            Node head = null;
            for (int j = 0; j < nodeCount; j++) {
                head = new Node(i * 1_000_003L + j * 31L, head);
            }
            records[i] = head;
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(Node.class);
    }

    @Override
    public String identity() {
        return "chain: nothing is shared, but a recursive codec needs " + nodeCount + " levels of stack";
    }
}
