package org.heapspan.tests.direct;

import java.io.Serializable;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A graph that a seed makes, with all that raw images hold: fields of all kinds, arrays, strings of both forms, collections, maps,
 * records, constants and, where wanted, objects that travel beside the copies. Every node knows its number, so that each reference
 * can be told to lead where it should.
 */
@SuppressWarnings("EnumOrdinal")
final class StressGraph implements Serializable {
    private static final TimeUnit[] UNITS = TimeUnit.values();

    final long seed;
    final int count;
    final Node[] nodes;

    static class Node implements Serializable {
        int number;
        long large;
        double real;
        float single;
        short half;
        char letter;
        byte small;
        boolean flag;
        String text;
        String wide;
        TimeUnit unit;
        Integer box;
        Object any;
        Node next;
        Node across;
        long[] longs;
        byte[] bytes;
        Object[] objects;
        ArrayList<Object> list;
        Map<Integer, Node> map;

        /** For those that change copies; no part of the digest. */
        Object scratch;

        int touched;
    }

    static final class Branch extends Node {
        Node left;
        int[][] matrix;
        Map<String, Long> sorted;
        Pair pair;
    }

    record Pair(Node first, String second, LocalDate third, BigInteger fourth) implements Serializable {}

    private StressGraph(long seed, int count) {
        this.seed = seed;
        this.count = count;
        nodes = new Node[count];
    }

    /**
     * Makes a graph.
     *
     * @param count number of nodes, at least 1
     * @param sides whether some nodes have objects that travel beside the copies
     */
    static StressGraph make(long seed, int count, boolean sides) {
        SplittableRandom random = new SplittableRandom(seed);
        StressGraph graph = new StressGraph(seed, count);
        for (int i = 0; i < count; i++) {
            graph.nodes[i] = random.nextInt(4) == 0 ? new Branch() : new Node();
            graph.nodes[i].number = i;
        }
        for (int i = 0; i < count; i++) {
            graph.fill(graph.nodes[i], random, sides);
        }
        return graph;
    }

    private Node some(SplittableRandom random) {
        return nodes[random.nextInt(count)];
    }

    private void fill(Node node, SplittableRandom random, boolean sides) {
        int number = node.number;
        node.large = random.nextLong();
        node.real = random.nextDouble();
        node.single = (float) random.nextDouble();
        node.half = (short) random.nextInt();
        node.letter = (char) random.nextInt();
        node.small = (byte) random.nextInt();
        node.flag = random.nextBoolean();
        node.text = "node " + number + " of " + seed;
        node.wide = random.nextInt(3) == 0 ? "\u4e2d\u6587 " + number : null;
        node.unit = UNITS[random.nextInt(UNITS.length)];
        node.box = random.nextInt(100_000);
        node.next = nodes[(number + 1) % count];
        node.across = random.nextInt(5) == 0 ? null : some(random);
        node.longs =
                random.nextInt(3) == 0 ? null : random.longs(random.nextInt(9)).toArray();
        node.bytes = new byte[random.nextInt(40)];
        Arrays.fill(node.bytes, (byte) number);
        node.objects = new Object[] {node.text, some(random), null, node.unit, node.longs};
        switch (random.nextInt(sides ? 7 : 5)) {
            case 0 -> node.any = some(random);
            case 1 -> node.any = node.text;
            case 2 -> node.any = node.objects;
            case 3 -> node.any = LocalDate.ofEpochDay(random.nextInt(40_000));
            case 4 -> node.any = null;
            case 5 -> node.any = Optional.of(node.text);
            default -> node.any = List.of(some(random), node.text);
        }
        if (random.nextInt(4) == 0) {
            node.list = new ArrayList<>(Arrays.asList(some(random), node.text, null, number));
        }
        if (random.nextInt(8) == 0) {
            node.map = new HashMap<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                Node value = some(random);
                node.map.put(value.number, value);
            }
        }
        if (node instanceof Branch branch) {
            branch.left = some(random);
            branch.matrix = new int[][] {{number, 1}, {}, null, {random.nextInt()}};
            branch.pair =
                    new Pair(some(random), node.text, LocalDate.ofEpochDay(number), BigInteger.valueOf(node.large));
            if (random.nextInt(4) == 0) {
                branch.sorted = new TreeMap<>(Map.of("a", node.large, "b", (long) number));
            }
        }
    }

    /**
     * A number that graphs of the same seed share.
     *
     * @throws AssertionError if a reference leads elsewhere than it should
     */
    @SuppressWarnings("ReferenceEquality") // Sharing is what is looked at.
    long digest() {
        Digest digest = new Digest(this);
        require(nodes.length == count && nodes.getClass() == Node[].class, "the array of nodes", -1);
        for (int i = 0; i < count; i++) {
            Node node = nodes[i];
            require(node != null && node.number == i, "the number", i);
            digest.add(node.large);
            digest.add(Double.doubleToRawLongBits(node.real));
            digest.add(Float.floatToRawIntBits(node.single));
            digest.add(node.half << 24 ^ node.letter << 8 ^ node.small & 0xff);
            digest.add(node.flag ? 1 : 0);
            require(node.text.equals("node " + i + " of " + seed), "the text", i);
            digest.add(node.wide == null ? 1 : node.wide.hashCode());
            require(node.unit == UNITS[node.unit.ordinal()], "the constant", i);
            digest.add(node.unit.ordinal());
            digest.add(node.box);
            require(node.next == nodes[(i + 1) % count], "next", i);
            digest.add(node.across, i);
            digest.add(node.longs == null ? 2 : Arrays.hashCode(node.longs));
            digest.add(Arrays.hashCode(node.bytes));
            Object[] objects = node.objects;
            require(
                    objects.length == 5
                            && objects[0] == node.text
                            && objects[2] == null
                            && objects[3] == node.unit
                            && objects[4] == node.longs,
                    "the array",
                    i);
            digest.add((Node) objects[1], i);
            any(digest, node);
            if (node.list != null) {
                require(node.list.get(1) == node.text && node.list.get(2) == null, "the list", i);
                require(node.list.get(3).equals(i), "the box in the list", i);
                digest.add((Node) node.list.get(0), i);
            }
            if (node.map != null) {
                digest.add(node.map.size());
                for (Map.Entry<Integer, Node> each : node.map.entrySet()) {
                    require(each.getValue() == nodes[each.getKey()], "the map", i);
                    require(node.map.get(each.getKey()) == each.getValue(), "looking into the map", i);
                }
            }
            if (node instanceof Branch branch) {
                digest.add(branch.left, i);
                require(branch.matrix.length == 4 && branch.matrix[0][0] == i && branch.matrix[2] == null, "rows", i);
                digest.add(branch.matrix[3][0]);
                require(branch.pair.second == node.text, "the string in the record", i);
                require(branch.pair.third.toEpochDay() == i, "the date", i);
                require(branch.pair.fourth.longValueExact() == node.large, "the big number", i);
                digest.add(branch.pair.first, i);
                require(branch.sorted == null || branch.sorted.get("b") == i, "the sorted map", i);
            }
        }
        return digest.value;
    }

    @SuppressWarnings("ReferenceEquality")
    private static void any(Digest digest, Node node) {
        Object any = node.any;
        if (any instanceof Node target) {
            digest.add(target, node.number);
        } else if (any instanceof String) {
            require(any == node.text, "any, a string", node.number);
        } else if (any instanceof Object[]) {
            require(any == node.objects, "any, an array", node.number);
        } else if (any instanceof Optional<?> optional) {
            require(optional.get() == node.text, "any, an Optional", node.number);
        } else if (any instanceof List<?> list) {
            require(list.get(1) == node.text, "any, a list", node.number);
            digest.add((Node) list.get(0), node.number);
        } else if (any instanceof LocalDate date) {
            digest.add(date.toEpochDay());
        } else {
            require(any == null, "any", node.number);
        }
    }

    private static final class Digest {
        private final StressGraph graph;
        private long value;

        Digest(StressGraph graph) {
            this.graph = graph;
            value = graph.seed;
        }

        void add(long more) {
            value = (value ^ more) * 0x9E3779B97F4A7C15L;
            value ^= value >>> 29;
        }

        @SuppressWarnings("ReferenceEquality")
        void add(Node target, int from) {
            if (target == null) {
                add(-1);
                return;
            }
            int number = target.number;
            require(number >= 0 && number < graph.count && graph.nodes[number] == target, "a reference", from);
            add(number);
        }
    }

    private static void require(boolean condition, String what, int number) {
        if (!condition) {
            throw new AssertionError(what + " of node " + number + " is not what was encoded");
        }
    }
}
