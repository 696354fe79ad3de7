package org.heapspan.spark.broadcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.heapspan.HostBytes.Content;
import org.heapspan.spark.statistics.SharedBroadcasts;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two executors, both in this process. */
final class HostFilesTest {
    private static final byte[] BYTES = {1, 2, 3, 4, 5};

    @TempDir
    Path base;

    private final Set<Long> here = ConcurrentHashMap.newKeySet();
    private final AtomicInteger fetches = new AtomicInteger();
    private final SharedBroadcasts counters = new SharedBroadcasts();
    private HostFiles first;
    private HostFiles second;
    private Path folder;
    private String application;

    @BeforeEach
    void enter() throws IOException {
        application = UUID.randomUUID().toString();
        SharingFolder ofFirst = SharingFolder.enter(base, application, "1");
        folder = ofFirst.path();
        first = new HostFiles(ofFirst, here::contains, counters);
        second = new HostFiles(SharingFolder.enter(base, application, "2"), here::contains, counters);
    }

    @AfterEach
    void leave() {
        first.close();
        second.close();
        assertThat(base).isEmptyDirectory();
    }

    private Content content() {
        return target -> {
            fetches.incrementAndGet();
            target.write(BYTES);
        };
    }

    private static byte[] bytes(List<MappedByteBuffer> buffers) {
        assertThat(buffers).hasSize(1);
        byte[] bytes = new byte[buffers.get(0).remaining()];
        buffers.get(0).duplicate().get(bytes);
        return bytes;
    }

    @Test
    void oneFetchesForBoth() throws IOException {
        assertThat(bytes(first.open(7, content()))).isEqualTo(BYTES);
        assertThat(bytes(second.open(7, content()))).isEqualTo(BYTES);
        assertThat(fetches).hasValue(1);
        assertThat(counters.storedCount()).isEqualTo(1);
        assertThat(counters.foundBytes()).isEqualTo(BYTES.length);
    }

    @Test
    void theOtherOneWaits() throws Exception {
        CountDownLatch fetching = new CountDownLatch(1);
        CountDownLatch ready = new CountDownLatch(1);
        Content slow = target -> {
            fetching.countDown();
            try {
                assertThat(ready.await(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            content().writeTo(target);
        };
        // Threads of their own: a pool may have one for both.
        FutureTask<List<MappedByteBuffer>> opened = new FutureTask<>(() -> first.open(7, slow));
        new Thread(opened, "fetching").start();
        fetching.await();
        FutureTask<List<MappedByteBuffer>> waiting = new FutureTask<>(() -> second.open(7, content()));
        Thread reader = new Thread(waiting, "waiting");
        reader.start();
        Eventually.holds("the other one waits", () -> reader.getState() == Thread.State.TIMED_WAITING);
        assertThat(waiting).isNotDone();
        ready.countDown();
        assertThat(bytes(waiting.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS)))
                .isEqualTo(BYTES);
        assertThat(bytes(opened.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))).isEqualTo(BYTES);
        assertThat(fetches).hasValue(1);
    }

    @Test
    void filesGoWithTheLastExecutorThatHasTheBroadcast() throws IOException {
        Path file = folder.resolve("7");
        first.open(7, content());
        first.sweep();
        assertThat(file).as("while it is read").exists();
        here.add(7L);
        second.open(7, content());
        first.close(7);
        second.close(7);
        first.sweep();
        second.sweep();
        assertThat(file).as("while executors have it").exists();
        here.clear();
        // The process has one lock, which is that of the first.
        second.sweep();
        assertThat(file).as("while the other one has it").exists();
        first.sweep();
        assertThat(file).doesNotExist();
    }

    @Test
    void aSweepThatFailsIsNotTheLastOne() throws Exception {
        Path file = folder.resolve("7");
        AtomicInteger failures = new AtomicInteger();
        AtomicBoolean fails = new AtomicBoolean(true);
        try (HostFiles third = new HostFiles(
                SharingFolder.enter(base, application, "3"),
                broadcast -> {
                    if (fails.get()) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("the block manager is not there");
                    }
                    return false;
                },
                counters,
                1)) {
            third.open(7, content());
            third.close(7);
            third.startSweeping();
            Eventually.holds("a sweep has failed twice", () -> failures.get() >= 2);
            assertThat(file).exists();
            fails.set(false);
            Eventually.holds("the file is gone", () -> Files.notExists(file));
        }
    }

    @Test
    void whereNothingCanBeStoredEachReadsByItself() throws IOException {
        assertThatThrownBy(() -> first.open(7, target -> {
                    throw new IOException("no space left");
                }))
                .hasMessage("no space left");
        assertThat(second.open(7, content())).isNull();
        assertThat(fetches).hasValue(0);
        assertThat(counters.aloneCount()).isEqualTo(1);
        assertThat(Files.exists(folder.resolve("7"))).isFalse();
    }

    @Test
    void aKilledTaskLeavesTheBytesToTheNextExecutor() throws IOException {
        assertThatThrownBy(() -> first.open(7, target -> {
                    Thread.currentThread().interrupt();
                    target.write(BYTES);
                }))
                .isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        // Who waits for blocks gets an exception, and is not interrupted any more.
        assertThatThrownBy(() -> first.open(7, target -> {
                    throw new IOException(new InterruptedException());
                }))
                .hasCauseInstanceOf(InterruptedException.class);
        first.failed(7, new IOException(new InterruptedException()));
        assertThat(Thread.interrupted()).as("interrupted again, for Spark").isTrue();
        assertThat(counters.aloneCount()).isZero();
        first.failed(7, new IOException("no space left"));
        assertThat(counters.aloneCount()).isEqualTo(1);
        assertThat(bytes(second.open(7, content()))).isEqualTo(BYTES);
        assertThat(fetches).hasValue(1);
    }

    @Test
    void aTaskThatWasKilledAsItOpenedAFileDoesNotCloseItForOthers() throws IOException {
        here.add(7L);
        first.open(7, content());
        first.close(7);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> first.open(7, content())).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(bytes(first.open(7, content()))).isEqualTo(BYTES);
    }

    @Test
    void anExecutorThatIsAloneStoresNothing() throws IOException {
        second.close();
        assertThat(first.open(7, content())).isNull();
        assertThat(folder.resolve("7")).doesNotExist();
    }
}
