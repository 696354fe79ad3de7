package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
        Path path = directory.resolve("file");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(content));
            boolean made = FileSpace.makeHole(file, 64 << 10, 128 << 10);
            assertThat(made).isEqualTo(VirtualMachine.current().means() == AccessMeans.NATIVE_LIBRARY);
            assumeThat(made).isTrue();

            Arrays.fill(content, 64 << 10, 192 << 10, (byte) 0);
            assertThat(Files.readAllBytes(path)).isEqualTo(content);
        }
    }

    @Test
    void closedFileIsAFailureThatSaysSo() throws IOException {
        assumeThat(VirtualMachine.current().means()).isEqualTo(AccessMeans.NATIVE_LIBRARY);
        FileChannel file =
                FileChannel.open(directory.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        file.close();
        assertThatThrownBy(() -> FileSpace.makeHole(file, 0, 4096))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("4096 bytes at 0");
    }
}
