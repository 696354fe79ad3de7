package org.heapspan.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.HeapspanShuffleManager;
import org.apache.spark.serializer.Serializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The serializer works without the shuffle manager in Spark 4.0 to 4.2, whose environment cannot be asked for its shuffle manager. */
@Tag("once")
final class OlderSparkTest {
    private static final String ENVIRONMENT = "org.apache.spark.SparkEnv";

    @TempDir
    Path folder;

    @Test
    void theSerializerSaysThatRecordsStayInTheirOrder() throws Exception {
        try (OlderSpark older = new OlderSpark()) {
            assertThatThrownBy(() -> shuffleManagerIsInUse(older)).hasRootCauseInstanceOf(NoSuchMethodError.class);
            for (String manager : new String[] {"sort", HeapspanShuffleManager.class.getName()}) {
                SparkConf conf = new SparkConf(false).set(HeapspanShuffleManager.KEY, manager);
                Serializer serializer = (Serializer) older.loadClass(HeapspanSerializer.class.getName())
                        .getConstructor(SparkConf.class)
                        .newInstance(conf);
                assertThat(serializer.getClass()).isNotSameAs(HeapspanSerializer.class);
                assertThat(serializer.supportsRelocationOfSerializedObjects())
                        .as(manager)
                        .isFalse();
            }
        }
    }

    private static Object shuffleManagerIsInUse(ClassLoader loader) throws ReflectiveOperationException {
        return loader.loadClass(HeapspanShuffleManager.class.getName())
                .getMethod("isInUse", boolean.class)
                .invoke(null, true);
    }

    /** Defines the adapter again, with an environment that has no more of Spark's than the way to get it. */
    private final class OlderSpark extends URLClassLoader {
        OlderSpark() throws IOException {
            super(new URL[] {folder.toUri().toURL()}, OlderSparkTest.class.getClassLoader());
            Path source = folder.resolve("SparkEnv.java");
            Files.writeString(source, """
                    package org.apache.spark;

                    public class SparkEnv {
                        public static SparkEnv get() {
                            return new SparkEnv();
                        }
                    }
                    """);
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            assumeTrue(compiler != null, "needs a JDK: a run-time image has no compiler");
            int exitCode =
                    compiler.run(null, null, null, "--release", "17", "-d", folder.toString(), source.toString());
            assertThat(exitCode).as("of javac").isZero();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean ours = name.startsWith("org.heapspan.spark.") || name.startsWith("org.apache.spark.heapspan.");
            if (!ours && !name.equals(ENVIRONMENT)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                return ours ? again(name) : findClass(name);
            }
        }

        private Class<?> again(String name) throws ClassNotFoundException {
            try (InputStream bytes = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] all = bytes.readAllBytes();
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
