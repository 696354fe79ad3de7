package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.serializer;
import static org.heapspan.spark.SerializedStreams.write;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec$;
import org.heapspan.HeapspanException;
import org.heapspan.spark.SerializedStreams;
import org.heapspan.spark.keys.ApplicationKeys;
import org.heapspan.spark.keys.ClusterKeys;
import org.heapspan.spark.keys.DriverKeys;
import org.heapspan.spark.keys.KeysQuestion;
import org.heapspan.spark.types.ApplicationTypes;
import org.heapspan.spark.types.DriverTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Blocks of an iterative job, whose keys are the same in each iteration, as page ranks by URL. */
@Tag("once")
final class RepeatedKeysTest {
    private static final int PAGES = 5_000;

    /** Not all: two keys may have the same place in the table of sightings, and then neither is ever seen often enough. */
    private static final int MOST_PAGES = PAGES * 99 / 100;

    private static final int ITERATIONS = 6;

    private final DriverKeys driver = new DriverKeys(64 << 20);
    private final ClusterKeys keys = new ClusterKeys(driver.id(), question -> driver.answer((KeysQuestion) question));
    private final Random random = new Random(7);

    @BeforeEach
    void number() {
        ApplicationTypes.use(new DriverTypes());
    }

    @AfterEach
    void forget() {
        ApplicationKeys.end(keys);
        keys.close();
        ApplicationTypes.end(ApplicationTypes.registry());
    }

    private static String url(int page) {
        return "http://www.site-" + page % 97 + ".example.org/section/" + page % 13 + "/page-" + page * 7919L + ".html";
    }

    /** Ranks that the pages get in an iteration. */
    private Object[] ranks() {
        Object[] ranks = new Object[PAGES];
        for (int page = 0; page < PAGES; page++) {
            ranks[page] = new Tuple2<>(url(page), random.nextDouble());
        }
        return ranks;
    }

    private static byte[] shuffled(String encoding, Object... records) throws IOException {
        return SerializedStreams.shuffled(serializer("spark.heapspan.encoding", encoding), true, records);
    }

    private static int compressed(byte[] bytes) throws IOException {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        try (OutputStream stream =
                CompressionCodec$.MODULE$.createCodec(new SparkConf(false)).compressedOutputStream(target)) {
            stream.write(bytes);
        }
        return target.size();
    }

    private void meet(String encoding) throws Exception {
        for (int i = 0; i < ITERATIONS || i < 1000 && keys.size() < MOST_PAGES; i++) {
            shuffled(encoding, ranks());
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(keys.size()).isGreaterThanOrEqualTo(MOST_PAGES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void keysThatComeAgainAreNumbers(String encoding) throws Exception {
        Object[] ranks = ranks();
        byte[] plain = shuffled(encoding, ranks);
        ApplicationKeys.use(keys);
        meet(encoding);
        byte[] numbered = shuffled(encoding, ranks);
        assertThat(read(instance("spark.heapspan.encoding", encoding), numbered))
                .as("with numbers")
                .containsExactly(ranks);
        assertThat(read(instance("spark.heapspan.encoding", encoding), plain))
                .as("without numbers")
                .containsExactly(ranks);
        assertThat(numbered.length).as("bytes").isLessThan(plain.length);
        if (encoding.equals("compact")) {
            // Raw ones have the headers of all objects.
            assertThat(numbered.length).as("bytes").isLessThan(plain.length / 2);
            assertThat(compressed(numbered)).as("compressed bytes").isLessThan(compressed(plain) * 11 / 20);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void equalKeysArriveAsOneObject(String encoding) throws Exception {
        ApplicationKeys.use(keys);
        meet(encoding);
        byte[] numbered = shuffled(encoding, ranks());
        List<Object> first = read(instance(), numbered);
        List<Object> second = read(instance(), numbered);
        int same = 0;
        for (int i = 0; i < PAGES; i++) {
            same += ((Tuple2<?, ?>) first.get(i))._1() == ((Tuple2<?, ?>) second.get(i))._1() ? 1 : 0;
        }
        assertThat(same).isGreaterThan(PAGES * 9 / 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"compact", "raw"})
    void whatOutlivesTheApplicationHasItsKeys(String encoding) throws Exception {
        Object[] ranks = ranks();
        byte[] before = write(instance("spark.heapspan.encoding", encoding), ranks);
        ApplicationKeys.use(keys);
        meet(encoding);
        assertThat(write(instance("spark.heapspan.encoding", encoding), ranks)).isEqualTo(before);
        byte[] numbered = shuffled(encoding, ranks);
        ApplicationKeys.end(keys);
        assertThatThrownBy(() -> read(instance(), numbered))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("the reader has no links");
    }
}
