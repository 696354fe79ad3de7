package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of the second heap, in folders where somebody else may be at work. */
@Tag("once")
final class UnlinkedFilesTest {
    private static final long SEGMENT_BYTES = 1 << 20;
    private static final int MOST_SEGMENTS = 20_000;
    private static final int ENOUGH_SWAPS = 200;

    @TempDir
    Path directory;

    /** Puts a link in the place of each file that it sees. */
    private static final class Attacker extends Thread {
        final AtomicInteger swaps = new AtomicInteger();
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final Path folder;
        private final Path link;
        private final Path victim;

        Attacker(Path folder, Path link, Path victim) {
            this.folder = folder;
            this.link = link;
            this.victim = victim;
        }

        @Override
        public void run() {
            while (!stopped.get()) {
                String[] names = folder.toFile().list();
                for (String name : names == null ? new String[0] : names) {
                    if (swap(folder.resolve(name))) {
                        swaps.incrementAndGet();
                    }
                }
            }
        }

        private boolean swap(Path name) {
            try {
                Files.deleteIfExists(link);
                Files.createSymbolicLink(link, victim);
                Files.move(link, name, StandardCopyOption.ATOMIC_MOVE);
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        void end() throws InterruptedException {
            stopped.set(true);
            join();
        }
    }

    @Test
    void nameThatLeadsElsewhereIsNotFollowed() throws Exception {
        Path victim = Files.writeString(directory.resolve("victim"), "what somebody else has");
        Path folder = Files.createDirectory(directory.resolve("heap"));
        UnlinkedFiles files = new UnlinkedFiles(folder, 0);
        Attacker attacker = new Attacker(folder, directory.resolve("link"), victim);
        attacker.start();
        try {
            for (int i = 0; i < MOST_SEGMENTS && attacker.swaps.get() < ENOUGH_SWAPS; i++) {
                Storage.Segment segment;
                try {
                    segment = files.create(SEGMENT_BYTES);
                } catch (IOException e) {
                    // The name could not be deleted: the attacker was between deleting and linking.
                    continue;
                }
                segment.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), 0);
                assertThat(segment.mapped().get(2)).isEqualTo((byte) 3);
                segment.close();
            }
        } finally {
            attacker.end();
        }
        assertThat(attacker.swaps.get()).as("names that were swapped").isPositive();
        assertThat(victim).hasContent("what somebody else has");
    }

    private static void mode(Path folder, int mode) throws IOException {
        Files.setAttribute(folder, "unix:mode", mode);
    }

    @Test
    void folderInWhichEverybodyReplacesFilesIsRefused() throws IOException {
        mode(directory, 0777);
        assertThatThrownBy(() -> SecondHeap.open(directory, SecondHeapOptions.capacity(64 << 20)))
                .isInstanceOfSatisfying(
                        SecondHeapException.class, e -> assertThat(e.category()).isEqualTo(Category.IO))
                .hasMessageContaining(directory + " has mode 777")
                .hasMessageContaining("chmod o-w")
                .hasMessageContaining("chmod +t");
    }

    @Test
    void folderLikeTheSystemsForTemporaryFilesIsTaken() throws IOException {
        mode(directory, 01777);
        try (SecondHeap heap = SecondHeap.open(directory, SecondHeapOptions.capacity(64 << 20));
                H2Sequence<Sample> sequence = heap.append(Label.of(1), Sample.list(0, 100))) {
            assertThat(sequence.elementCount()).isEqualTo(100);
        }
    }

    @Test
    void folderIsMadeForItsOwnerOnly() throws IOException {
        Path folder = directory.resolve("of").resolve("its own");
        SecondHeap.open(folder, SecondHeapOptions.capacity(64 << 20)).close();
        assertThat((int) Files.getAttribute(folder, "unix:mode") & 07777).isEqualTo(0700);
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void linkToAFolderIsTaken() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("folder"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), folder);
        SecondHeap.open(link, SecondHeapOptions.capacity(64 << 20)).close();
    }

    @Test
    void segmentIsAsLongAndAsEmptyAsBeforeOnceItIsDiscarded() throws IOException {
        UnlinkedFiles files = new UnlinkedFiles(directory, 0);
        Storage.Segment segment = files.create(SEGMENT_BYTES);
        int last = (int) SEGMENT_BYTES - 1;
        segment.write(ByteBuffer.wrap(new byte[] {7}), last);
        assertThat(segment.mapped().get(last)).isEqualTo((byte) 7);
        segment.discard();
        assertThat(segment.mapped().get(last)).isZero();
        segment.write(ByteBuffer.wrap(new byte[] {8}), 0);
        assertThat(segment.mapped().get(0)).isEqualTo((byte) 8);
        segment.close();
    }

    @Test
    void segmentHasOneMappingHoweverOftenItIsDiscarded() throws IOException {
        Storage.Segment segment = new UnlinkedFiles(directory, 0).create(SEGMENT_BYTES);
        for (int i = 0; i < 1000; i++) {
            segment.discard();
        }
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            assertThat(mappings.filter(each -> each.contains(directory.resolve("heapspan-h2-") + "")))
                    .hasSize(1);
        }
        segment.close();
    }
}
