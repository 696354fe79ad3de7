package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.ParallelCollectionPartition;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.spark.HeapspanSerializer;
import org.heapspan.spark.Place;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Parts of a task of a session whose loader has classes of its own, as an executor reads them. */
@Tag("once")
@ExtendWith(EstimatorFirst.class)
final class NestedStreamsTest {
    private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();

    @TempDir
    Path folder;

    /** Has classes of the tests again, apart from those. */
    private static final class SessionLoader extends URLClassLoader {
        SessionLoader(URL... places) {
            super(places, SparkEnv.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                return name.equals(Place.class.getName()) ? findClass(name) : super.loadClass(name, resolve);
            }
        }
    }

    @Test
    void classesOfParallelizedObjectsAreThoseOfTheSession() throws Exception {
        SparkConf conf =
                LocalConf.of(folder, "nested streams").set("spark.serializer", HeapspanSerializer.class.getName());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL classes = Place.class.getProtectionDomain().getCodeSource().getLocation();
        try (JavaSparkContext context = new JavaSparkContext(conf);
                SessionLoader session = new SessionLoader(classes)) {
            assertThat(context.env().serializer().defaultClassLoader().isDefined())
                    .as("Spark has set a loader")
                    .isTrue();
            SerializerInstance tasks = new JavaSerializer(conf).newInstance();
            ByteBuffer task = tasks.serialize(partition(new Place(1, 2)), ANY);

            thread.setContextClassLoader(session);
            var read = (ParallelCollectionPartition<?>) tasks.deserialize(task, session, ANY);

            assertThat(read.values().head()).hasToString("Place[x=1, y=2.0]");
            assertThat(read.values().head().getClass().getClassLoader()).isSameAs(session);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static Object partition(Serializable value) {
        return new ParallelCollectionPartition<>(
                0, 0, CollectionConverters.asScala(List.<Object>of(value)).toSeq(), ANY);
    }
}
