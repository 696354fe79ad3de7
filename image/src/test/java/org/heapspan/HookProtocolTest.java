package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectInputStream.GetField;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.ObjectOutputStream.PutField;
import java.io.ObjectStreamConstants;
import java.io.ObjectStreamField;
import java.io.OptionalDataException;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;

/** What hooks see of their streams, call by call, beside what they see of Java's. */
public final class HookProtocolTest {
    private interface Call {
        Object make() throws Exception;
    }

    private interface Writing {
        void to(ObjectOutputStream output) throws IOException;
    }

    private interface Reading {
        void from(ObjectInputStream input) throws IOException, ClassNotFoundException;
    }

    private static Writing writing = ObjectOutputStream::defaultWriteObject;
    private static Reading reading = ObjectInputStream::defaultReadObject;

    private static final String ENOUGH = "enough has been seen";

    /** What each call of a script gave or threw. */
    private static final List<String> NOTES = new ArrayList<>();

    private static void note(String what, Call call) throws IOException {
        String outcome;
        try {
            outcome = String.valueOf(call.make());
        } catch (OptionalDataException e) {
            outcome = "OptionalData " + e.length + " " + e.eof;
        } catch (Exception e) {
            outcome = e.toString();
        }
        NOTES.add(what + ": " + outcome);
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void noteAction(String what, Action action) throws IOException {
        note(what, () -> {
            action.run();
            return "done";
        });
    }

    static class Hooked implements Serializable {
        int number = 3;
        long wide = 4;
        short narrow = 5;
        boolean flag = true;
        byte small = 6;
        char letter = 'c';
        float single = 1.5f;
        double twice = 2.5;
        String text = "text";
        Serializable any = "any";
        int[] array = {1};
        transient int passing = 9;

        private void writeObject(ObjectOutputStream output) throws IOException {
            writing.to(output);
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            reading.from(input);
        }
    }

    /** Declares fields that it does not have. */
    static final class Declared implements Serializable {
        @SuppressWarnings("unused") // Java looks for it.
        private static final ObjectStreamField[] serialPersistentFields = {
            new ObjectStreamField("virtual", int.class), new ObjectStreamField("name", String.class)
        };

        private void writeObject(ObjectOutputStream output) throws IOException {
            writing.to(output);
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            reading.from(input);
        }
    }

    static final class Empty implements Serializable {
        private void writeObject(ObjectOutputStream output) throws IOException {
            writing.to(output);
        }

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            reading.from(input);
        }
    }

    public static final class External implements Externalizable {
        public External() {}

        @Override
        public void writeExternal(ObjectOutput output) throws IOException {
            writing.to((ObjectOutputStream) output);
        }

        @Override
        public void readExternal(ObjectInput input) throws IOException, ClassNotFoundException {
            reading.from((ObjectInputStream) input);
        }
    }

    private record Case(Object object, Writing writing, Reading reading) {}

    private static void getAll(GetField fields, String name) throws IOException {
        noteAction(name, () -> {});
        note("defaulted", () -> fields.defaulted(name));
        note("boolean", () -> fields.get(name, false));
        note("byte", () -> fields.get(name, (byte) 1));
        note("char", () -> fields.get(name, 'x'));
        note("short", () -> fields.get(name, (short) 1));
        note("int", () -> fields.get(name, 1));
        note("long", () -> fields.get(name, 1L));
        note("float", () -> fields.get(name, 1f));
        note("double", () -> fields.get(name, 1.0));
        note("object", () -> {
            Object value = fields.get(name, (Object) "otherwise");
            return value instanceof int[] array ? array[0] : value;
        });
    }

    private static void putAll(PutField fields, String name) throws IOException {
        noteAction("put boolean " + name, () -> fields.put(name, false));
        noteAction("put byte", () -> fields.put(name, (byte) 11));
        noteAction("put char", () -> fields.put(name, 'x'));
        noteAction("put short", () -> fields.put(name, (short) 12));
        noteAction("put int", () -> fields.put(name, 13));
        noteAction("put long", () -> fields.put(name, 14L));
        noteAction("put float", () -> fields.put(name, 15f));
        noteAction("put double", () -> fields.put(name, 16.0));
    }

    private static final List<String> NAMES = List.of(
            "number", "wide", "narrow", "flag", "small", "letter", "single", "twice", "text", "any", "array", "passing",
            "unknown");

    private static void endOfData(ObjectInputStream input) throws IOException {
        note("read", input::read);
        note("read array", () -> input.read(new byte[3]));
        note("read nothing", () -> input.read(new byte[0]));
        note("available", input::available);
        note("skipBytes", () -> input.skipBytes(3));
        note("skip", () -> input.skip(3));
        note("readInt", input::readInt);
        note("readUTF", input::readUTF);
        note("readLine", ((ObjectInput) input)::readLine);
        note("readFully", () -> {
            input.readFully(new byte[2]);
            return "";
        });
        note("readAllBytes", () -> input.readAllBytes().length);
    }

    private static Map<String, Case> cases() {
        Map<String, Case> cases = new LinkedHashMap<>();
        cases.put("fields by name", new Case(new Hooked(), ObjectOutputStream::defaultWriteObject, input -> {
            GetField fields = input.readFields();
            for (String name : NAMES) {
                getAll(fields, name);
            }
            note("class", () -> fields.getObjectStreamClass().getName());
        }));
        cases.put(
                "fields put by name",
                new Case(
                        new Hooked(),
                        output -> {
                            PutField fields = output.putFields();
                            for (String name : NAMES) {
                                putAll(fields, name);
                            }
                            noteAction("put text", () -> fields.put("text", "put"));
                            noteAction("put any", () -> fields.put("any", (Object) "put"));
                            noteAction("put object for int", () -> fields.put("number", (Object) "put"));
                            noteAction("put unknown", () -> fields.put("unknown", (Object) "put"));
                            note("same", () -> output.putFields() == fields);
                            noteAction("default", output::defaultWriteObject);
                            noteAction("write", output::writeFields);
                        },
                        input -> {
                            GetField fields = input.readFields();
                            for (String name : NAMES) {
                                getAll(fields, name);
                            }
                        }));
        cases.put(
                "declared fields",
                new Case(
                        new Declared(),
                        output -> {
                            PutField fields = output.putFields();
                            putAll(fields, "virtual");
                            putAll(fields, "name");
                            output.writeFields();
                        },
                        input -> {
                            GetField fields = input.readFields();
                            getAll(fields, "virtual");
                            getAll(fields, "name");
                            getAll(fields, "other");
                        }));
        cases.put(
                "twice",
                new Case(
                        new Hooked(),
                        output -> {
                            output.defaultWriteObject();
                            noteAction("again", output::defaultWriteObject);
                            note("put after it", output::putFields);
                            noteAction("write without put", output::writeFields);
                        },
                        input -> {
                            input.defaultReadObject();
                            noteAction("again", input::defaultReadObject);
                            note("fields after it", input::readFields);
                        }));
        cases.put(
                "twice by name",
                new Case(
                        new Hooked(),
                        output -> {
                            noteAction("write without put", output::writeFields);
                            output.putFields();
                            output.writeFields();
                            noteAction("default after it", output::defaultWriteObject);
                        },
                        input -> {
                            input.readFields();
                            note("again", input::readFields);
                            noteAction("default after it", input::defaultReadObject);
                        }));
        cases.put(
                "in another thread",
                new Case(
                        new Hooked(),
                        output -> {
                            noteElsewhere("default", output::defaultWriteObject);
                            output.defaultWriteObject();
                        },
                        input -> {
                            noteElsewhere("default", input::defaultReadObject);
                            noteElsewhere("fields", input::readFields);
                            input.defaultReadObject();
                        }));
        cases.put(
                "unread data before fields",
                new Case(
                        new Hooked(),
                        output -> {
                            output.writeInt(1);
                            output.defaultWriteObject();
                        },
                        input -> {
                            input.readShort();
                            noteAction("default", input::defaultReadObject);
                            // Java's stream has lost its place.
                            throw new IOException(ENOUGH);
                        }));
        cases.put(
                "data and objects",
                new Case(
                        new Empty(),
                        output -> {
                            output.defaultWriteObject();
                            output.writeInt(1);
                            output.writeObject("first");
                            output.writeUnshared("second");
                            output.writeByte(2);
                            output.writeUTF("utf");
                            output.writeBytes("line\nrest");
                            output.write(new byte[] {1, 2, 3, 4}, 1, 2);
                            output.writeObject(null);
                        },
                        input -> {
                            input.defaultReadObject();
                            note("object too early", input::readObject);
                            note("object still too early", input::readUnshared);
                            note("mark", input::markSupported);
                            noteAction("reset", input::reset);
                            noteAction("mark at", () -> input.mark(5));
                            note("short", input::readShort);
                            note("object within data", input::readObject);
                            note("past the data", input::readInt);
                            note("object", input::readObject);
                            note("data where an object is", input::read);
                            note("unshared", input::readUnshared);
                            note("byte", input::readUnsignedByte);
                            note("utf", input::readUTF);
                            note("line", ((ObjectInput) input)::readLine);
                            note(
                                    "rest",
                                    () -> new String(input.readNBytes(4), java.nio.charset.StandardCharsets.UTF_8));
                            note("bad range", () -> input.read(new byte[2], 1, 2));
                            note("some", () -> input.read(new byte[10], 3, 7));
                            note("null", input::readObject);
                            note("end", input::readObject);
                            note("end", input::readUnshared);
                            endOfData(input);
                            note("end", input::readObject);
                        }));
        cases.put("nothing there", new Case(new Empty(), output -> {}, input -> {
            endOfData(input);
            note("object", input::readObject);
        }));
        cases.put(
                "nested",
                new Case(
                        new Object[] {new Hooked()},
                        output -> {
                            Writing outer = writing;
                            writing = inner -> {
                                noteAction("inner default", inner::defaultWriteObject);
                                noteAction("inner again", inner::defaultWriteObject);
                            };
                            PutField fields = output.putFields();
                            output.writeObject(new Hooked());
                            note("same after it", () -> output.putFields() == fields);
                            writing = inner -> {
                                noteAction("outer's fields", inner::writeFields);
                                note("put", inner::putFields);
                            };
                            output.writeObject(new External());
                            writing = outer;
                            output.writeFields();
                        },
                        input -> {
                            Reading outer = reading;
                            reading = inner -> {
                                noteAction("inner default", inner::defaultReadObject);
                                noteAction("inner again", inner::defaultReadObject);
                            };
                            note("object", () -> input.readObject().getClass());
                            reading = inner -> {
                                noteAction("default", inner::defaultReadObject);
                                note("fields", inner::readFields);
                                note("end", inner::readObject);
                            };
                            note("external", () -> input.readObject().getClass());
                            reading = outer;
                            noteAction("default", input::defaultReadObject);
                        }));
        cases.put(
                "external",
                new Case(
                        new External(),
                        output -> {
                            noteAction("default", output::defaultWriteObject);
                            note("put", output::putFields);
                            noteAction("write", output::writeFields);
                            noteAction("reset", output::reset);
                            noteAction("version", () -> output.useProtocolVersion(2));
                            output.writeInt(5);
                        },
                        input -> {
                            noteAction("default", input::defaultReadObject);
                            note("fields", input::readFields);
                            registerAll(input);
                            note("int", input::readInt);
                            note("end", input::readObject);
                            endOfData(input);
                        }));
        cases.put(
                "validations",
                new Case(
                        new Hooked(),
                        output -> {
                            output.defaultWriteObject();
                            noteAction("reset", output::reset);
                            noteAction("version", () -> output.useProtocolVersion(1));
                            note("bad range", () -> {
                                output.write(new byte[2], 1, 2);
                                return "";
                            });
                        },
                        input -> {
                            input.defaultReadObject();
                            registerAll(input);
                        }));
        return cases;
    }

    private static void noteElsewhere(String what, Action action) throws IOException {
        Thread thread = new Thread(() -> {
            try {
                noteAction(what, action);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void registerAll(ObjectInputStream input) throws IOException {
        int[] priorities = {0, 10, -5, 10, 0};
        for (int i = 0; i < priorities.length; i++) {
            String name = "validation " + i + " of priority " + priorities[i];
            int priority = priorities[i];
            noteAction("register", () -> input.registerValidation(() -> NOTES.add(name), priority));
        }
        noteAction("register null", () -> input.registerValidation(null, 1));
    }

    private interface Transport {
        void carry(Object object) throws Exception;
    }

    private static List<String> notes(Case one, Transport transport) throws Exception {
        NOTES.clear();
        writing = one.writing();
        reading = one.reading();
        try {
            transport.carry(one.object());
        } catch (IOException | HeapspanException e) {
            if (!String.valueOf(e.getMessage()).contains(ENOUGH)) {
                throw e;
            }
        }
        return List.copyOf(NOTES);
    }

    private static void throughJava(Object object) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
            output.writeObject(object);
        }
        try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            input.readObject();
        }
    }

    private static void throughStream(Object object) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new HeapspanObjectOutputStream(bytes)) {
            output.writeObject(object);
        }
        try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            input.readObject();
        }
    }

    @Test
    void givesHooksWhatJavaGivesThem() throws Exception {
        Heapspan heapspan = Heapspan.create();
        for (Map.Entry<String, Case> each : cases().entrySet()) {
            List<String> expected = withoutIdentities(notes(each.getValue(), HookProtocolTest::throughJava));
            assertThat(expected).as(each.getKey()).isNotEmpty();
            assertThat(withoutIdentities(
                            notes(each.getValue(), o -> heapspan.decode(heapspan.encode(o), Object.class))))
                    .as(each.getKey())
                    .isEqualTo(expected);
            assertThat(withoutIdentities(notes(each.getValue(), HookProtocolTest::throughStream)))
                    .as(each.getKey() + ", in a stream")
                    .isEqualTo(expected);
        }
    }

    /** The notes without what differs between two runs or two JDKs. */
    private static List<String> withoutIdentities(List<String> notes) {
        return notes.stream()
                .map(note -> note.replaceAll("Thread\\[[^]]*]", "Thread")
                        .replaceAll("(: [\\w.$]+)@[0-9a-f]+$", ": made")
                        .replaceAll("(IndexOutOfBoundsException).*", "$1"))
                .toList();
    }

    @Test
    void streamsThemselvesAreNoHooks() throws Exception {
        Call[] outcomes = new Call[2];
        for (boolean java : new boolean[] {true, false}) {
            NOTES.clear();
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream output =
                    java ? new ObjectOutputStream(bytes) : new HeapspanObjectOutputStream(bytes)) {
                noteAction("default", output::defaultWriteObject);
                note("put", output::putFields);
                noteAction("write", output::writeFields);
                noteAction("version", () -> output.useProtocolVersion(ObjectStreamConstants.PROTOCOL_VERSION_2));
                noteAction("unknown version", () -> output.useProtocolVersion(7));
                output.writeObject("object");
                noteAction("late version", () -> output.useProtocolVersion(2));
            }
            try (ObjectInputStream input = java
                    ? new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))
                    : new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                noteAction("default", input::defaultReadObject);
                note("fields", input::readFields);
                registerAll(input);
                note("object", input::readObject);
                registerAll(input);
            }
            List<String> notes = List.copyOf(NOTES);
            outcomes[java ? 0 : 1] = () -> notes;
        }
        assertThat(outcomes[1].make()).isEqualTo(outcomes[0].make());
    }

    // ---------------------------------------------------------------- filters of streams

    private static byte[] stream(Object... objects) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new HeapspanObjectOutputStream(bytes)) {
            for (Object each : objects) {
                output.writeObject(each);
            }
        }
        return bytes.toByteArray();
    }

    private static final ObjectInputFilter NO_EXTERNALS = info -> info.serialClass() == External.class
            ? ObjectInputFilter.Status.REJECTED
            : ObjectInputFilter.Status.UNDECIDED;

    @Test
    void asksTheFilterThatIsSetAfterOpening() throws Exception {
        writing = output -> {};
        reading = input -> {};
        byte[] bytes = stream(new External());
        try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(bytes))) {
            input.setObjectInputFilter(NO_EXTERNALS);
            assertThatThrownBy(input::readObject)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.CLASS_REJECTED));
        }
        try (ObjectInputStream input =
                new HeapspanObjectInputStream(new ByteArrayInputStream(bytes), Heapspan.create(), NO_EXTERNALS)) {
            assertThat(input.getObjectInputFilter()).isSameAs(NO_EXTERNALS);
            assertThatThrownBy(() -> input.setObjectInputFilter(NO_EXTERNALS))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("filter can not be set more than once");
        }
    }

    @Test
    void refusesAFilterThatComesTooLate() throws Exception {
        writing = output -> {};
        reading = input -> {};
        byte[] bytes = stream("first", new External());
        try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(bytes))) {
            assertThat(input.readObject()).isEqualTo("first");
            input.setObjectInputFilter(NO_EXTERNALS);
            assertThatThrownBy(input::readObject)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after something had been read");
        }
    }

    /** The state of a stream is looked at for each item of data, and not for each byte. */
    @Test
    void givesTheRestOfAnItemBeforeItRefusesAFilter() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new HeapspanObjectOutputStream(bytes)) {
            output.writeInt(1);
            output.writeInt(2);
            output.writeObject("object");
        }
        try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(input.readInt()).isEqualTo(1);
            input.setObjectInputFilter(NO_EXTERNALS);
            assertThat(input.readInt()).isEqualTo(2);
            assertThatThrownBy(input::read)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after something had been read");
        }
    }

    /** Writes a part, and goes on if that fails. */
    static final class Careless implements Serializable {
        private static final long serialVersionUID = 1;

        private void writeObject(ObjectOutputStream output) throws IOException {
            for (int part = 0; part < 10; part++) {
                try {
                    output.writeObject(new byte[1 << 20]);
                } catch (IOException | RuntimeException e) {
                    output.writeObject("part " + part + " is missing");
                }
            }
        }
    }

    @Test
    void aStreamThatFailsInBetweenHasNoImage() {
        int[] writes = {0};
        OutputStream failing = new ByteArrayOutputStream() {
            @Override
            public synchronized void write(byte[] bytes, int offset, int length) {
                if (++writes[0] == 3) {
                    throw new IllegalStateException("interrupted");
                }
                super.write(bytes, offset, length);
            }
        };
        assertThatThrownBy(() -> Heapspan.create().encodeTo(new Careless(), Encoding.COMPACT, failing))
                .hasStackTraceContaining("interrupted");
        assertThat(writes[0]).as("writes after the failure").isEqualTo(3);
    }

    /** Becomes nothing when it is read. */
    static final class Vanishing implements Serializable {
        private Object readResolve() {
            return null;
        }
    }

    /** Becomes nothing when it is written. */
    static final class Unwritten implements Serializable {
        private Object writeReplace() {
            return null;
        }
    }

    @Test
    void anObjectThatBecomesNullIsNullWhereverItIsReferredTo() throws Exception {
        for (Object object : new Object[] {new Vanishing(), new Unwritten()}) {
            Object[] graph = {object, new ArrayList<>(List.of(object)), object};
            Heapspan heapspan = Heapspan.create();
            Object[] copy = heapspan.decode(heapspan.encode(graph), Object[].class);
            assertThat(copy[0]).isNull();
            assertThat(((List<?>) copy[1]).get(0)).isNull();
            assertThat(copy[2]).isNull();
        }
    }

    /** A record of an interface that other classes implement with code. */
    private record ExternalRecord(int number, String text) implements Externalizable {
        @Override
        public void writeExternal(ObjectOutput out) {
            throw new IllegalStateException("not called of a record");
        }

        @Override
        public void readExternal(ObjectInput in) {
            throw new IllegalStateException("not called of a record");
        }
    }

    @Test
    void recordsAreNotExternalizable() throws IOException, ClassNotFoundException {
        ExternalRecord original = new ExternalRecord(7, "seven");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
            stream.writeObject(original);
        }
        Object javaCopy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        assertThat(javaCopy).isEqualTo(original);
        Heapspan heapspan = Heapspan.create();
        for (Encoding encoding : Encoding.values()) {
            assertThat(heapspan.decodeTrusted(heapspan.encode(original, encoding), Object.class))
                    .isEqualTo(original);
        }
    }
}
