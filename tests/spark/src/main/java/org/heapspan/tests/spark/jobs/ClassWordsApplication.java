package org.heapspan.tests.spark.jobs;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.collection.CompactBuffer;
import org.heapspan.tests.spark.extra.Reading;
import scala.Tuple2;

/** Tells the class words of some classes in the driver and in two executors, for JVMs with headers of 12 bytes: {@code results}. */
public final class ClassWordsApplication {
    private static final long CLASS_WORD_OFFSET = 8;

    private ClassWordsApplication() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Results results = new Results();
        try (JavaSparkContext context = new JavaSparkContext(new SparkConf())) {
            Executors.tellSerializers(context, results);
            results.put("driver", words());
            // Enough tasks, and slow ones, that both executors get some.
            Map<String, Map<String, Integer>> ofExecutors = new TreeMap<>();
            context.parallelize(List.of(1, 2, 3, 4, 5, 6, 7, 8), 8)
                    .map(any -> {
                        Thread.sleep(2_000);
                        return new Tuple2<>(SparkEnv.get().executorId(), words());
                    })
                    .collect()
                    .forEach(words -> ofExecutors.put(words._1(), words._2()));
            ofExecutors.forEach((executor, words) -> results.put("executor " + executor, words));
        }
        results.write(arguments[0]);
    }

    private static Map<String, Integer> words() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        Method getInt = type.getMethod("getInt", Object.class, long.class);
        Map<String, Integer> words = new TreeMap<>();
        for (Object object : List.of(
                new ArrayList<>(),
                new Tuple2<>(1, 2),
                new CompactBuffer<>(scala.reflect.ClassTag$.MODULE$.Int()),
                new Event.User("name", 1),
                new Reading("sensor", 1))) {
            words.put(object.getClass().getSimpleName(), (Integer) getInt.invoke(unsafe, object, CLASS_WORD_OFFSET));
        }
        return words;
    }
}
