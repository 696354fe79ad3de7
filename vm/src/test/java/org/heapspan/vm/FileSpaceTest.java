package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileSpaceTest {
    @TempDir
    Path directory;

    @Test
    void holeReadsAsZerosAndTheRestStays() throws IOException {
        byte[] content = new byte[256 << 10];
        Arrays.fill(content, (byte) 7);
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("file").toFile(), "rw")) {
            file.write(content);
            boolean made = FileSpace.makeHole(file.getFD(), 64 << 10, 128 << 10);
            assertThat(made).isEqualTo(VirtualMachine.current().means() == AccessMeans.NATIVE_LIBRARY);
            assumeThat(made).isTrue();

            byte[] found = new byte[content.length];
            file.seek(0);
            file.readFully(found);
            Arrays.fill(content, 64 << 10, 192 << 10, (byte) 0);
            assertThat(found).isEqualTo(content);
        }
    }

    @Test
    void closedFileIsAFailureThatSaysSo() throws IOException {
        assumeThat(VirtualMachine.current().means()).isEqualTo(AccessMeans.NATIVE_LIBRARY);
        RandomAccessFile file = new RandomAccessFile(directory.resolve("file").toFile(), "rw");
        file.close();
        assertThatThrownBy(() -> FileSpace.makeHole(file.getFD(), 0, 4096))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("4096 bytes at 0");
    }
}
