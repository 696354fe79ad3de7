package org.heapspan.spark.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.heapspan.PartitionStorage.Kept;
import org.apache.spark.heapspan.PartitionStorage.Outcome;
import org.apache.spark.sql.columnar.CachedBatch;
import org.apache.spark.sql.execution.columnar.DefaultCachedBatch;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.Decimal$;
import org.apache.spark.storage.RDDBlockId;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.h2.SecondHeap;
import org.heapspan.h2.SecondHeapOptions;
import org.heapspan.h2.SharedObjects;
import org.heapspan.spark.Script;
import org.heapspan.spark.statistics.CachedPartitions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;
import scala.Tuple2;
import scala.collection.immutable.Vector;
import scala.jdk.javaapi.CollectionConverters;

/** A partition is in the second heap and can be read, or Spark's store gets all of its records. */
@Tag("once")
@SuppressWarnings("serial")
final class SecondHeapPartitionsTest {
    private static final RDDBlockId BLOCK = new RDDBlockId(1, 0);

    /** Of which several groups are full. */
    private static final int RECORDS = 100_000;

    private static final long MOST_RECORD_BYTES = 4 << 20;

    @TempDir
    Path directory;

    private final CachedPartitions counters = new CachedPartitions();
    private SecondHeap heap;
    private SecondHeapPartitions partitions;

    /** Found by its name in no other loader than that of this test. */
    static final class Hidden implements Serializable {
        static final Hidden CONSTANT = new Hidden();
    }

    static final class Handler implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return "handled";
        }
    }

    /** Finds no {@link Hidden}, and has a {@link Script} of its own. */
    private static final class SessionLoader extends ClassLoader {
        SessionLoader() {
            super(SecondHeapPartitionsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Hidden.class.getName())) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals(Script.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream source = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] classFile = source.readAllBytes();
                return defineClass(name, classFile, 0, classFile.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        Object script() throws ReflectiveOperationException {
            var constructor = loadClass(Script.class.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        }
    }

    private final SessionLoader loader = new SessionLoader();

    @BeforeEach
    void open() {
        SharedObjects shared = SharedObjects.inFields(field -> false, KnownLoggers::of);
        CacheCodecs codecs = new CacheCodecs(loader, shared);
        heap = SecondHeap.open(
                directory,
                SecondHeapOptions.capacity(32 << 20)
                        .withRegionBytes(1 << 20)
                        .withoutThresholds()
                        .withHeapspan(codecs.of(null))
                        .withShared(shared));
        partitions = new SecondHeapPartitions(heap, codecs, counters, MOST_RECORD_BYTES, false);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private static List<Object> records() {
        List<Object> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            records.add(new Tuple2<>(i, "value " + i));
        }
        return records;
    }

    private List<Object> kept(List<Object> records) {
        Kept kept = partitions.keep(BLOCK, records.iterator(), false).kept();
        assertThat(kept).isNotNull();
        List<Object> copies = new ArrayList<>();
        kept.values().forEachRemaining(copies::add);
        kept.close();
        return copies;
    }

    private void isDeclined(Object value, String className) {
        List<Object> records = records();
        int place = RECORDS / 2;
        Object refused = new Tuple2<>(place, value);
        records.set(place, refused);
        for (Object whole : List.of(refused, value)) {
            records.set(place, whole);
            long declined = counters.declined();
            Outcome<Object> outcome = partitions.keep(BLOCK, records.iterator(), false);
            assertThat(outcome.kept()).isNull();
            assertThat(outcome.why()).contains(className);
            List<Object> delivered = new ArrayList<>();
            outcome.values().forEachRemaining(delivered::add);
            assertThat(delivered.equals(records))
                    .as("all records in their order")
                    .isTrue();
            assertThat(delivered.get(place)).isSameAs(whole);
            assertThat(counters.declined()).isEqualTo(declined + 1);
        }
        assertThat(heap.statistics().usedBytes()).isZero();
    }

    @Test
    void keepsWhatItsLoaderFinds() throws Exception {
        List<Object> records = records();
        assertThat(kept(records).equals(records)).isTrue();

        Object script = loader.script();
        Vector<Object> vector = Vector.from(CollectionConverters.asScala(List.of(1, 2, 3)));
        Supplier<?> proxy =
                (Supplier<?>) Proxy.newProxyInstance(loader, new Class<?>[] {Supplier.class}, new Handler());
        List<Object> copies = kept(List.of(new Tuple2<>(1, script), new Tuple2<>(2, vector), new Tuple2<>(3, proxy)));
        assertThat(((Tuple2<?, ?>) copies.get(0))._2()).isExactlyInstanceOf(script.getClass());
        assertThat(((Tuple2<?, ?>) copies.get(1))._2()).isEqualTo(vector);
        assertThat(((Supplier<?>) ((Tuple2<?, ?>) copies.get(2))._2()).get()).isEqualTo("handled");
        assertThat(counters.declined()).isZero();
    }

    @Test
    void declinesRecordsWithAnObjectOfAClassThatIsNotFound() {
        isDeclined(new Hidden(), Hidden.class.getName());
        isDeclined(Hidden.CONSTANT, Hidden.class.getName());
    }

    @Test
    void declinesRecordsWithAnObjectWhereAnotherClassOfItsNameIsFound() {
        isDeclined(new Script(), Script.class.getName());
    }

    @Test
    void declinesRecordsWithAnArrayOfSuchAClass() {
        isDeclined(new Hidden[2], Hidden.class.getName());
    }

    static final class Logging implements Serializable {
        static final Logger LOG = LoggerFactory.getLogger(Logging.class);
        static final Logging NONE = new Logging();

        final Logger logger = LOG;
        transient Logger mine = LOG;
    }

    @Test
    void loggersAndConstantsStayTheObjectsThatTheyAre() {
        Vector<Object> vector = Vector.from(CollectionConverters.asScala(List.of(Logging.NONE, new Logging())));
        List<Object> copies = kept(List.of(
                new Tuple2<>(1, new Logging()),
                new Tuple2<>(Logging.LOG, Logging.NONE),
                new Tuple2<>(3, vector),
                new Tuple2<>(Decimal$.MODULE$.ZERO(), new Decimal()),
                Logging.LOG));
        Logging logging = (Logging) ((Tuple2<?, ?>) copies.get(0))._2();
        assertThat(logging).isNotSameAs(Logging.NONE);
        assertThat(logging.logger).isSameAs(Logging.LOG);
        assertThat(logging.mine).isSameAs(Logging.LOG);
        assertThat(((Tuple2<?, ?>) copies.get(1))._1()).isSameAs(Logging.LOG);
        assertThat(((Tuple2<?, ?>) copies.get(1))._2()).isSameAs(Logging.NONE);
        Vector<?> vectorCopy = (Vector<?>) ((Tuple2<?, ?>) copies.get(2))._2();
        assertThat((Object) vectorCopy.apply(0)).isSameAs(Logging.NONE);
        assertThat((Object) vectorCopy.apply(1)).isNotSameAs(Logging.NONE);
        // A constant of a Scala class is in its companion.
        assertThat(((Tuple2<?, ?>) copies.get(3))._1()).isSameAs(Decimal$.MODULE$.ZERO());
        assertThat(((Tuple2<?, ?>) copies.get(3))._2())
                .isEqualTo(Decimal$.MODULE$.ZERO())
                .isNotSameAs(Decimal$.MODULE$.ZERO());
        assertThat(copies.get(4)).isSameAs(Logging.LOG);
        assertThat(counters.declined()).isZero();
    }

    /** A class with a method that fails, which whoever encodes objects calls. */
    static final class Nameless extends NOPLogger {
        @Override
        public String getName() {
            throw new IllegalStateException("made up");
        }
    }

    static final class Asserting implements Serializable {
        private void writeObject(ObjectOutputStream output) {
            throw new AssertionError("made up");
        }
    }

    @Test
    void declinesRecordsWithAnObjectWhoseMethodFails() {
        isDeclined(new Nameless(), "made up");
        isDeclined(new Asserting(), "made up");
    }

    @Test
    void declinesRecordsOfWhichOneIsTooLong() {
        isDeclined(new long[1 << 20], "more than " + MOST_RECORD_BYTES + " bytes");
        isDeclined(new ArrayList<>(records().subList(0, RECORDS / 2)), "more than " + MOST_RECORD_BYTES + " bytes");
    }

    @Test
    void whatComputesThePartitionFailsAsItIs() {
        HeapspanException failure = new HeapspanException(Category.CLASS_REFUSED, "of the program itself");
        Iterator<Object> records = records().subList(0, 10).iterator();
        Iterator<Object> failing = new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public Object next() {
                if (records.hasNext()) {
                    return records.next();
                }
                throw failure;
            }
        };
        assertThatThrownBy(() -> partitions.keep(BLOCK, failing, false)).isSameAs(failure);
        assertThat(counters.declined()).isZero();
    }

    /** Spark encodes all of it in memory, to send it. */
    @Test
    void aReplicatedPartitionIsKeptIfItIsSmall() {
        List<Object> large = new ArrayList<>();
        for (long bytes = 0; bytes <= MOST_RECORD_BYTES + (1 << 20); bytes += 1 << 10) {
            large.add(new byte[1 << 10]);
        }
        assertThat(partitions
                        .keep(BLOCK, records().subList(0, 1000).iterator(), true)
                        .why())
                .isEmpty();
        assertThat(partitions.keep(BLOCK, large.iterator(), false).why()).isEmpty();
        Outcome<Object> outcome = partitions.keep(BLOCK, large.iterator(), true);
        assertThat(outcome.kept()).isNull();
        assertThat(outcome.why()).contains("replicates it");
        assertThat(outcome.values()).toIterable().hasSize(large.size());
    }

    @Test
    void whatCannotBeReadIsLostUnlessItWasClosed() {
        Outcome<Object> outcome =
                partitions.keep(BLOCK, List.<Object>of("record").iterator(), false);
        try (var values = outcome.kept().values()) {
            assertThat(values.isLoss(new HeapspanException(Category.IO, "the page is gone")))
                    .isTrue();
            assertThat(values.isLoss(new HeapspanException(Category.MALFORMED, "no image")))
                    .isTrue();
            assertThat(values.isLoss(new HeapspanException(Category.USAGE, "closed")))
                    .isFalse();
            assertThat(values.isLoss(new IllegalStateException())).isFalse();
            assertThat(partitions.losesOthers(new HeapspanException(Category.IO, "the page is gone")))
                    .isTrue();
            assertThat(partitions.losesOthers(new HeapspanException(Category.LIMIT, "no memory")))
                    .isFalse();
        }
        outcome.kept().close();
    }

    /** What a cached Dataset consists of, here of a plug-in's own format. */
    private static class Batch implements CachedBatch {
        @Override
        public int numRows() {
            return 1;
        }

        @Override
        public long sizeInBytes() {
            return 1;
        }
    }

    private static final class LargerBatch extends Batch {}

    @Test
    void datasetsBelongHereOnlyIfTheSettingsSaySo() {
        SecondHeapPartitions all = new SecondHeapPartitions(
                heap,
                new CacheCodecs(loader, SharedObjects.inFields(field -> false, KnownLoggers::of)),
                counters,
                MOST_RECORD_BYTES,
                true);
        for (Class<?> batch : List.of(CachedBatch.class, DefaultCachedBatch.class, Batch.class, LargerBatch.class)) {
            assertThat(partitions.takes(BLOCK, batch)).as("%s", batch).isFalse();
            assertThat(all.takes(BLOCK, batch)).as("%s", batch).isTrue();
        }
        for (Class<?> other :
                List.of(Object.class, Tuple2.class, Runnable.class, int.class, long[].class, CachedBatch[].class)) {
            assertThat(partitions.takes(BLOCK, other)).as("%s", other).isTrue();
        }
    }
}
