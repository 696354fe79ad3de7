package org.heapspan.spark.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.heapspan.HeapspanException;
import org.heapspan.ObjectLinks;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

@Tag("once")
final class ClusterKeysTest {
    private final DriverKeys driver = new DriverKeys(1 << 20);
    private final List<ClusterKeys> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(ClusterKeys::close);
    }

    private ClusterKeys executor(ClusterKeys.Driver way) {
        return executor(way, Eventually.MOST_MILLIS);
    }

    private ClusterKeys executor(ClusterKeys.Driver way, long readerPatienceMillis) {
        ClusterKeys keys = new ClusterKeys(driver.id(), way, readerPatienceMillis, 10_000);
        opened.add(keys);
        return keys;
    }

    private ClusterKeys executor() {
        return executor(question -> driver.answer((KeysQuestion) question));
    }

    /** A string that is no constant of this class. */
    private static String key(int number) {
        return "http://example.org/page/" + number;
    }

    private static void meet(ClusterKeys keys, String key, int times) {
        for (int i = 0; i < times; i++) {
            keys.numberOf(key);
        }
    }

    private static long met(ClusterKeys keys, String key, int times) throws Exception {
        meet(keys, key, times);
        Eventually.holds(key + " has a number", () -> keys.numberOf(key) != ObjectLinks.NONE);
        return keys.numberOf(key);
    }

    @Test
    void keysOfPairsAreLinked() throws Exception {
        assertThat(executor().isLinked(Tuple2.class.getDeclaredField("_1"))).isTrue();
        assertThat(executor().isLinked(Tuple2.class.getDeclaredField("_2"))).isFalse();
    }

    @Test
    void aKeyThatComesAgainAndAgainHasANumber() throws Exception {
        ClusterKeys keys = executor();
        for (int i = 1; i < KeySightings.ENOUGH; i++) {
            assertThat(keys.numberOf(key(1))).isEqualTo(ObjectLinks.NONE);
        }
        assertThat(keys.size()).isZero();
        assertThat(met(keys, key(1), 1)).isZero();
        assertThat(keys.objectOf(0)).isEqualTo(key(1)).isSameAs(keys.objectOf(0));
    }

    @Test
    void whatIsShortLongOrNoStringHasNone() throws Exception {
        ClusterKeys keys = executor();
        for (Object each : List.of("short", "x".repeat(ClusterKeys.MOST_CHARACTERS + 1), 1234567890123L)) {
            for (int i = 0; i < 2 * KeySightings.ENOUGH; i++) {
                assertThat(keys.numberOf(each)).isEqualTo(ObjectLinks.NONE);
            }
        }
        assertThat(met(keys, key(1), KeySightings.ENOUGH)).isZero();
        assertThat(keys.size()).isEqualTo(1);
    }

    @Test
    void keysThatComeOnceHaveNoNumbers() {
        KeySightings sightings = new KeySightings();
        int enough = 0;
        for (int i = 0; i < 3_000_000; i++) {
            enough += sightings.isEnough("key " + i) ? 1 : 0;
        }
        assertThat(enough).isLessThan(10);
    }

    @Test
    void executorsHaveTheSameNumbers() throws Exception {
        ClusterKeys first = executor();
        ClusterKeys second = executor();
        assertThat(met(first, key(1), KeySightings.ENOUGH)).isZero();
        assertThat(met(second, key(2), KeySightings.ENOUGH)).isEqualTo(1);
        // Of a block that the other one has written.
        assertThat(first.objectOf(1)).isEqualTo(key(2));
        assertThat(second.objectOf(0)).isEqualTo(key(1));
        assertThat(executor().objectOf(1)).isEqualTo(key(2));
    }

    @Test
    void manyKeysComeInSeveralAnswers() throws Exception {
        DriverKeys large = new DriverKeys(1L << 30);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            all.add(key(i));
        }
        KeysAnswer answer = large.answer(new KeysQuestion(large.id(), 0, all));
        assertThat(answer.count()).isEqualTo(all.size());
        assertThat(answer.keys()).hasSizeLessThan(all.size());
        ClusterKeys keys = new ClusterKeys(large.id(), question -> large.answer((KeysQuestion) question));
        opened.add(keys);
        assertThat(keys.objectOf(all.size() - 1)).isEqualTo(all.get(all.size() - 1));
        assertThat(keys.objectOf(0)).isEqualTo(all.get(0));
    }

    @Test
    void theKeysAreBounded() throws Exception {
        DriverKeys small = new DriverKeys(3 * DriverKeys.sizeOf(key(1)));
        List<String> all = List.of(key(1), key(2), key(3), key(4), key(5));
        KeysAnswer answer = small.answer(new KeysQuestion(small.id(), 0, all));
        assertThat(answer.keys()).containsExactly(key(1), key(2), key(3));
        assertThat(answer.full()).isTrue();
        assertThat(small.answer(new KeysQuestion(small.id(), 3, all)).keys()).isEmpty();
        AtomicInteger asked = new AtomicInteger();
        ClusterKeys keys = new ClusterKeys(small.id(), question -> {
            asked.incrementAndGet();
            return small.answer((KeysQuestion) question);
        });
        opened.add(keys);
        assertThat(keys.objectOf(2)).isEqualTo(key(3));
        int before = asked.get();
        for (int i = 0; i < 2 * KeySightings.ENOUGH; i++) {
            assertThat(keys.numberOf(key(6))).isEqualTo(ObjectLinks.NONE);
        }
        assertThat(asked).hasValue(before);
    }

    @Test
    void aNumberThatTheDriverHasNotGivenIsAnError() {
        assertThatThrownBy(() -> executor().objectOf(7))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("key 7 of " + driver.id())
                .hasMessageContaining("it has 0 keys");
        assertThatThrownBy(() -> executor().objectOf(1L << 40))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("there is no such number");
        assertThatThrownBy(() -> new ClusterKeys(
                                new DriverKeys(1).id(), question -> driver.answer((KeysQuestion) question))
                        .objectOf(0))
                .isInstanceOf(HeapspanException.class);
    }

    @Test
    void anErrorFailsOneQuestionAndNotThoseAfterIt() throws Exception {
        assertThat(met(executor(), key(1), KeySightings.ENOUGH)).isZero();
        AtomicInteger asked = new AtomicInteger();
        ClusterKeys keys = new ClusterKeys(
                driver.id(),
                question -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("no room for the answer");
                    }
                    return driver.answer((KeysQuestion) question);
                },
                Eventually.MOST_MILLIS,
                1);
        opened.add(keys);
        assertThatThrownBy(() -> keys.objectOf(0))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("no room for the answer");
        assertThat(keys.objectOf(0)).isEqualTo(key(1));
    }

    @Test
    void readersSayWhyTheyHaveNoAnswerAndWritersDoNotWait() throws Exception {
        ClusterKeys failing = executor(question -> {
            throw new IOException("the driver is gone");
        });
        assertThatThrownBy(() -> failing.objectOf(0))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("the driver is gone");
        CountDownLatch answers = new CountDownLatch(1);
        ClusterKeys silent = executor(
                question -> {
                    answers.await();
                    return driver.answer((KeysQuestion) question);
                },
                100);
        for (int i = 0; i < 2 * KeySightings.ENOUGH; i++) {
            assertThat(silent.numberOf(key(1))).isEqualTo(ObjectLinks.NONE);
        }
        assertThatThrownBy(() -> silent.objectOf(0))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("no answer within 100 ms");
        // Only now does the driver answer.
        answers.countDown();
        assertThat(met(silent, key(1), 0)).isZero();
    }

    /** The driver gives a further number when it has answered a question and the answer is on its way. */
    @Test
    void aNumberThatIsYoungerThanAnAnswerIsAskedForAgain() throws Exception {
        CountDownLatch others = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        CountDownLatch isRead = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        ClusterKeys keys = executor(question -> {
            int number = asked.incrementAndGet();
            if (number == 1) {
                others.await();
            }
            KeysAnswer answer = driver.answer((KeysQuestion) question);
            if (number == 2) {
                answered.countDown();
                isRead.await();
            }
            return answer;
        });
        meet(keys, key(1), KeySightings.ENOUGH);
        Eventually.holds("the first key is asked for", () -> asked.get() == 1);
        meet(keys, key(2), KeySightings.ENOUGH);
        // Another executor asks for it as well, so that the first answer has its number, and the second has no key.
        assertThat(met(executor(), key(2), KeySightings.ENOUGH)).isZero();
        others.countDown();
        assertThat(answered.await(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(met(executor(), key(3), KeySightings.ENOUGH)).isEqualTo(2);
        FutureTask<Object> read = new FutureTask<>(() -> keys.objectOf(2));
        Thread reader = new Thread(read, "reader of a key");
        reader.start();
        Eventually.holds("the reader waits", () -> reader.getState() == Thread.State.TIMED_WAITING);
        isRead.countDown();
        assertThat(read.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)).isEqualTo(key(3));
    }
}
