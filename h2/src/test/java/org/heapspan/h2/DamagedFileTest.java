package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages that cannot be read, as the system reports them for a broken device and for a file that somebody has cut off. */
final class DamagedFileTest {
    private static final int SAMPLES = 20_000;

    /** So often that reading is compiled, where the JVM throws later than at the access. */
    private static final int ROUNDS = 60;

    @TempDir
    Path directory;

    private static long sum(H2Sequence<Sample> sequence) {
        return StreamSupport.stream(sequence.elements().spliterator(), false)
                .mapToLong(sample -> sample.number)
                .sum();
    }

    private static void isFailureOfTheDevice(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        SecondHeapException.class, e -> assertThat(e.category()).isEqualTo(Category.IO))
                .hasMessageContaining("unsafe memory access operation")
                .hasMessageContaining("errors of the device");
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(cause).isNotInstanceOf(VirtualMachineError.class);
        }
    }

    @Test
    void fileThatWasCutOffFailsTheReaderAndNotTheProcess() throws Exception {
        long expected = (long) SAMPLES * (SAMPLES - 1) / 2;
        try (SecondHeap heap = SecondHeap.open(directory, SecondHeapOptions.capacity(256 << 20))) {
            H2Sequence<Sample> sequence = heap.append(Label.of(1), Sample.list(0, SAMPLES));
            H2Handle<List<Sample>> root = heap.tagRoot(new ArrayList<>(Sample.list(0, 100)), Label.of(2));
            heap.move(Label.of(2));
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(sum(sequence)).isEqualTo(expected);
            }
            OpenFiles.cutOff(directory);
            for (int i = 0; i < ROUNDS; i++) {
                assertThatThrownBy(() -> sum(sequence)).satisfies(DamagedFileTest::isFailureOfTheDevice);
                assertThatThrownBy(root::get).satisfies(DamagedFileTest::isFailureOfTheDevice);
            }
            sequence.close();
            root.close();
            try (H2Sequence<Sample> again = heap.append(Label.of(3), Sample.list(0, SAMPLES))) {
                assertThat(sum(again)).isEqualTo(expected);
            }
        }
    }
}
