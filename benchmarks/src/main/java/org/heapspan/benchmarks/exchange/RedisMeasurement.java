package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.data.SizedSet;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;
import org.heapspan.exchange.GlobalHeap;
import org.heapspan.testing.Ports;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Measures put and get of object graphs through Redis, as a Java program uses it: Jedis over loopback, objects encoded by Kryo or by Java
 * serialization, nothing written to disk. The same graphs go through the global heap.
 */
final class RedisMeasurement {
    /** How many media contents a graph has. With Kryo they are 1 KB to 100 MB long. */
    static final List<Integer> SIZES = List.of(4, 40, 400, 4_000, 40_000, 400_000);

    static final String PUT = "Redis, ms: put ";
    static final String GET = "Redis, ms: get ";
    static final String LENGTH = "Redis, bytes: ";
    static final String WITH_JAVA = "jdk";
    static final String WITH_KRYO = "kryo";
    static final String HEAP = "global heap";
    static final String HEAP_OVER_TCP = "global heap, TCP";
    static final List<String> SUBJECTS = List.of(WITH_JAVA, WITH_KRYO, HEAP, HEAP_OVER_TCP);

    private static final String SERVER = "redis-server";
    static final String NOT_MEASURED = "Redis was not measured: there is no program " + SERVER;
    private static final byte[] KEY = "graph".getBytes(StandardCharsets.UTF_8);
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int ATTEMPTS = 100;
    private static final long PAUSE_MILLIS = 100;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int LEAST_WARM_UP_ROUNDS = 2;
    private static final int MOST_ROUNDS_OF_LONG = 3;
    private static final int LONG = 40_000;
    private static final int CALLS_OF_SHORT = 200;
    private static final int SHORT = 40;

    private final ExchangeFigures figures;
    private final int rounds;
    private int port;

    RedisMeasurement(ExchangeFigures figures, int rounds) {
        this.figures = figures;
        this.rounds = rounds;
    }

    /** Puts a graph, or gets it. */
    private interface Way {
        void put(Object[] graph) throws IOException;

        Object get() throws IOException;

        default void remove() throws IOException {}
    }

    void run(GlobalHeap shared, GlobalHeap tcp) throws IOException, InterruptedException {
        Process server = start();
        if (server == null) {
            return;
        }
        try (Jedis redis = connect(port)) {
            figures.run().software.add("Redis " + version(redis) + ", without files, with Jedis over loopback");
            for (int size : SIZES) {
                DataSet set = new SizedSet("media", size);
                Object[] graph = set.records();
                measure(size, WITH_JAVA, graph, through(redis, Peers.create(WITH_JAVA, set)));
                Peer kryo = Peers.create(WITH_KRYO, set);
                figures.add(LENGTH + size, WITH_KRYO, kryo.encodeChunk(graph));
                measure(size, WITH_KRYO, graph, through(redis, kryo));
                measure(size, HEAP, graph, through(shared));
                measure(size, HEAP_OVER_TCP, graph, through(tcp));
            }
        } finally {
            server.destroy();
            server.waitFor();
        }
    }

    /** Null if there is no such program here. */
    private @Nullable Process start() throws IOException {
        port = Ports.take();
        try {
            return new ProcessBuilder(
                            SERVER,
                            "--port",
                            Integer.toString(port),
                            "--bind",
                            "127.0.0.1",
                            "--save",
                            "",
                            "--appendonly",
                            "no")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            figures.run().software.add(NOT_MEASURED);
            return null;
        }
    }

    private static Jedis connect(int port) throws IOException, InterruptedException {
        JedisException last = null;
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                Jedis redis = new Jedis("127.0.0.1", port, TIMEOUT_MILLIS);
                redis.ping();
                return redis;
            } catch (JedisException e) {
                last = e;
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
        throw new IOException(SERVER + " does not answer at port " + port, last);
    }

    private static String version(Jedis redis) {
        return redis.info("server")
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("of unknown version");
    }

    private static Way through(Jedis redis, Peer peer) {
        return new Way() {
            @Override
            public void put(Object[] graph) {
                peer.encodeChunk(graph);
                redis.set(KEY, peer.encoded());
            }

            @Override
            public Object get() {
                return peer.decodeChunk(redis.get(KEY));
            }
        };
    }

    private static Way through(GlobalHeap heap) {
        return new Way() {
            @Override
            public void put(Object[] graph) {
                heap.put("graph", graph);
            }

            @Override
            public Object get() {
                return heap.get("graph", Object[].class);
            }

            @Override
            public void remove() {
                heap.remove("graph");
            }
        };
    }

    /** A key of Redis is overwritten. One of the global heap is removed first, outside of the time that is measured. */
    private void measure(int size, String subject, Object[] graph, Way way) throws IOException {
        int most = size >= LONG ? Math.min(rounds, MOST_ROUNDS_OF_LONG) : rounds;
        int calls = size <= SHORT ? CALLS_OF_SHORT : 1;
        double[] put = new double[most];
        double[] get = new double[most];
        long begin = System.nanoTime();
        int round = -LEAST_WARM_UP_ROUNDS;
        while (round < most) {
            long putNanos = 0;
            long getNanos = 0;
            for (int i = 0; i < calls; i++) {
                long start = System.nanoTime();
                way.put(graph);
                long middle = System.nanoTime();
                Object read = way.get();
                getNanos += System.nanoTime() - middle;
                putNanos += middle - start;
                way.remove();
                if (!(read instanceof Object[] records) || records.length != graph.length) {
                    throw new IOException("another graph than was put");
                }
            }
            if (round >= 0) {
                put[round] = putNanos / 1e6 / calls;
                get[round] = getNanos / 1e6 / calls;
            }
            if (round != -1 || System.nanoTime() - begin > WARM_UP_NANOS) {
                round++;
            }
        }
        figures.add(PUT + size, subject, put);
        figures.add(GET + size, subject, get);
    }
}
