package org.heapspan.benchmarks.exchange;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.exchange.GlobalHeapOptions;
import org.heapspan.exchange.SharedValues;

/**
 * Measures what sharing of repeated values saves: PageRank with URLs as keys, as in ZCOT (figure 9, table 3), and objects in which no value comes
 * again.
 */
final class DeduplicationMeasurement {
    static final String BYTES = "PageRank: stored, MB";
    static final String HEAP = "PageRank: Java heap of the receiver, MB";
    static final String MILLIS = "PageRank: put of a round, ms";
    static final String NOTHING = "no value comes again: put of 20,000 strings, ms";
    static final List<String> MEASURES = List.of(BYTES, HEAP, MILLIS, NOTHING);

    static final int PARTITIONS = 4;
    static final int RANK_ROUNDS = 10;
    private static final int PAGES = 40_000;
    private static final int LINKS_OF_PAGE = 4;
    private static final int STRINGS = 20_000;
    private static final int STRING_LENGTH = 60;
    private static final int NOTHING_PUTS = 40;
    private static final long MEMORY_BYTES = 1L << 30;
    private static final double MEGABYTE = 1e6;

    /** What happens to values that come again. */
    enum Way {
        COPIES("copies"),
        SHARE("`share`"),
        DEDUPLICATION("`withDeduplication`");

        private final String title;

        Way(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** An edge of the network. */
    record Link(String from, String to) implements Serializable {}

    /** What is sent in each round. */
    record Rank(String url, double rank) implements Serializable {}

    private final ExchangeFigures figures;
    private final int rounds;
    private final String[] urls = new String[PAGES];

    DeduplicationMeasurement(ExchangeFigures figures, int rounds) {
        this.figures = figures;
        this.rounds = rounds;
        Random random = new Random(1);
        for (int i = 0; i < PAGES; i++) {
            urls[i] = "http://www.site-" + random.nextInt(2_000) + ".example.org/" + text(random, 8) + "/page-" + i
                    + ".html";
        }
    }

    private static String text(Random random, int length) {
        char[] chars = new char[length];
        for (int i = 0; i < length; i++) {
            chars[i] = (char) ('a' + random.nextInt(26));
        }
        return new String(chars);
    }

    void run() throws IOException, InterruptedException {
        for (Way way : Way.values()) {
            pageRank(way);
        }
        nothingRepeats();
    }

    private static ExchangeServer serve() throws IOException {
        return ExchangeServer.start(ExchangeServerOptions.port(0).withMemory(MEMORY_BYTES));
    }

    private static GlobalHeap connect(ExchangeServer server, Way way) {
        GlobalHeapOptions options = GlobalHeapOptions.defaults();
        return GlobalHeap.connect(server.url(), way == Way.DEDUPLICATION ? options.withDeduplication() : options);
    }

    static String network(int partition) {
        return "network/" + partition;
    }

    static String ranks(int round, int partition) {
        return "ranks/" + round + "/" + partition;
    }

    /** The network in partitions, as a shuffle has it, then ranks by page in each round. */
    private void pageRank(Way way) throws IOException, InterruptedException {
        try (ExchangeServer server = serve();
                GlobalHeap heap = connect(server, way);
                SharedValues shared = way == Way.SHARE ? heap.share(List.of(urls)) : null) {
            Random random = new Random(2);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                List<Link> links = new ArrayList<>();
                for (int page = partition; page < PAGES; page += PARTITIONS) {
                    for (int i = 0; i < LINKS_OF_PAGE; i++) {
                        links.add(new Link(urls[page], urls[random.nextInt(PAGES)]));
                    }
                }
                heap.put(network(partition), links.toArray());
            }
            double[] millis = new double[RANK_ROUNDS];
            for (int round = 0; round < RANK_ROUNDS; round++) {
                List<Object[]> partitions = rankPartitions(round);
                long start = System.nanoTime();
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    heap.put(ranks(round, partition), partitions.get(partition));
                }
                millis[round] = (System.nanoTime() - start) / 1e6;
            }
            long bytes =
                    heap.list("").stream().mapToLong(key -> key.sizeBytes()).sum()
                            + heap.deduplication().sharedBytes();
            figures.add(BYTES, way.title(), bytes / MEGABYTE);
            figures.add(HEAP, way.title(), receiverHeapBytes(server.url()) / MEGABYTE);
            figures.add(MILLIS, way.title(), millis);
        }
    }

    private List<Object[]> rankPartitions(int round) {
        List<Object[]> partitions = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            List<Rank> ranks = new ArrayList<>();
            for (int page = partition; page < PAGES; page += PARTITIONS) {
                ranks.add(new Rank(urls[page], 1.0 / (page + round + 1)));
            }
            partitions.add(ranks.toArray());
        }
        return partitions;
    }

    private static long receiverHeapBytes(String url) throws IOException, InterruptedException {
        Process receiver = ExchangeMeasurement.start(List.of(), DeduplicationReceiver.class, List.of(url));
        try (BufferedReader lines = receiver.inputReader()) {
            String line = lines.readLine();
            if (line == null) {
                throw new IOException("another JVM of the benchmark has failed; what it said is above");
            }
            return Long.parseLong(line);
        } finally {
            ExchangeMeasurement.end(receiver);
        }
    }

    /** The ways take turns with each object, and which is first alternates: the second finds other caches, and the machine may change its speed. */
    private void nothingRepeats() throws IOException {
        List<Way> ways = List.of(Way.COPIES, Way.DEDUPLICATION);
        double[][] millis = new double[ways.size()][rounds];
        try (ExchangeServer server = serve();
                GlobalHeap plain = connect(server, Way.COPIES);
                GlobalHeap deduplicating = connect(server, Way.DEDUPLICATION)) {
            Random random = new Random(3);
            for (int round = -rounds; round < rounds; round++) {
                long[] nanos = new long[ways.size()];
                for (int turn = 0; turn < ways.size() * NOTHING_PUTS; turn++) {
                    int way = (turn + turn / 2) % 2;
                    GlobalHeap heap = way == 0 ? plain : deduplicating;
                    String[] strings = new String[STRINGS];
                    Arrays.setAll(strings, k -> text(random, STRING_LENGTH));
                    long start = System.nanoTime();
                    heap.put("strings", strings);
                    nanos[way] += System.nanoTime() - start;
                    heap.remove("strings");
                }
                if (round >= 0) {
                    for (int way = 0; way < ways.size(); way++) {
                        millis[way][round] = nanos[way] / 1e6 / NOTHING_PUTS;
                    }
                }
            }
        }
        for (int way = 0; way < ways.size(); way++) {
            figures.add(NOTHING, ways.get(way).title(), millis[way]);
        }
    }
}
