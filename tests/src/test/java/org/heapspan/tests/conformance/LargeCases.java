package org.heapspan.tests.conformance;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import org.heapspan.tests.conformance.ConformanceCase.Weight;

/** Graphs of unusual size and shape. */
@SuppressWarnings({"unchecked", "serial", "JdkObsolete"})
final class LargeCases {

    private LargeCases() {}

    static final class Node implements Serializable {
        final int number;
        Node next;
        Object payload;

        Node(int number) {
            this.number = number;
        }
    }

    static final class Tree implements Serializable {
        Tree left;
        Tree right;
        int value;
    }

    static void addTo(CaseList cases) {
        cases.row("any size and shape: iterative");
        list(cases, "large-linked-nodes-1000", 1_000)
                .note("Java serialization and its like overflow the stack at greater depth");
        list(cases, "large-linked-nodes-100000", 100_000).note("Java serialization: StackOverflowError");
        list(cases, "large-linked-nodes-10000000", 10_000_000).weight(Weight.SOAK);
        cases.arrives(
                "large-nested-arrays-50000",
                () -> {
                    Object[] outer = new Object[1];
                    Object[] each = outer;
                    for (int i = 0; i < 50_000; i++) {
                        Object[] inner = new Object[1];
                        each[0] = inner;
                        each = inner;
                    }
                    return outer;
                },
                (Object[] received) -> {
                    int depth = 0;
                    for (Object[] each = received; each[0] != null; each = (Object[]) each[0]) {
                        depth++;
                    }
                    Check.equal(50_000, depth, "depth");
                });
        cases.arrives(
                "large-nested-lists-20000",
                () -> {
                    List<Object> outer = new ArrayList<>();
                    List<Object> each = outer;
                    for (int i = 0; i < 20_000; i++) {
                        List<Object> inner = i % 2 == 0 ? new ArrayList<>() : new LinkedList<>();
                        each.add(inner);
                        each = inner;
                    }
                    return outer;
                },
                (List<Object> received) -> {
                    int depth = 0;
                    for (List<Object> each = received; !each.isEmpty(); each = (List<Object>) each.get(0)) {
                        depth++;
                    }
                    Check.equal(20_000, depth, "depth");
                });
        cases.arrives(
                "large-nested-hash-maps-5000",
                () -> {
                    Map<Object, Object> outer = new HashMap<>();
                    Map<Object, Object> each = outer;
                    for (int i = 0; i < 5_000; i++) {
                        Map<Object, Object> inner = new HashMap<>();
                        each.put(HashContainerCases.Color.RED, inner);
                        each = inner;
                    }
                    return outer;
                },
                (Map<Object, Object> received) -> {
                    int depth = 0;
                    Map<Object, Object> each = received;
                    while (!each.isEmpty()) {
                        each = (Map<Object, Object>) each.get(HashContainerCases.Color.RED);
                        depth++;
                    }
                    Check.equal(5_000, depth, "depth");
                });
        cases.arrives(
                "large-left-leaning-tree-50000",
                () -> {
                    Tree root = new Tree();
                    Tree each = root;
                    for (int i = 0; i < 50_000; i++) {
                        each.value = i;
                        each.right = new Tree();
                        each.left = new Tree();
                        each = each.left;
                    }
                    return root;
                },
                (Tree received) -> {
                    int depth = 0;
                    for (Tree each = received; each.left != null; each = each.left) {
                        Check.equal(depth, each.value, "value");
                        depth++;
                    }
                    Check.equal(50_000, depth, "depth");
                });
        cases.arrives(
                        "large-map-1000000",
                        () -> {
                            Map<Integer, String> map = new HashMap<>();
                            for (int i = 0; i < 1_000_000; i++) {
                                map.put(i * 31, "v" + i);
                            }
                            return map;
                        },
                        (Map<Integer, String> received) -> {
                            Check.equal(1_000_000, received.size(), "size");
                            for (int i = 0; i < 1_000_000; i++) {
                                Check.equal("v" + i, received.get(i * 31), "get " + i);
                            }
                        })
                .weight(Weight.HEAVY);
        cases.arrives(
                        "large-list-of-shared-strings",
                        () -> {
                            String[] words = new String[1000];
                            for (int i = 0; i < words.length; i++) {
                                words[i] = "word-" + i;
                            }
                            List<Object> list = new ArrayList<>();
                            for (int i = 0; i < 300_000; i++) {
                                list.add(words[(int) (i * 7919L % 1000)]);
                            }
                            return list;
                        },
                        (List<Object> received) -> {
                            for (int i = 1000; i < 300_000; i++) {
                                Check.same(received.get(i - 1000), received.get(i), "shared string " + i);
                            }
                        })
                .weight(Weight.HEAVY);
        cases.arrives(
                        "large-double-array-16mb",
                        () -> {
                            double[] values = new double[2_000_000];
                            for (int i = 0; i < values.length; i++) {
                                values[i] = i * 0.1;
                            }
                            return values;
                        },
                        (double[] received) -> {
                            Check.equal(2_000_000, received.length, "length");
                            for (int i = 0; i < received.length; i += 997) {
                                Check.equal(i * 0.1, received[i], "element " + i);
                            }
                        })
                .weight(Weight.HEAVY);
        cases.arrives(
                        "large-object-array-of-nulls",
                        () -> new Object[3_000_000],
                        (Object[] received) -> Check.equal(3_000_000, received.length, "length"))
                .weight(Weight.HEAVY);
        cases.arrives(
                        "large-byte-array-image-over-2gb",
                        () -> new byte[][] {new byte[1_200_000_000], new byte[1_200_000_000]},
                        (byte[][] received) -> Check.equal(1_200_000_000, received[1].length, "length"))
                .weight(Weight.OVER_2_GB);
    }

    private static CaseList.Entry list(CaseList cases, String name, int length) {
        return cases.arrives(
                name,
                () -> {
                    Node first = null;
                    for (int i = length - 1; i >= 0; i--) {
                        Node node = new Node(i);
                        node.next = first;
                        first = node;
                    }
                    return first;
                },
                (Node received) -> {
                    int count = 0;
                    for (Node each = received; each != null; each = each.next) {
                        Check.that(each.number == count, "number " + count);
                        count++;
                    }
                    Check.equal(length, count, "length");
                });
    }
}
