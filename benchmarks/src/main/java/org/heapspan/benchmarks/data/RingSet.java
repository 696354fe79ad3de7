package org.heapspan.benchmarks.data;

import java.util.List;

/** Doubly linked rings of 20 nodes: the smallest graph that only a codec with references can carry. */
final class RingSet implements DataSet {
    private static final int NODES = 20;

    @Override
    public String name() {
        return "ring";
    }

    @Override
    public String title() {
        return "doubly linked ring of " + NODES + " nodes";
    }

    @Override
    public Object[] records() {
        Object[] records = new Object[CHUNK_RECORDS];
        for (int i = 0; i < records.length; i++) {
            RingNode first = new RingNode(i);
            RingNode last = first;
            for (int j = 1; j < NODES; j++) {
                RingNode node = new RingNode(i * NODES + j);
                node.previous = last;
                last.next = node;
                last = node;
            }
            last.next = first;
            first.previous = last;
            records[i] = first;
        }
        return records;
    }

    @Override
    public List<Class<?>> classes() {
        return List.of(RingNode.class);
    }

    @Override
    public String identity() {
        return "cyclic: a peer without references cannot carry it";
    }
}
