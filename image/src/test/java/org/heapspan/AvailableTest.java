package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** {@code available()} tells what comes next, in hooks and on streams, as it does in Java's own stream. */
public final class AvailableTest {
    private interface Writing {
        void to(ObjectOutput output) throws IOException;
    }

    private interface Reading {
        Object from(ObjectInput input) throws IOException, ClassNotFoundException;
    }

    private static Writing writing = output -> {};
    private static Reading reading = input -> null;

    /** What the reading gave, as text; both ways of transport must give the same. */
    private static String given = "";

    static final class Hooked implements Serializable {
        private void writeObject(ObjectOutputStream output) throws IOException {
            writing.to(output);
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            given = String.valueOf(reading.from(input));
        }
    }

    static final class WithFields implements Serializable {
        private int first = 7;
        private final String second = "s";

        private void writeObject(ObjectOutputStream output) throws IOException {
            output.defaultWriteObject();
            writing.to(output);
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            input.defaultReadObject();
            given = first + second + reading.from(input);
        }
    }

    /** Has no method to write, so that nothing follows its fields. */
    static final class FieldsOnly implements Serializable {
        private final int only = 3;

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            input.defaultReadObject();
            given = only + ":" + input.available() + ":" + input.read();
        }
    }

    /** Writes default fields, of which it has none, and does not ask for them. */
    static final class WithoutFields implements Serializable {
        private void writeObject(ObjectOutputStream output) throws IOException {
            output.defaultWriteObject();
            writing.to(output);
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            given = String.valueOf(reading.from(input));
        }
    }

    public static final class External implements Externalizable {
        public External() {}

        @Override
        public void writeExternal(ObjectOutput output) throws IOException {
            writing.to(output);
        }

        @Override
        public void readExternal(ObjectInput input) throws IOException, ClassNotFoundException {
            given = String.valueOf(reading.from(input));
        }
    }

    private static Object sum(ObjectInput input) throws IOException {
        long sum = 0;
        int count = 0;
        while (input.available() > 0) {
            sum += input.readInt();
            count++;
        }
        return sum + " of " + count;
    }

    private static void ints(ObjectOutput output, int count) throws IOException {
        for (int i = 1; i <= count; i++) {
            output.writeInt(i);
        }
    }

    private record Case(Writing writing, Reading reading) {}

    private static Map<String, Case> cases() {
        Map<String, Case> cases = new LinkedHashMap<>();
        cases.put("sum", new Case(output -> ints(output, 2), AvailableTest::sum));
        cases.put("nothing", new Case(output -> {}, input -> input.available() + ":" + input.read()));
        cases.put("several blocks", new Case(output -> ints(output, 5000), AvailableTest::sum));
        cases.put(
                "large array",
                new Case(
                        output -> {
                            output.write(new byte[100_000]);
                            output.writeInt(5);
                        },
                        AvailableTest::sum));
        cases.put(
                "data, object, data",
                new Case(
                        output -> {
                            ints(output, 3);
                            output.writeObject("between");
                            ints(output, 4);
                        },
                        input -> {
                            Object before = sum(input);
                            int none = input.available() + input.available();
                            Object object = input.readObject();
                            return before + "," + none + object + sum(input) + input.available() + input.read();
                        }));
        cases.put(
                "object first",
                new Case(
                        output -> {
                            output.writeObject(List.of(1));
                            output.writeByte(9);
                        },
                        input -> {
                            int before = input.available();
                            Object object = input.readObject();
                            return before + ":" + object + input.available() + input.read() + input.available();
                        }));
        cases.put("partial reads", new Case(output -> ints(output, 3), input -> {
            List<Integer> found = new ArrayList<>();
            found.add(input.available());
            found.add((int) input.readShort());
            found.add(input.available());
            found.add(input.skipBytes(3));
            found.add(input.available());
            found.add(input.read(new byte[4], 1, 2));
            found.add(input.available());
            found.add(input.skipBytes(100));
            found.add(input.available());
            found.add(input.read());
            found.add(input.read(new byte[3]));
            return found;
        }));
        cases.put(
                "nested",
                new Case(
                        output -> {
                            ints(output, 1);
                            output.writeObject(new FieldsOnly());
                            ints(output, 2);
                        },
                        input -> {
                            Object before = sum(input);
                            input.readObject();
                            return before + "," + given + "," + sum(input);
                        }));
        cases.put("object asked for where data come", new Case(output -> ints(output, 1), input -> {
            int available = input.available();
            String thrown = "";
            try {
                input.readObject();
            } catch (java.io.OptionalDataException e) {
                thrown = e.length + "/" + e.eof;
            }
            return available + thrown + input.available() + sum(input);
        }));
        return cases;
    }

    private static String throughJava(Object object) throws IOException, ClassNotFoundException {
        given = "not read";
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
            output.writeObject(object);
        }
        try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            input.readObject();
        }
        return given;
    }

    private static byte[] stream(Writing each) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(bytes)) {
            each.to(output);
        }
        return bytes.toByteArray();
    }

    @Test
    void tellsInHooksWhatJavaTells() throws Exception {
        Heapspan heapspan = Heapspan.create();
        for (Map.Entry<String, Case> each : cases().entrySet()) {
            writing = each.getValue().writing();
            reading = each.getValue().reading();
            for (Object object :
                    new Object[] {new Hooked(), new WithFields(), new WithoutFields(), new External(), new FieldsOnly()
                    }) {
                String expected = throughJava(object);
                String what = each.getKey() + " in " + object.getClass().getSimpleName();
                given = "not read";
                heapspan.decode(heapspan.encode(object), Object.class);
                assertThat(given).as(what).isEqualTo(expected);
                given = "not read";
                heapspan.decodeTrusted(heapspan.encode(object, Encoding.RAW), Object.class);
                assertThat(given).as(what + ", raw").isEqualTo(expected);
                byte[] stream = stream(output -> output.writeObject(object));
                given = "not read";
                try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(stream))) {
                    input.readObject();
                }
                assertThat(given).as(what + ", in a stream").isEqualTo(expected);
            }
        }
    }

    @Test
    void tellsOnStreamsWhatJavaTells() throws Exception {
        for (Map.Entry<String, Case> each : cases().entrySet()) {
            Case one = each.getValue();
            ByteArrayOutputStream java = new ByteArrayOutputStream();
            try (ObjectOutputStream output = new ObjectOutputStream(java)) {
                one.writing().to(output);
            }
            String expected;
            try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(java.toByteArray()))) {
                expected = String.valueOf(one.reading().from(input));
            }
            byte[] stream = stream(one.writing());
            try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(stream))) {
                assertThat(String.valueOf(one.reading().from(input)))
                        .as(each.getKey())
                        .isEqualTo(expected);
            }
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            try (GZIPOutputStream output = new GZIPOutputStream(packed)) {
                output.write(stream);
            }
            // Tells of one byte at a time.
            try (ObjectInputStream input = new HeapspanObjectInputStream(
                    new GZIPInputStream(new ByteArrayInputStream(packed.toByteArray())))) {
                assertThat(String.valueOf(one.reading().from(input)))
                        .as(each.getKey() + ", compressed")
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void countsAcrossResetsAndFlushes() throws Exception {
        byte[] stream = stream(output -> {
            HeapspanObjectOutputStream objects = (HeapspanObjectOutputStream) output;
            for (int i = 0; i < 10; i++) {
                objects.writeInt(i);
                objects.reset();
                objects.flush();
                objects.reset();
                objects.flush();
            }
            objects.writeObject("end");
        });
        try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(stream))) {
            assertThat(sum(input)).isEqualTo("45 of 10");
            assertThat(input.readObject()).isEqualTo("end");
            assertThat(input.available()).isZero();
        }
    }

    /** Gives what has arrived and fails where somebody would have to wait. */
    private static final class Arriving extends InputStream {
        private final byte[] bytes;
        private int arrived;
        private int position;

        Arriving(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public int available() {
            return arrived - position;
        }

        @Override
        public int read() {
            if (position == arrived) {
                throw new AssertionError("would wait for byte " + position);
            }
            return bytes[position++] & 0xFF;
        }
    }

    @Test
    void waitsForNothing() throws Exception {
        byte[] stream = stream(output -> {
            ObjectOutputStream objects = (ObjectOutputStream) output;
            objects.writeInt(1);
            objects.flush();
            // A frame that holds a mark alone.
            objects.reset();
            objects.flush();
            objects.write(new byte[3000]);
            objects.flush();
            objects.writeObject("object");
        });
        Arriving source = new Arriving(stream);
        int read = 0;
        int steps = 0;
        try (ObjectInputStream input = new HeapspanObjectInputStream(source)) {
            while (source.arrived < stream.length) {
                int available = input.available();
                // Now as many as it said can be read.
                input.readFully(new byte[available]);
                read += available;
                steps += available > 0 ? 1 : 0;
                source.arrived++;
            }
            assertThat(input.available()).isZero();
            assertThat(read).isEqualTo(3004);
            assertThat(steps).isGreaterThan(1);
            assertThat(input.readObject()).isEqualTo("object");
        }
    }

    /** One item of data may fill many frames, of which some have come. */
    @Test
    void waitsForNoFrameOfTheSameItem() throws Exception {
        byte[] stream = stream(output -> output.write(new byte[1 << 20]));
        Arriving source = new Arriving(stream);
        int read = 0;
        int steps = 0;
        try (ObjectInputStream input = new HeapspanObjectInputStream(source)) {
            while (source.arrived < stream.length) {
                source.arrived = Math.min(source.arrived + 10_000, stream.length);
                int available = input.available();
                input.readFully(new byte[available]);
                read += available;
                steps += available > 0 ? 1 : 0;
            }
            for (int rest = input.available(); rest > 0; rest = input.available()) {
                input.readFully(new byte[rest]);
                read += rest;
            }
        }
        assertThat(read).isEqualTo(1 << 20);
        assertThat(steps).isGreaterThan(1);
    }

    @Test
    void takesNoByteThatBelongsToSomebodyElse() throws Exception {
        byte[] stream = stream(output -> ints(output, 3));
        byte[] both = java.util.Arrays.copyOf(stream, stream.length + 5);
        ByteArrayInputStream source = new ByteArrayInputStream(both);
        ObjectInputStream input = new HeapspanObjectInputStream(source);
        assertThat(sum(input)).isEqualTo("6 of 3");
        assertThat(source.available()).isEqualTo(5);
    }

    @Test
    void failsAsReadingWould() throws Exception {
        byte[] stream = stream(output -> ints(output, 3));
        stream[stream.length - 20] ^= 1;
        try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(stream))) {
            assertThatThrownBy(input::available)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("checksum");
        }
        ObjectInputStream closed = new HeapspanObjectInputStream(new ByteArrayInputStream(stream));
        closed.close();
        assertThatThrownBy(closed::available).isInstanceOf(IOException.class).hasMessageContaining("closed");
        ObjectInputStream within =
                new HeapspanObjectInputStream(new ByteArrayInputStream(stream(output -> ints(output, 3))));
        assertThat(within.readInt()).isEqualTo(1);
        within.close();
        assertThatThrownBy(within::read).isInstanceOf(IOException.class).hasMessageContaining("closed");
    }
}
