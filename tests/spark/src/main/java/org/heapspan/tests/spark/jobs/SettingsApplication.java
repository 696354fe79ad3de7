package org.heapspan.tests.spark.jobs;

import java.io.NotSerializableException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.Tuple2;

/** Tells which serializers are in use and runs a small job: {@code results}. */
public final class SettingsApplication {
    private SettingsApplication() {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            Executors.tellSerializers(context, results);
            results.put(
                    "ports of the shuffle servers",
                    new TreeSet<>(context.parallelize(List.of(1, 2, 3, 4), 4)
                            .map(any -> SparkEnv.get()
                                    .blockManager()
                                    .shuffleServerId()
                                    .port())
                            .collect()));
            results.put("broadcast", broadcast(context, Event.number(7)));
            results.put("broadcast that is not Serializable", broadcast(context, new Lamp("red")));
            results.putAll(
                    "group-by",
                    context.parallelize(IntStream.range(0, 1000).boxed().toList(), 2)
                            .map(Event::number)
                            .mapToPair(event -> new Tuple2<>(event.owner(), event))
                            .groupByKey()
                            .collect());
            if (context.sc().uiWebUrl().isDefined()) {
                results.put("parts", TabPage.parts(context.sc().uiWebUrl().get()));
            }
        }
        results.write(arguments[0]);
    }

    /** Java serialization refuses it. */
    private static final class Lamp {
        private final String colour;

        Lamp(String colour) {
            this.colour = colour;
        }

        @Override
        public String toString() {
            return "lamp, " + colour;
        }
    }

    /** What the executors get, or why they get nothing. */
    private static String broadcast(JavaSparkContext context, Object value) {
        try {
            Broadcast<Object> broadcast = context.broadcast(value);
            Set<String> found = new TreeSet<>(context.parallelize(List.of(1, 2, 3, 4), 4)
                    .map(any -> String.valueOf(broadcast.value()))
                    .collect());
            return found.equals(Set.of(value.toString())) ? "arrives" : "arrives as " + found;
        } catch (Exception e) {
            return e instanceof NotSerializableException ? "is refused" : e.toString();
        }
    }
}
