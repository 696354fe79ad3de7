package org.heapspan.tests.spark.jobs;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.heapspan.exchange.GlobalHeap;

/** A server of the global heap in the driver: tasks get what the driver has put, and the driver gets what tasks have put: {@code results}. */
public final class DriverServerApplication {
    private static final int TASKS = 6;

    private DriverServerApplication() {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf());
                ExchangeServer server = ExchangeServer.start(ExchangeServerOptions.port(0));
                GlobalHeap heap = GlobalHeap.connect(server.url())) {
            heap.put("words", List.of("from", "the", "driver"));
            String url = server.url();
            List<Integer> tasks = IntStream.range(0, TASKS).boxed().toList();
            List<String> executors = context.parallelize(tasks, TASKS)
                    .map(task -> {
                        try (GlobalHeap own = GlobalHeap.connect(url)) {
                            own.put("task/" + task, List.of("from task", task));
                            return SparkEnv.get().executorId() + " " + own.get("words", List.class) + " shared: "
                                    + own.sharesMemory();
                        }
                    })
                    .collect();
            results.put("executors", executors.stream().distinct().sorted().toList());
            results.put(
                    "from tasks",
                    tasks.stream()
                            .map(task -> String.valueOf(heap.get("task/" + task, List.class)))
                            .toList());
        }
        results.write(arguments[0]);
    }
}
