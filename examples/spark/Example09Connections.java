import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** 09: records of Java as keys, and an object that is changed while values are combined. Neither is Serializable: images need no permission. */
public final class Example09Connections {
    private Example09Connections() {}

    record Kind(String protocol, String label) {}

    /** Sums up connections. */
    static final class Traffic {
        private long connections;
        private long bytes;
        private final TreeMap<String, Integer> services = new TreeMap<>();

        Traffic add(String[] line) {
            connections++;
            bytes += Long.parseLong(line[4]) + Long.parseLong(line[5]);
            services.merge(line[2], 1, Integer::sum);
            return this;
        }

        Traffic add(Traffic other) {
            connections += other.connections;
            bytes += other.bytes;
            other.services.forEach((service, count) -> services.merge(service, count, Integer::sum));
            return this;
        }

        @Override
        public String toString() {
            return connections + " connections, " + (bytes >> 20) + " MB, " + services.size() + " services";
        }
    }

    /** Runs the example. */
    public static void main(String[] arguments) {
        try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("09 connections"))) {
            JavaRDD<String> lines = arguments.length > 0
                    ? spark.textFile(arguments[0])
                    : spark.parallelize(IntStream.range(0, 1000)
                            .mapToObj(i -> "0,tcp,service " + i % 7 + ",SF," + i * 1000 + ",0," + (i % 3 == 0 ? "attack." : "normal."))
                            .toList());
            var traffic = lines.map(line -> line.split(","))
                    .mapToPair(line -> new Tuple2<>(new Kind(line[1], line[line.length - 1]), new Traffic().add(line)))
                    .reduceByKey(Traffic::add)
                    .mapToPair(Tuple2::swap)
                    .collect();
            System.out.println(traffic.size() + " kinds of connections; the largest:");
            traffic.stream()
                    .sorted((a, b) -> Long.compare(b._1().connections, a._1().connections))
                    .limit(3)
                    .forEach(kind -> System.out.println(kind._2().protocol() + " " + kind._2().label() + " " + kind._1()));
            System.out.println("serializer: " + SparkEnv.get().serializer().getClass().getSimpleName());
        }
    }
}
