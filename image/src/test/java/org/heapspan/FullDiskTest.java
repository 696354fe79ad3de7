package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Writing to a device on which no space is left: Linux has one for tests. */
@Tag("once")
final class FullDiskTest {
    private static final Path FULL = Path.of("/dev/full");
    private static final Heapspan HEAPSPAN = Heapspan.create();

    @BeforeEach
    void needsTheDevice() {
        assumeThat(FULL).exists().isWritable();
    }

    private static List<Object> graph(int size) {
        List<Object> graph = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            graph.add(new GroupScopeTest.Node(i));
            graph.add("text " + i);
        }
        return graph;
    }

    private static void assertNoSpace(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IOException.class).hasMessageContaining("No space left on device");
    }

    private static void assertWorks(Heapspan heapspan) {
        List<?> copy = heapspan.decode(heapspan.encode(graph(10)), List.class);
        assertThat(copy).hasSize(20);
        assertThat(copy.get(19)).isEqualTo("text 9");
    }

    /** Small graphs fail with their only write, large ones within the traversal. */
    @Test
    void encodeToStreamOrChannelFailsAndLeavesTheInstanceIntact() throws IOException {
        for (int size : new int[] {1, 100_000}) {
            try (OutputStream stream = new FileOutputStream(FULL.toFile());
                    FileChannel channel = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
                for (int attempt = 0; attempt < 3; attempt++) {
                    assertNoSpace(() -> HEAPSPAN.encodeTo(graph(size), stream));
                    assertWorks(HEAPSPAN);
                    assertNoSpace(() -> HEAPSPAN.encodeTo(graph(size), channel));
                    assertWorks(HEAPSPAN);
                }
            }
        }
    }

    @Test
    void objectStreamFailsAtFlushAndStaysFailed() throws IOException {
        OutputStream target = new FileOutputStream(FULL.toFile());
        HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(target, HEAPSPAN);
        output.writeObject(graph(1));
        assertNoSpace(output::flush);
        assertThatThrownBy(() -> output.writeObject("more"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(output::flush).isInstanceOf(IOException.class);
        output.close();
        assertThatThrownBy(() -> target.write(1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Closed");
        assertWorks(HEAPSPAN);
    }

    @Test
    void objectStreamFailsWithinALargeObject() throws IOException {
        try (OutputStream target = new FileOutputStream(FULL.toFile())) {
            HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(target, HEAPSPAN);
            assertNoSpace(() -> output.writeObject(graph(100_000)));
            output.close();
        }
        assertWorks(HEAPSPAN);
    }

    /** What was written and never left must not be taken for stored. */
    @Test
    void closingAnObjectStreamTellsThatObjectsAreLost() throws IOException {
        AtomicBoolean closed = new AtomicBoolean();
        OutputStream target = new FileOutputStream(FULL.toFile()) {
            @Override
            public void close() throws IOException {
                closed.set(true);
                super.close();
            }
        };
        HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(target, HEAPSPAN);
        output.writeObject("text");
        assertNoSpace(output::close);
        assertThat(closed).isTrue();
        assertWorks(HEAPSPAN);
    }

    /** A group that could not be stored is still there until the next record is written. */
    @Test
    void groupCanBeWrittenElsewhere() throws IOException {
        for (IdentityScope scope : IdentityScope.values()) {
            GroupWriter writer = HEAPSPAN.groupWriter(scope);
            for (int round = 0; round < 2; round++) {
                writer.write(graph(3));
                writer.write("end " + round);
                ByteBuffer group = writer.finishInPlace();
                try (FileChannel channel = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
                    assertNoSpace(() -> channel.write(group));
                }
                Path elsewhere = Files.createTempFile("heapspan", ".group");
                try {
                    try (FileChannel channel = FileChannel.open(elsewhere, StandardOpenOption.WRITE)) {
                        channel.write(group);
                    }
                    GroupReader reader = HEAPSPAN.groupReader(Files.readAllBytes(elsewhere));
                    assertThat((List<?>) reader.next()).hasSize(6);
                    assertThat(reader.next()).isEqualTo("end " + round);
                    assertThat(reader.hasNext()).isFalse();
                } finally {
                    Files.delete(elsewhere);
                }
            }
        }
    }

    /** The same stream of objects goes on to another place once the first has failed. */
    @Test
    void nothingOfAFailedStreamGetsIntoTheNext() throws Exception {
        HeapspanObjectOutputStream failing =
                new HeapspanObjectOutputStream(new FileOutputStream(FULL.toFile()), HEAPSPAN);
        Object shared = new GroupScopeTest.Node(7);
        failing.writeObject(shared);
        assertNoSpace(failing::close);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(bytes, HEAPSPAN)) {
            output.writeObject(shared);
        }
        try (HeapspanObjectInputStream input =
                new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()), HEAPSPAN)) {
            assertThat(((GroupScopeTest.Node) input.readObject()).number).isEqualTo(7);
        }
    }
}
