package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OptionalDataException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.io.Serializable;
import java.io.StreamCorruptedException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.GeneratedClass;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public final class HeapspanObjectStreamTest {
    private static final Duration PATIENCE = Duration.ofSeconds(Eventually.MOST_SECONDS);

    static final class Node implements Serializable {
        int value;
        Node next;

        Node(int value) {
            this.value = value;
        }
    }

    private interface Writing {
        void to(ObjectOutputStream stream) throws IOException;
    }

    private static byte[] written(Writing writing) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new HeapspanObjectOutputStream(bytes)) {
            writing.to(stream);
        }
        return bytes.toByteArray();
    }

    private static ObjectInputStream open(byte[] bytes) throws IOException {
        return new HeapspanObjectInputStream(new ByteArrayInputStream(bytes));
    }

    @Test
    void interleavesPrimitivesTextsAndObjects() throws Exception {
        Node node = new Node(5);
        byte[] bytes = written(stream -> {
            stream.writeBoolean(true);
            stream.writeByte(-3);
            stream.writeShort(-300);
            stream.writeChar('€');
            stream.writeInt(Integer.MIN_VALUE);
            stream.writeObject(node);
            stream.writeLong(Long.MAX_VALUE);
            stream.writeFloat(1.5f);
            stream.writeDouble(-0.0);
            stream.writeUTF("Grüße \0 €");
            stream.writeUTF("");
            stream.writeObject(node);
            stream.write(new byte[] {1, 2, 3, 4}, 1, 2);
            stream.write(255);
            stream.writeBytes("abc");
            stream.writeChars("xy");
            stream.writeObject(null);
            stream.write(new byte[5000]);
            stream.writeInt(42);
        });
        try (ObjectInputStream stream = open(bytes)) {
            assertThat(stream.readBoolean()).isTrue();
            assertThat(stream.readByte()).isEqualTo((byte) -3);
            assertThat(stream.readShort()).isEqualTo((short) -300);
            assertThat(stream.readChar()).isEqualTo('€');
            assertThat(stream.readInt()).isEqualTo(Integer.MIN_VALUE);
            Node first = (Node) stream.readObject();
            assertThat(first.value).isEqualTo(5);
            assertThat(stream.readLong()).isEqualTo(Long.MAX_VALUE);
            assertThat(stream.readFloat()).isEqualTo(1.5f);
            assertThat(stream.readDouble()).isEqualTo(-0.0);
            assertThat(stream.readUTF()).isEqualTo("Grüße \0 €");
            assertThat(stream.readUTF()).isEmpty();
            assertThat(stream.readObject()).isSameAs(first);
            assertThat(stream.readUnsignedByte()).isEqualTo(2);
            assertThat(stream.read()).isEqualTo(3);
            assertThat(stream.read()).isEqualTo(255);
            byte[] letters = new byte[3];
            stream.readFully(letters);
            assertThat(letters).isEqualTo(new byte[] {'a', 'b', 'c'});
            assertThat(stream.readChar()).isEqualTo('x');
            assertThat(stream.readChar()).isEqualTo('y');
            assertThat(stream.readObject()).isNull();
            assertThat(stream.skipBytes(4000)).isEqualTo(4000);
            stream.readFully(new byte[1000]);
            assertThat(stream.readInt()).isEqualTo(42);
            assertThatThrownBy(stream::readObject).isExactlyInstanceOf(EOFException.class);
            assertThatThrownBy(stream::readInt).isExactlyInstanceOf(EOFException.class);
            assertThat(stream.read()).isEqualTo(-1);
            assertThatThrownBy(stream::readObject).isExactlyInstanceOf(EOFException.class);
        }
    }

    @Test
    void sharesObjectsUntilReset() throws Exception {
        Node shared = new Node(1);
        byte[] bytes = written(stream -> {
            stream.writeObject(List.of(shared, "text"));
            stream.writeObject(shared);
            shared.value = 2;
            stream.writeObject(shared);
            stream.reset();
            stream.writeObject(shared);
            stream.writeObject(shared);
            stream.reset();
            stream.reset();
            stream.writeObject("end");
        });
        try (ObjectInputStream stream = open(bytes)) {
            Object inList = ((List<?>) stream.readObject()).get(0);
            Node second = (Node) stream.readObject();
            assertThat(second).isSameAs(inList);
            assertThat(stream.readObject()).isSameAs(second);
            assertThat(second.value).isEqualTo(1);
            Node afterReset = (Node) stream.readObject();
            assertThat(afterReset).isNotSameAs(second);
            assertThat(afterReset.value).isEqualTo(2);
            assertThat(stream.readObject()).isSameAs(afterReset);
            assertThat(stream.readObject()).isEqualTo("end");
        }
    }

    @Test
    void writesUnsharedObjectsAnew() throws Exception {
        Node node = new Node(1);
        byte[] bytes = written(stream -> {
            stream.writeUnshared(node);
            node.value = 2;
            stream.writeUnshared(node);
            node.value = 3;
            stream.writeObject(node);
            stream.writeObject(node);
        });
        try (ObjectInputStream stream = open(bytes)) {
            assertThat(((Node) stream.readUnshared()).value).isEqualTo(1);
            assertThat(((Node) stream.readUnshared()).value).isEqualTo(2);
            Node shared = (Node) stream.readObject();
            assertThat(shared.value).isEqualTo(3);
            assertThat(stream.readObject()).isSameAs(shared);
        }
    }

    @Test
    void keepsSharingAcrossThousandsOfObjects() throws Exception {
        Node[] nodes = new Node[20_000];
        Arrays.setAll(nodes, Node::new);
        byte[] bytes = written(stream -> {
            for (int i = 0; i < nodes.length; i++) {
                nodes[i].next = nodes[(i * 31 + 7) % nodes.length];
                stream.writeObject(nodes[i]);
            }
        });
        try (ObjectInputStream stream = open(bytes)) {
            Node[] copies = new Node[nodes.length];
            for (int i = 0; i < nodes.length; i++) {
                Node copy = (Node) stream.readObject();
                copies[copy.value] = copy;
                assertThat(copy.value).isEqualTo(i);
            }
            // Each was written when it was first reached, with the links it had then.
            for (Node copy : copies) {
                assertThat(copy.next == null || copies[copy.next.value] == copy.next)
                        .isTrue();
            }
        }
    }

    @Test
    void givesOptionalDataWhereDataComesFirst() throws Exception {
        byte[] bytes = written(stream -> {
            stream.writeInt(7);
            stream.writeObject("x");
        });
        try (ObjectInputStream stream = open(bytes)) {
            assertThatThrownBy(stream::readObject).isInstanceOfSatisfying(OptionalDataException.class, e -> {
                assertThat(e.length).isEqualTo(4);
                assertThat(e.eof).isFalse();
            });
            assertThat(stream.readInt()).isEqualTo(7);
            assertThatThrownBy(stream::readByte).isInstanceOf(EOFException.class);
            assertThat(stream.readObject()).isEqualTo("x");
        }
    }

    @Test
    void makesObjectsReadableByFlush() {
        assertTimeoutPreemptively(PATIENCE, () -> {
            try (PipedInputStream end = new PipedInputStream(1 << 16);
                    ObjectOutputStream output = new HeapspanObjectOutputStream(new PipedOutputStream(end))) {
                ObjectInputStream input = new HeapspanObjectInputStream(end);
                for (int i = 0; i < 100; i++) {
                    output.writeObject(new Node(i));
                    output.writeInt(i);
                    output.flush();
                    assertThat(((Node) input.readObject()).value).isEqualTo(i);
                    assertThat(input.readInt()).isEqualTo(i);
                }
                output.close();
                assertThatThrownBy(input::readObject).isInstanceOf(EOFException.class);
            }
        });
    }

    /** The writer does not go on before the reader has the first objects. */
    @Test
    void deliversFirstObjectsWhileLaterOnesAreWritten() {
        assertTimeoutPreemptively(PATIENCE, () -> {
            int count = 100;
            CountDownLatch firstArrived = new CountDownLatch(1);
            PipedInputStream end = new PipedInputStream(1 << 20);
            PipedOutputStream start = new PipedOutputStream(end);
            CompletableFuture<Boolean> writer = CompletableFuture.supplyAsync(() -> {
                boolean overlap = false;
                try (ObjectOutputStream output = new HeapspanObjectOutputStream(start)) {
                    for (int i = 0; i < count; i++) {
                        output.writeObject(new byte[50_000]);
                        if (i == count / 2) {
                            overlap = firstArrived.await(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
                        }
                    }
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
                return overlap;
            });
            try (ObjectInputStream input = new HeapspanObjectInputStream(end)) {
                for (int i = 0; i < count; i++) {
                    assertThat((byte[]) input.readObject()).hasSize(50_000);
                    firstArrived.countDown();
                }
            }
            assertThat(writer.get()).isTrue();
        });
    }

    /** Bytes of one large graph leave before its traversal ends: its last part is made only then. */
    @Test
    void sendsBytesOfAGraphWhileItIsTraversed() throws Exception {
        CountingOutput target = new CountingOutput();
        Late late = new Late(target);
        try (ObjectOutputStream stream = new HeapspanObjectOutputStream(target)) {
            stream.writeObject(new Object[] {new long[200_000], late});
        }
        assertThat(late.sentBefore).isGreaterThan(1_000_000);
    }

    private static final class CountingOutput extends OutputStream {
        private long count;

        @Override
        public void write(int value) {
            count++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            count += length;
        }
    }

    static final class Late implements Serializable {
        private final transient CountingOutput target;
        private transient long sentBefore;

        Late(CountingOutput target) {
            this.target = target;
        }

        private void writeObject(ObjectOutputStream stream) throws IOException {
            stream.defaultWriteObject();
            sentBefore = target.count;
        }
    }

    @Test
    void talksOverSockets() {
        assertTimeoutPreemptively(PATIENCE, () -> {
            try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> {
                    try (Socket socket = server.accept();
                            ObjectOutputStream output = new HeapspanObjectOutputStream(socket.getOutputStream());
                            ObjectInputStream input = new HeapspanObjectInputStream(socket.getInputStream())) {
                        while (true) {
                            output.writeObject(input.readObject());
                            output.flush();
                        }
                    } catch (EOFException end) {
                        // The client has closed its side.
                    } catch (IOException | ClassNotFoundException e) {
                        throw new AssertionError(e);
                    }
                });
                try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                        ObjectOutputStream output = new HeapspanObjectOutputStream(socket.getOutputStream());
                        ObjectInputStream input = new HeapspanObjectInputStream(socket.getInputStream())) {
                    int[] numbers = new int[300_000];
                    Arrays.setAll(numbers, i -> i);
                    for (Object sent : new Object[] {"hello", List.of(1, 2), Map.of("a", new int[3])}) {
                        output.writeObject(sent);
                        output.flush();
                        assertThat(input.readObject())
                                .usingRecursiveComparison()
                                .isEqualTo(sent);
                    }
                    output.writeObject(numbers);
                    output.flush();
                    assertThat(input.readObject()).isEqualTo(numbers);
                }
                echo.get();
            }
        });
    }

    @Test
    void worksOnFiles(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("objects");
        try (ObjectOutputStream stream = new HeapspanObjectOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < 50_000; i++) {
                stream.writeObject("number " + i);
            }
        }
        int count = 0;
        try (ObjectInputStream stream = new HeapspanObjectInputStream(Files.newInputStream(file))) {
            while (true) {
                assertThat(stream.readObject()).isEqualTo("number " + count);
                count++;
            }
        } catch (EOFException end) {
            assertThat(count).isEqualTo(50_000);
        }
    }

    @Test
    void failsWithTheExceptionOfTheSink() throws Exception {
        for (Writing writing : List.<Writing>of(
                stream -> stream.writeObject(new byte[1 << 20]),
                stream -> {
                    for (int i = 0; i < 200_000; i++) {
                        stream.writeInt(i);
                    }
                },
                stream -> stream.write(new byte[1 << 20]),
                stream -> {
                    for (int i = 0; i < 100_000; i++) {
                        stream.writeUTF("some text");
                    }
                },
                stream -> {
                    for (int i = 0; i < 1_000_000; i++) {
                        stream.reset();
                    }
                },
                stream -> {
                    stream.writeObject("x");
                    stream.flush();
                },
                stream -> {
                    stream.writeObject("x");
                    stream.close();
                })) {
            OutputStream full = new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    throw new IOException("disk full");
                }
            };
            ObjectOutputStream stream = new HeapspanObjectOutputStream(full);
            assertThatThrownBy(() -> writing.to(stream))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("disk full");
        }
    }

    @Test
    void refusesToGoOnAfterAHalfWrittenObject() throws Exception {
        assertThat(failureOfHalfAnObject(Thread.currentThread()))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.CLASS_REFUSED));
    }

    /** Its methods can fail with an error. */
    private static final class Asserting implements Serializable {
        private void writeObject(ObjectOutputStream stream) {
            throw new AssertionError("of the method");
        }
    }

    @Test
    void refusesToGoOnAfterAnErrorOfAMethod() throws Exception {
        assertThat(failureOfHalfAnObject(new Asserting()))
                .isExactlyInstanceOf(AssertionError.class)
                .hasMessage("of the method");
    }

    /** Writes an array in which this is second, and checks that nothing can be written after that. */
    private static Throwable failureOfHalfAnObject(Object refused) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream stream = new HeapspanObjectOutputStream(bytes);
        stream.writeObject("before");
        stream.flush();
        Throwable failure = catchThrowable(() -> stream.writeObject(new Object[] {1, refused}));
        assertThatThrownBy(() -> stream.writeObject("after")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> stream.writeLong(1)).isInstanceOf(IOException.class);
        assertThatThrownBy(stream::flush).isInstanceOf(IOException.class);
        stream.close();
        try (ObjectInputStream input = open(bytes.toByteArray())) {
            assertThat(input.readObject()).isEqualTo("before");
            assertThatThrownBy(input::readObject).isInstanceOf(EOFException.class);
        }
        return failure;
    }

    @Test
    void failsWithTheExceptionOfTheSource() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream output = new HeapspanObjectOutputStream(bytes);
        output.writeInt(5);
        output.flush();
        InputStream slow = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new SocketTimeoutException("slow");
            }
        };
        try (ObjectInputStream input = new HeapspanObjectInputStream(
                new SequenceInputStream(new ByteArrayInputStream(bytes.toByteArray()), slow))) {
            assertThat(input.readInt()).isEqualTo(5);
            assertThatThrownBy(input::readInt).isExactlyInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(input::readObject).isExactlyInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(input::readUTF).isExactlyInstanceOf(SocketTimeoutException.class);
        }
    }

    /** Delivers a byte at a time and fails before each for which it is told to, once. */
    private static final class Hesitant extends InputStream {
        private final byte[] bytes;
        private final BitSet failures;
        private int position;

        Hesitant(byte[] bytes, BitSet failures) {
            this.bytes = bytes;
            this.failures = failures;
        }

        @Override
        public int read() throws IOException {
            if (failures.get(position)) {
                failures.clear(position);
                throw new SocketTimeoutException("slow");
            }
            return position < bytes.length ? bytes[position++] & 0xFF : -1;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int next = read();
            if (next < 0) {
                return -1;
            }
            target[offset] = (byte) next;
            return 1;
        }
    }

    /** What a frame holds is there as a whole or not at all, so that whoever was impatient may ask again. */
    @Test
    void goesOnAfterATimeoutBetweenItems() throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new HeapspanObjectOutputStream(target)) {
            for (int i = 0; i < 5; i++) {
                output.writeObject(new Node(i));
                output.writeInt(i);
                output.flush();
            }
        }
        byte[] bytes = target.toByteArray();
        for (int place = 0; place < bytes.length; place++) {
            BitSet failures = new BitSet();
            failures.set(place);
            failures.set(Math.min(place + 3, bytes.length - 1));
            int timeouts = 0;
            try (ObjectInputStream input = new HeapspanObjectInputStream(new Hesitant(bytes, failures))) {
                for (int i = 0; i < 5; i++) {
                    Node node = null;
                    while (node == null) {
                        try {
                            node = (Node) input.readObject();
                        } catch (SocketTimeoutException e) {
                            timeouts++;
                        }
                    }
                    assertThat(node.value).isEqualTo(i);
                    assertThat(input.readInt()).isEqualTo(i);
                }
            }
            assertThat(timeouts).as("failing at %d", place).isBetween(0, 2);
        }
    }

    /** A program of which an object could not be read must not get parts of it in place of the next one. */
    @Test
    void refusesToGoOnInTheMiddleOfAnObject() throws Exception {
        Object[] nested = {"a", new Object[] {new Node(1), "b", List.of("c", new Node(2))}, "d"};
        byte[] bytes = written(stream -> {
            stream.writeObject("first");
            stream.writeObject(nested);
            stream.writeObject("last");
            stream.writeInt(5);
        });
        List<Heapspan> unwilling = List.of(
                Heapspan.builder().allow("elsewhere.*").build(),
                Heapspan.builder().maxArrayLength(2).build(),
                Heapspan.builder().maxObjects(3).build(),
                Heapspan.builder()
                        .filter(info -> info.depth() > 2
                                ? ObjectInputFilter.Status.REJECTED
                                : ObjectInputFilter.Status.UNDECIDED)
                        .build());
        for (Heapspan heapspan : unwilling) {
            try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(bytes), heapspan)) {
                HeapspanException first = firstFailure(input);
                assertStaysUnreadable(input, first);
            }
        }
        byte[] failing = written(stream -> {
            stream.writeObject(new Object[] {"a", new Stubborn(), "b"});
            stream.writeObject("last");
        });
        try (ObjectInputStream input = open(failing)) {
            assertStaysUnreadable(input, firstFailure(input));
        }
        byte[] altered = bytes.clone();
        altered[altered.length - 20] ^= 1;
        try (ObjectInputStream input = open(altered)) {
            assertStaysUnreadable(input, firstFailure(input));
        }
    }

    private static HeapspanException firstFailure(ObjectInputStream input) throws Exception {
        while (true) {
            try {
                assertThat(input.readObject()).isEqualTo("first");
            } catch (HeapspanException e) {
                return e;
            }
        }
    }

    private static void assertStaysUnreadable(ObjectInputStream input, HeapspanException first) {
        for (int i = 0; i < 3; i++) {
            for (Reading reading : List.<Reading>of(
                    ObjectInputStream::readObject,
                    ObjectInputStream::readInt,
                    ObjectInputStream::readUnshared,
                    ObjectInputStream::read,
                    ObjectInputStream::readUTF)) {
                assertThatThrownBy(() -> reading.from(input))
                        .isExactlyInstanceOf(StreamCorruptedException.class)
                        .hasMessageContaining(first.getMessage())
                        .hasMessageContaining("open another stream")
                        .hasCause(first);
            }
        }
    }

    private interface Reading {
        Object from(ObjectInputStream stream) throws IOException, ClassNotFoundException;
    }

    static final class Stubborn implements Serializable {
        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            throw new IllegalStateException("never");
        }
    }

    /** In the middle of an object nobody can go on, whatever the source delivers later. */
    @Test
    void refusesToGoOnAfterATimeoutWithinAnObject() throws Exception {
        long[] large = new long[200_000];
        byte[] bytes = written(stream -> {
            stream.writeObject("first");
            stream.writeObject(new Object[] {large, large, "end"});
            stream.writeObject("last");
        });
        BitSet failures = new BitSet();
        failures.set(bytes.length / 2);
        try (ObjectInputStream input = new HeapspanObjectInputStream(new Hesitant(bytes, failures))) {
            assertThat(input.readObject()).isEqualTo("first");
            assertThatThrownBy(input::readObject).isExactlyInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(input::readObject)
                    .isExactlyInstanceOf(StreamCorruptedException.class)
                    .hasMessageContaining("slow");
        }
    }

    /** As in docs/fidelity.md: unlike Java's, it gives an object that other references of the stream lead to as well. */
    @Test
    void readUnsharedSharesAsReadObjectDoes() throws Exception {
        Node node = new Node(1);
        byte[] bytes = written(stream -> {
            stream.writeObject(node);
            stream.writeObject(node);
            stream.writeObject(new Object[] {node});
        });
        try (ObjectInputStream stream = open(bytes)) {
            Object first = stream.readUnshared();
            assertThat(stream.readUnshared()).isSameAs(first);
            assertThat(((Object[]) stream.readObject())[0]).isSameAs(first);
        }
    }

    @Test
    void endsWithEofExceptionWhereThePeerIsGone() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream output = new HeapspanObjectOutputStream(bytes);
        output.writeObject("whole");
        output.flush();
        int firstSizeBytes = bytes.size();
        output.writeObject(new Node(3));
        output.flush();
        byte[] all = bytes.toByteArray();
        for (int length = 0; length < all.length; length++) {
            try (ObjectInputStream input = open(Arrays.copyOf(all, length))) {
                if (length >= firstSizeBytes) {
                    assertThat(input.readObject()).isEqualTo("whole");
                }
                assertThatThrownBy(input::readObject)
                        .as("after %d of %d bytes", length, all.length)
                        .isExactlyInstanceOf(EOFException.class);
            }
        }
    }

    @Test
    void rejectsWhatIsNoObjectStream() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream java = new ObjectOutputStream(bytes)) {
            java.writeObject("x");
        }
        try (ObjectInputStream input = open(bytes.toByteArray())) {
            assertThatThrownBy(input::readObject)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("not an object image");
        }
    }

    @Test
    void closesOnceAndRefusesLaterCalls() throws Exception {
        int[] closed = new int[2];
        ObjectOutputStream output = new HeapspanObjectOutputStream(new ByteArrayOutputStream() {
            @Override
            public void close() {
                closed[0]++;
            }
        });
        output.writeObject("x");
        output.close();
        output.close();
        assertThat(closed[0]).isPositive();
        assertThatThrownBy(() -> output.writeObject("y")).isInstanceOf(IOException.class);
        assertThatThrownBy(output::reset).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> output.writeInt(1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> output.write(new byte[2000])).isInstanceOf(IOException.class);
        ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(written(s -> s.writeInt(1))) {
            @Override
            public void close() {
                closed[1]++;
            }
        });
        input.close();
        assertThat(closed[1]).isEqualTo(1);
        assertThatThrownBy(input::readInt).isInstanceOf(IOException.class);
        assertThatThrownBy(input::readObject).isInstanceOf(IOException.class);
    }

    @Test
    void closesAnEmptyStreamThatReadsAsEmpty() throws Exception {
        byte[] bytes = written(stream -> {});
        try (ObjectInputStream input = open(bytes)) {
            assertThat(input.read()).isEqualTo(-1);
            assertThatThrownBy(input::readObject).isExactlyInstanceOf(EOFException.class);
        }
    }

    // ---------------------------------------------------------------- filters

    @Test
    void asksTheFilterOfTheStream() throws Exception {
        byte[] bytes = written(stream -> stream.writeObject(new Object[] {new Node(1), "text"}));
        List<Class<?>> asked = new ArrayList<>();
        ObjectInputFilter recording = info -> {
            if (info.serialClass() != null) {
                asked.add(info.serialClass());
            }
            return ObjectInputFilter.Status.UNDECIDED;
        };
        try (ObjectInputStream input =
                new HeapspanObjectInputStream(new ByteArrayInputStream(bytes), Heapspan.create(), recording)) {
            assertThat((Object[]) input.readObject()).hasSize(2);
        }
        assertThat(asked).contains(Node.class, Object[].class);
        ObjectInputFilter rejecting = ObjectInputFilter.Config.createFilter("!" + Node.class.getName());
        try (ObjectInputStream input =
                new HeapspanObjectInputStream(new ByteArrayInputStream(bytes), Heapspan.create(), rejecting)) {
            assertThatThrownBy(input::readObject)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED))
                    .hasMessageContaining(Node.class.getName());
        }
        // Another stream of the same options, without a filter.
        try (ObjectInputStream input = open(bytes)) {
            assertThat((Object[]) input.readObject()).hasSize(2);
        }
    }

    @Test
    void keepsTheLimitsOfFilters() throws Exception {
        Object[] nested = {new Object[] {new Object[] {new Object[] {new Node(1)}}}};
        byte[] bytes = written(stream -> stream.writeObject(nested));
        for (String limit : new String[] {"maxarray=0", "maxbytes=20", "maxrefs=2", "maxdepth=2"}) {
            ObjectInputFilter filter = ObjectInputFilter.Config.createFilter(limit);
            try (ObjectInputStream input =
                    new HeapspanObjectInputStream(new ByteArrayInputStream(bytes), Heapspan.create(), filter)) {
                assertThatThrownBy(input::readObject)
                        .as(limit)
                        .isInstanceOfSatisfying(
                                HeapspanException.class,
                                e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED));
            }
        }
        ObjectInputFilter generous =
                ObjectInputFilter.Config.createFilter("maxarray=10;maxbytes=10000;maxrefs=100;maxdepth=50");
        try (ObjectInputStream input =
                new HeapspanObjectInputStream(new ByteArrayInputStream(bytes), Heapspan.create(), generous)) {
            assertThat((Object[]) input.readObject()).hasSize(1);
        }
    }

    @Test
    void obeysTheFilterOfTheJvm() throws Exception {
        String name = Node.class.getName();
        assertThat(JavaProcess.run(FilterProgram.class, List.of()).value("node"))
                .isEqualTo("admitted");
        assertThat(JavaProcess.run(FilterProgram.class, List.of("-Djdk.serialFilter=!" + name))
                        .value("node"))
                .isEqualTo("CLASS_REJECTED");
        assertThat(JavaProcess.run(FilterProgram.class, List.of("-Djdk.serialFilter=java.base/*;!*"))
                        .value("node"))
                .isEqualTo("CLASS_REJECTED");
        JavaProcess.Result allowed =
                JavaProcess.run(FilterProgram.class, List.of("-Djdk.serialFilter=" + name + ";java.base/*;!*"));
        assertThat(allowed.value("node")).isEqualTo("admitted");
        assertThat(allowed.value("stream")).isEqualTo("admitted");
        assertThat(allowed.value("hooks")).isEqualTo("admitted");
    }

    /** Main class of a child JVM. */
    public static final class FilterProgram {
        private FilterProgram() {}

        /** Prints whether this JVM's filter admits a class. */
        public static void main(String[] arguments) throws Exception {
            Heapspan heapspan = Heapspan.create();
            System.out.println("node=" + outcome(() -> heapspan.decode(heapspan.encode(new Node(1)), Node.class)));
            byte[] bytes = written(stream -> stream.writeObject(new Node(2)));
            System.out.println("stream="
                    + outcome(() -> {
                        try (ObjectInputStream input = open(bytes)) {
                            input.readObject();
                        } catch (IOException | ClassNotFoundException e) {
                            throw new AssertionError(e);
                        }
                    }));
            System.out.println("hooks="
                    + outcome(() -> heapspan.decode(
                            heapspan.encode(new java.util.PriorityQueue<>(List.of(2, 1))), Object.class)));
        }

        private static String outcome(Runnable attempt) {
            try {
                attempt.run();
                return "admitted";
            } catch (HeapspanException e) {
                return e.category().name();
            }
        }
    }

    @Test
    void consultsTheAllowListBeforeAClassIsLoaded() throws Exception {
        GeneratedClass welcome = new GeneratedClass("generated.welcome.Data", Map.of("x", "I"));
        GeneratedClass hostile = new GeneratedClass("generated.hostile.Gadget", Map.of("x", "I"));
        GeneratedClass.Loader sender = new GeneratedClass.Loader(welcome, hostile);
        Heapspan writer = Heapspan.create();
        byte[] image =
                writer.encode(new Object[] {sender.newInstance(welcome.name()), sender.newInstance(hostile.name())});
        byte[] array = writer.encode(java.lang.reflect.Array.newInstance(sender.loadClass(hostile.name()), 2));
        byte[] asValue = writer.encode(sender.loadClass(hostile.name()));
        for (byte[] bytes : new byte[][] {image, array, asValue}) {
            GeneratedClass.Loader receiver = new GeneratedClass.Loader(welcome, hostile);
            Heapspan reader = Heapspan.builder()
                    .allow("generated.welcome.*")
                    .classLoader(receiver)
                    .build();
            assertThatThrownBy(() -> reader.decode(bytes, Object.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED))
                    .hasMessageContaining(hostile.name());
            assertThat(receiver.asked()).doesNotContain(hostile.name());
        }
        // The recorder does record: without the list both are loaded.
        GeneratedClass.Loader receiver = new GeneratedClass.Loader(welcome, hostile);
        Heapspan open = Heapspan.builder().classLoader(receiver).build();
        assertThat(open.decode(image, Object[].class)).hasSize(2);
        assertThat(receiver.asked()).contains(welcome.name(), hostile.name());
    }

    /** Opening is to take less than a microsecond, most of which is making and clearing these bytes. */
    @Test
    void openingAStreamAllocatesLittle() throws IOException {
        byte[] image = written(stream -> stream.writeObject(new Node(1)));
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        ByteArrayInputStream source = new ByteArrayInputStream(image);
        assertThat(bytesEach(() -> new HeapspanObjectOutputStream(target))).isLessThan(2 << 10);
        assertThat(bytesEach(() -> new HeapspanObjectInputStream(source))).isLessThan(2 << 10);
    }

    private interface Opening {
        AutoCloseable open() throws IOException;
    }

    @SuppressWarnings("resource") // They are opened, nothing else.
    private static long bytesEach(Opening opening) throws IOException {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        int count = 1000;
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < count; i++) {
                opening.open();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least / count;
    }

    /** Main class of a child JVM, because the filter of a JVM can be set once only. */
    public static final class LateFilter {
        private LateFilter() {}

        /** Sets the filter after streams with default options have been opened. */
        public static void main(String[] arguments) throws Exception {
            byte[] image = written(stream -> stream.writeObject(new Node(5)));
            System.out.println("before=" + ((Node) read(image)).value);
            ObjectInputFilter.Config.setSerialFilter(info -> info.serialClass() == Node.class
                    ? ObjectInputFilter.Status.REJECTED
                    : ObjectInputFilter.Status.UNDECIDED);
            try {
                System.out.println("after=" + read(image));
            } catch (HeapspanException e) {
                System.out.println("after=" + e.category());
            }
        }

        private static Object read(byte[] image) throws Exception {
            try (HeapspanObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(image))) {
                return input.readObject();
            }
        }
    }

    @Test
    void followsTheFilterOfTheJvmThatIsSetLater() throws Exception {
        JavaProcess.Result result = JavaProcess.run(LateFilter.class, List.of());
        assertThat(result.value("before")).isEqualTo("5");
        assertThat(result.value("after")).isEqualTo(Category.CLASS_REJECTED.name());
    }
}
