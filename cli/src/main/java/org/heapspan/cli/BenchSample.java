package org.heapspan.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A graph to measure with.
 *
 * @param name a word or two
 * @param title what it is
 * @param root the graph
 */
record BenchSample(String name, String title, Object root) {
    /** The shapes of docs/benchmarks.md, smaller where that page has a lot, and two of everyday programs. */
    static List<BenchSample> builtIn() {
        return List.of(
                new BenchSample("media", "100 films and their pictures (jvm-serializers)", media()),
                new BenchSample(
                        "events", "200 events of a code hosting site: issues, repositories, accounts", events()),
                new BenchSample("orders", "200 orders of 20 customers, 4 lines each", orders()),
                new BenchSample("points", "ArrayList of 5,000 records of two doubles", points()),
                new BenchSample("pairs", "ArrayList of 5,000 records of a Long and a Double", pairs()),
                new BenchSample("readings", "ArrayList of 500 records of 16 primitive fields", readings()),
                new BenchSample("list", "linked list of 500 nodes", list()),
                new BenchSample("hashmap", "HashMap of 2,000 Integer to String", hashMap()),
                new BenchSample("treemap", "TreeMap of 2,000 String to Long", treeMap()),
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

    private static Object media() {
        List<BenchData.MediaContent> contents = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            BenchData.Media media = new BenchData.Media(
                    "http://javaone.com/keynote" + i + ".mpg",
                    "Javaone Keynote " + i,
                    640,
                    480,
                    "video/mpg4",
                    18_000_000L + i,
                    58_982_400L + i,
                    262_144,
                    true,
                    new ArrayList<>(List.of("Bill Gates " + i, "Steve Jobs " + i)),
                    BenchData.Player.JAVA,
                    null);
            List<BenchData.Image> images = new ArrayList<>();
            images.add(new BenchData.Image(
                    "http://javaone.com/keynote_large" + i + ".jpg",
                    "Javaone Keynote " + i,
                    1024,
                    768,
                    BenchData.Size.LARGE));
            images.add(new BenchData.Image(
                    "http://javaone.com/keynote_small" + i + ".jpg", null, 320, 240, BenchData.Size.SMALL));
            contents.add(new BenchData.MediaContent(media, images));
        }
        return contents;
    }

    private static Object events() {
        List<BenchData.Account> accounts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            accounts.add(new BenchData.Account(i, "account" + i, "https://example.org/users/account" + i, i == 0));
        }
        List<BenchData.Repository> repositories = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Map<String, String> urls = new LinkedHashMap<>();
            for (String name : List.of("html", "forks", "keys", "hooks", "events", "tags", "blobs", "trees")) {
                urls.put(name, "https://example.org/repositories/" + i + "/" + name + "{/id}");
            }
            repositories.add(new BenchData.Repository(
                    i, "repository" + i, accounts.get(i), i % 4 == 0, urls, Instant.ofEpochSecond(1_600_000_000L + i)));
        }
        List<BenchData.Event> events = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            BenchData.Issue issue = new BenchData.Issue(
                    i,
                    "It does not work when number " + i + " comes first",
                    "Steps: take number " + i + ", put it first, and see what happens. Expected: it works.",
                    accounts.get(i * 7 % 40),
                    new ArrayList<>(List.of(accounts.get(i % 40), accounts.get(i * 3 % 40))),
                    new ArrayList<>(List.of("bug", "area " + i % 5)),
                    i % 2 == 0 ? null : Instant.ofEpochSecond(1_700_000_000L + i));
            events.add(new BenchData.Event(
                    i % 2 == 0 ? "opened" : "closed", issue, repositories.get(i % 20), accounts.get(i * 11 % 40)));
        }
        return events;
    }

    private static Object pairs() {
        List<BenchData.Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            pairs.add(new BenchData.Pair(i * 1_000_003L, i * 0.1));
        }
        return pairs;
    }

    private static Object readings() {
        SplittableRandom random = new SplittableRandom(17);
        List<BenchData.Reading> readings = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            readings.add(new BenchData.Reading(
                    random.nextInt(),
                    random.nextLong(),
                    random.nextDouble(),
                    random.nextDouble(),
                    random.nextDouble(),
                    (float) random.nextDouble(),
                    (float) random.nextDouble(),
                    (float) random.nextDouble(),
                    (float) random.nextDouble(),
                    random.nextInt(),
                    random.nextInt(),
                    random.nextInt(),
                    random.nextLong(),
                    (short) random.nextInt(),
                    (byte) random.nextInt(),
                    random.nextBoolean()));
        }
        return readings;
    }

    /** As long as Java serialization and others of the kind manage with the stack that a thread has. */
    private static Object list() {
        BenchData.Node node = null;
        for (int i = 0; i < 500; i++) {
            node = new BenchData.Node(i, node);
        }
        return Objects.requireNonNull(node);
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
