package org.heapspan.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A graph to measure with.
 *
 * @param name a word or two
 * @param title what it is
 * @param root the graph
 */
record BenchSample(String name, String title, Object root) {
    static List<BenchSample> builtIn() {
        return List.of(
                new BenchSample("orders", "200 orders of 20 customers, 4 lines each", orders()),
                new BenchSample("points", "ArrayList of 5,000 records of two doubles", points()),
                new BenchSample("hash map", "HashMap of 2,000 Integer to String", hashMap()),
                new BenchSample("tree map", "TreeMap of 2,000 String to Long", treeMap()),
                new BenchSample("doubles", "double[] of 100,000", doubles()));
    }

    private static Object orders() {
        List<BenchData.Customer> customers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            customers.add(new BenchData.Customer(
                    1_000_000L + i,
                    "Customer " + i,
                    "customer" + i + "@example.org",
                    Instant.ofEpochSecond(1_700_000_000L + i)));
        }
        BenchData.State[] states = BenchData.State.values();
        List<BenchData.Order> orders = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            List<BenchData.Line> lines = new ArrayList<>();
            for (int j = 0; j < 4; j++) {
                lines.add(new BenchData.Line("product " + (i * 7 + j) % 50, j + 1, 9.99 * (j + 1)));
            }
            Map<String, String> notes = new HashMap<>();
            notes.put("gift", i % 3 == 0 ? "yes" : "no");
            notes.put("courier", "courier " + i % 5);
            orders.add(new BenchData.Order(i, customers.get(i % 20), states[i % states.length], lines, notes));
        }
        return orders;
    }

    private static Object points() {
        List<BenchData.Point> points = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            points.add(new BenchData.Point(i * 0.5, i * -0.25));
        }
        return points;
    }

    private static Object hashMap() {
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; i < 2000; i++) {
            map.put(i * 31, "value number " + i);
        }
        return map;
    }

    private static Object treeMap() {
        Map<String, Long> map = new TreeMap<>();
        for (long i = 0; i < 2000; i++) {
            map.put("key " + i * 7919 % 2000, i);
        }
        return map;
    }

    private static Object doubles() {
        double[] doubles = new double[100_000];
        for (int i = 0; i < doubles.length; i++) {
            doubles[i] = Math.sqrt(i);
        }
        return doubles;
    }
}
