package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.heapspan.flink.Samples.Box;
import org.heapspan.flink.Samples.Trade;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes of programs in class loaders of their own, and such that are missing. */
final class UserClassesTest {
    private final ClassLoader loaderBefore = Thread.currentThread().getContextClassLoader();

    @TempDir
    Path folder;

    @AfterEach
    void restoreLoader() {
        Thread.currentThread().setContextClassLoader(loaderBefore);
    }

    /** A serializer in a static field of a class that all jobs share is used by one job after the other. */
    @Test
    void aDuplicateFindsTheClassesOfItsTask() throws Exception {
        EvolvingClass entry = EvolvingClass.of(folder, "Entry", Map.of("id", "I"));
        @SuppressWarnings("unchecked")
        TypeSerializer<Box<?>> shared = (TypeSerializer<Box<?>>) (TypeSerializer<?>) Bytes.serializer(Box.class);
        Thread thread = Thread.currentThread();
        try (URLClassLoader first = entry.newLoader();
                URLClassLoader second = entry.newLoader()) {
            thread.setContextClassLoader(first);
            byte[] bytes = Bytes.of(
                    shared.duplicate(),
                    new Box<>(entry.in(first).getConstructor().newInstance()));
            assertThat(Bytes.read(shared.duplicate(), bytes).content).isInstanceOf(entry.in(first));

            thread.setContextClassLoader(second);
            TypeSerializer<Box<?>> ofSecond = shared.duplicate();
            assertThat(Bytes.read(ofSecond, bytes).content).isInstanceOf(entry.in(second));

            // A thread that belongs to no task.
            thread.setContextClassLoader(loaderBefore);
            assertThat(Bytes.read(ofSecond.duplicate(), bytes).content).isInstanceOf(entry.in(second));
        }
    }

    /** Flink closes the loader of a job that has ended. A thread that the job has left behind may still have it. */
    @Test
    void aClosedLoaderIsNotAsked() throws Exception {
        Thread.currentThread().setContextClassLoader(new ClassLoader(null) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) {
                throw new IllegalStateException("Trying to access closed classloader.");
            }
        });
        TypeSerializer<Trade> trades = Bytes.serializer(Trade.class).duplicate();
        assertThat(Bytes.passed(trades, new Trade(1, 2, 3, true, "x"))).isEqualTo(new Trade(1, 2, 3, true, "x"));
    }

    @Test
    void aClassThatCannotBeLoadedIsOfNoImportanceWithoutObjects() throws Exception {
        EvolvingClass.of(folder, "Broken", Map.of("gone", "LGone;"));
        EvolvingClass holder = EvolvingClass.of(folder, "Holder", Map.of("id", "J", "broken", "LBroken;"));
        try (URLClassLoader loader = holder.newLoader()) {
            Class<Object> type = holder.in(loader);
            Object record = type.getConstructor().newInstance();
            GeneratedClass.set(record, "id", 5L);
            for (TypeSerializer<Object> serializer :
                    List.of(Bytes.serializer(type), HeapspanKryoSerializerTest.inPlaceOfKryo(type))) {
                assertThat(GeneratedClass.get(Bytes.passed(serializer, record), "id"))
                        .isEqualTo(5L);
            }
        }
    }
}
