package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.heapspan.Heapspan;
import org.heapspan.Mode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is in the files says nothing to whoever reads them, and is what it was to whoever has the handle. */
@Tag("once")
final class EncryptionTest {
    private static final int BLOCK_BYTES = 16;
    private static final int REGION_BYTES = 1 << 20;
    private static final SecondHeapOptions OPTIONS = SecondHeapOptions.capacity(16 * REGION_BYTES)
            .withRegionBytes(REGION_BYTES)
            .withoutThresholds()
            .withEncryption(128);

    @TempDir
    Path directory;

    // ---------------------------------------------------------------- secrecy

    private boolean filesHold(String text) throws IOException {
        boolean found = false;
        List<Path> files = OpenFiles.of(directory);
        assertThat(files).isNotEmpty();
        for (Path file : files) {
            String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            found |= content.contains(text);
        }
        return found;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 128, 192, 256})
    void filesHoldNoTextOfTheObjects(int keyBits) throws IOException {
        SecondHeapOptions options =
                SecondHeapOptions.capacity(16 * REGION_BYTES).withRegionBytes(REGION_BYTES);
        try (SecondHeap heap = SecondHeap.open(directory, keyBits == 0 ? options : options.withEncryption(keyBits));
                H2Sequence<Sample> sequence = heap.append(Label.of(1), Sample.list(0, 20_000))) {
            assertThat(filesHold("sample 12345")).isEqualTo(keyBits == 0);
            assertThat(sequence.get()).isEqualTo(Sample.list(0, 20_000));
        }
    }

    // ---------------------------------------------------------------- counters

    /** Remembers each block that was ever written: of zeros they are the bytes of the cipher's own stream. */
    private static final class Recording implements Storage {
        final FailingStorage storage = new FailingStorage();
        final Set<Block> blocks = new HashSet<>();
        final List<Long> repeated = new ArrayList<>();

        private record Block(long first, long second) {}

        @Override
        public Segment create(long sizeBytes) {
            return new Recorded(storage.create(sizeBytes));
        }

        private final class Recorded implements Segment {
            private final Segment segment;

            Recorded(Segment segment) {
                this.segment = segment;
            }

            @Override
            public void write(ByteBuffer bytes, long offset) throws IOException {
                int from = (int) (-offset & (BLOCK_BYTES - 1));
                for (int i = from; i + BLOCK_BYTES <= bytes.remaining(); i += BLOCK_BYTES) {
                    int position = bytes.position() + i;
                    if (!blocks.add(new Block(bytes.getLong(position), bytes.getLong(position + 8)))) {
                        repeated.add(offset + i);
                    }
                }
                segment.write(bytes, offset);
            }

            @Override
            public ByteBuffer mapped() {
                return segment.mapped();
            }

            @Override
            public boolean isResident(long offset) {
                return segment.isResident(offset);
            }

            @Override
            public void load(long offset, int length) {
                segment.load(offset, length);
            }

            @Override
            public void discard() throws IOException {
                segment.discard();
            }

            @Override
            public boolean giveBack(long offset, int length) throws IOException {
                return segment.giveBack(offset, length);
            }

            @Override
            public void close() {
                segment.close();
            }
        }
    }

    private static List<byte[]> zeros(int count, int length) {
        return new ArrayList<>(Collections.nCopies(count, new byte[length]));
    }

    @Test
    void noCounterIsUsedTwiceHoweverOftenRegionsAreUsed() {
        Recording storage = new Recording();
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage))) {
            H2Sequence<byte[]> kept = heap.append(Label.of(0), zeros(7, 10_007));
            for (int round = 1; round <= 5; round++) {
                // Pieces of odd lengths, several to a region; and one that takes several regions.
                H2Sequence<byte[]> small = heap.append(Label.of(round), zeros(101, 30_011));
                H2Sequence<byte[]> large = heap.append(Label.of(-round), zeros(1, 3 * REGION_BYTES + 13));
                assertThat(small.elementCount()).isEqualTo(101);
                assertThat(small.element(77)).isEqualTo(new byte[30_011]);
                assertThat(large.element(0)).isEqualTo(new byte[3 * REGION_BYTES + 13]);
                small.close();
                large.close();
            }
            assertThat(kept.get()).hasSize(7).allMatch(each -> Arrays.equals(each, new byte[10_007]));
        }
        assertThat(storage.blocks.size()).isGreaterThan(1_000_000);
        assertThat(storage.repeated.size()).isZero();
    }

    /** A region comes free and is taken by others while something is still to be written to it for those before. */
    @Test
    void noCounterIsUsedTwiceWhereTwoWaitToWriteToOneRegion() throws Exception {
        Recording storage = new Recording();
        StorageThread thread = new StorageThread(OPTIONS);
        Regions regions = new Regions(OPTIONS, storage, thread);
        ElementCodec codec =
                new ElementCodec(Heapspan.builder().mode(Mode.CLONE).build(), 64 << 10, null);
        LabelSpace first = new LabelSpace(Label.of(1), 1);
        LabelSpace second = new LabelSpace(Label.of(2), 2);
        // So that the segment stays.
        write(regions, thread, first, codec, 1);
        for (int round = 0; round < 3; round++) {
            Residence given = write(regions, thread, second, codec, 5);
            given.release();
        }
        write(regions, thread, second, codec, 5);
        thread.start();
        thread.close();
        assertThat(storage.storage.writes.get()).isEqualTo(5);
        assertThat(storage.blocks.size()).isGreaterThan(20 * 10_000 / BLOCK_BYTES);
        assertThat(storage.repeated.size()).isZero();
    }

    private static Residence write(
            Regions regions, StorageThread thread, LabelSpace space, ElementCodec codec, int pieces) {
        Residence residence = new Residence(regions, space, codec);
        RegionWriter writer = new RegionWriter(regions, thread, space);
        for (int i = 0; i < pieces; i++) {
            writer.add(ByteBuffer.allocate(10_001), 1, residence);
        }
        writer.flush();
        return residence;
    }

    @Test
    void heapsHaveKeysOfTheirOwn() {
        Recording storage = new Recording();
        for (int i = 0; i < 2; i++) {
            try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage));
                    H2Sequence<byte[]> zeros = heap.append(Label.of(1), zeros(20, 30_000))) {
                assertThat(zeros.elementCount()).isEqualTo(20);
            }
        }
        assertThat(storage.repeated.size()).isZero();
    }

    // ---------------------------------------------------------------- everything works as without

    @Test
    void elementsUpdatesAndSharedObjects() {
        SharedObjects shared = SharedObjects.inFields(field -> field.getName().equals("next"));
        try (SecondHeap heap =
                SecondHeap.open(directory, OPTIONS.withShared(shared).withKept(1 << 20))) {
            List<Sample> samples = Sample.list(0, 10_000);
            Sample common = new Sample(77);
            samples.forEach(sample -> sample.next = common);
            H2Sequence<Sample> sequence = heap.append(Label.of(1), samples);
            sequence.updateElement(5_000, sample -> new Sample(-5));
            assertThat(sequence.element(5_000)).isEqualTo(new Sample(-5));
            assertThat(sequence.element(9_999)).isEqualTo(samples.get(9_999));
            Iterator<Sample> elements = sequence.iterator();
            Sample one = elements.next();
            assertThat(one.next).isEqualTo(common).isSameAs(elements.next().next);

            H2Handle<List<Sample>> root = heap.tagRoot(new ArrayList<>(Sample.list(0, 100)), Label.of(2));
            heap.move(Label.of(2));
            root.update(list -> {
                list.remove(0);
                return list;
            });
            assertThat(root.get()).isEqualTo(Sample.list(1, 99));
        }
    }

    @Test
    void whatCouldNotBeWrittenIsGivenBack() {
        FailingStorage storage = new FailingStorage();
        storage.failingWrite.set(1);
        try (SecondHeap heap = SecondHeap.open(directory, OPTIONS.withStorage(storage));
                H2Appender<Sample> appender = heap.appender(Label.of(1))) {
            assertThatThrownBy(() -> {
                        appender.addAll(Sample.list(0, 60_000).iterator());
                        appender.finish();
                    })
                    .isInstanceOf(SecondHeapException.class);
            long taken = appender.elementCount();
            List<Sample> all = new ArrayList<>();
            appender.takeBack().forEachRemaining(all::add);
            assertThat(all).isEqualTo(Sample.list(0, (int) taken)).isNotEmpty();
        }
    }
}
