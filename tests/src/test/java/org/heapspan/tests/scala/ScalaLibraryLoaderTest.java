package org.heapspan.tests.scala;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import org.heapspan.Heapspan;
import org.junit.jupiter.api.Test;

/** Scala's library as other class loaders have it, each with classes of its own. */
final class ScalaLibraryLoaderTest {
    private static URLClassLoader freshLoader() {
        URL library = scala.collection.immutable.List.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        return new URLClassLoader(new URL[] {library}, ClassLoader.getPlatformClassLoader());
    }

    /** A list of the loader's own classes. */
    private static Object list(ClassLoader loader, Object... elements) throws ReflectiveOperationException {
        Class<?> sequence = loader.loadClass("scala.collection.immutable.ArraySeq$ofRef");
        Object wrapped = sequence.getConstructor(Object[].class).newInstance((Object) elements);
        return sequence.getMethod("toList").invoke(wrapped);
    }

    @Test
    void collectionsAreMadeByTheLibraryOfTheReadersLoader() throws Exception {
        try (URLClassLoader loader = freshLoader()) {
            Object original = list(loader, "a", 1);
            byte[] bytes = Heapspan.create().encode(original);

            Object there = Heapspan.builder().classLoader(loader).build().decode(bytes, Object.class);
            Object here = Heapspan.create().decode(bytes, Object.class);

            assertThat(there.getClass()).isSameAs(original.getClass());
            assertThat(there).isEqualTo(original);
            assertThat(here).isInstanceOf(scala.collection.immutable.List.class).hasToString("List(a, 1)");
        }
    }

    @Test
    void librariesAreNotKeptAlive() throws Exception {
        Heapspan heapspan = Heapspan.create();
        List<WeakReference<ClassLoader>> loaders =
                Arrays.asList(used(heapspan), used(heapspan), used(heapspan), used(heapspan));
        long left = loaders.size();
        for (int attempt = 0; attempt < 100 && left > 0; attempt++) {
            System.gc();
            Thread.sleep(10);
            left = loaders.stream().filter(loader -> loader.get() != null).count();
        }
        Reference.reachabilityFence(heapspan);
        assertThat(left).isZero();
    }

    private static WeakReference<ClassLoader> used(Heapspan heapspan) throws Exception {
        try (URLClassLoader loader = freshLoader()) {
            Object none = loader.loadClass("scala.None$").getField("MODULE$").get(null);
            Object original = list(loader, "a", none);
            assertThat(heapspan.encode(original)).isNotEmpty();
            assertThat(Heapspan.builder().classLoader(loader).build().decode(heapspan.encode(original), Object.class))
                    .isEqualTo(original);
            return new WeakReference<>(loader);
        }
    }
}
