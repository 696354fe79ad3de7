package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.testing.NestedKind.onStack;

import java.io.ByteArrayInputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Pattern;
import org.heapspan.image.inspect.ImageInspector;
import org.heapspan.image.inspect.InspectedImage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Names out of an image can neither begin a line of a log nor move the cursor of a terminal, wherever they stand. */
@Tag("once")
public final class HostileNamesTest {
    /** Line ends, the escape character, a tab, a mark of direction, a line separator, a C1 control character. */
    private static final String[] HOSTILE = {"\nX", "\r\n", "\u001b[", "\t\b", "\u202e", "\u2028", "\u009b", "\0\u007f"
    };

    private static final Pattern LINE_OF_A_TRACE =
            Pattern.compile("(org|java|jdk|Caused by|\tat |\t\\.\\.\\. |\tSuppressed).*");

    enum Colour {
        CRIMSON,
        TURQUOISE {}
    }

    record Point(int horizontal, String description) implements Serializable {}

    static final class Plain implements Serializable {
        int counter = 1;
        String sentence = "words";
        Point nested = new Point(1, "point");
    }

    public static final class Outside implements Externalizable {
        public Outside() {}

        @Override
        public void writeExternal(ObjectOutput output) throws IOException {
            output.writeObject(Colour.CRIMSON);
        }

        @Override
        public void readExternal(ObjectInput input) throws IOException, ClassNotFoundException {
            input.readObject();
        }
    }

    static final class Handler implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return "";
        }
    }

    private static List<Object> samples() throws Exception {
        List<Object> samples = new ArrayList<>();
        samples.add(new Plain());
        samples.add(new Point[] {new Point(2, "two")});
        samples.add(Colour.TURQUOISE);
        samples.add(new EnumMap<>(Map.of(Colour.CRIMSON, "red")));
        samples.add(new Outside());
        samples.add(new IllegalStateException("message"));
        samples.add(new ConcurrentSkipListMap<>(Map.of("key", Colour.CRIMSON)));
        samples.add(Proxy.newProxyInstance(
                HostileNamesTest.class.getClassLoader(),
                new Class<?>[] {Comparable.class, Runnable.class},
                new Handler()));
        samples.add(new Object[] {Plain.class, Point[].class});
        samples.add(StandardCharsets.UTF_16);
        samples.add(Path.of("folder/file"));
        samples.add(TimeZone.getTimeZone("Europe/Vienna"));
        return samples;
    }

    private interface Use {
        void of(byte[] image) throws Exception;
    }

    /** On a thread of its own, whose traces are a fifth as long as those of a thread of the tests. */
    @Test
    void noMessageHasThemAsTheyAre() throws Exception {
        assertThat(onStack(1 << 20, HostileNamesTest::failures)).isGreaterThan(1000);
    }

    private static int failures() throws Exception {
        Heapspan writer = Heapspan.builder().checksum(false).build();
        List<Use> uses = new ArrayList<>();
        for (Heapspan reader : new Heapspan[] {
            Heapspan.create(),
            Heapspan.builder().allow("java.**").build(),
            Heapspan.builder()
                    .filter(info -> {
                        throw new IllegalStateException(String.valueOf(info.serialClass()));
                    })
                    .build()
        }) {
            uses.add(image -> reader.decode(image, Object.class));
            uses.add(image -> reader.decodeTrusted(image, Object.class));
            uses.add(image -> reader.groupReader(image).next());
        }
        uses.add(HostileNamesTest::inspect);
        int failures = 0;
        for (Object sample : samples()) {
            for (Encoding encoding : Encoding.values()) {
                byte[] image = writer.encode(sample, encoding);
                for (int at = 0; at < image.length; at++) {
                    // One place after the other gets the next text.
                    byte[] altered = altered(image, at, HOSTILE[at / 3 % HOSTILE.length]);
                    for (Use use : altered == null ? List.<Use>of() : uses) {
                        failures += failsPrintably(use, altered) ? 1 : 0;
                    }
                }
            }
        }
        return failures;
    }

    /** The JDK's exception has the name in its message. */
    @Test
    void charsetThatIsUnknownIsToldPrintably() throws Exception {
        Heapspan heapspan = Heapspan.builder().checksum(false).build();
        byte[] image = heapspan.encode(Charset.forName("windows-1252"));
        int name = new String(image, StandardCharsets.ISO_8859_1).indexOf("windows-1252");
        for (String hostile : HOSTILE) {
            byte[] altered = image.clone();
            byte[] replacement = hostile.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(replacement, 0, altered, name, replacement.length);
            assertThat(failsPrintably(bytes -> heapspan.decode(bytes, Object.class), altered))
                    .isTrue();
        }
    }

    /** The image with some letters of a name in it replaced; null if there are none. */
    private static byte[] altered(byte[] image, int at, String hostile) {
        byte[] replacement = hostile.getBytes(StandardCharsets.UTF_8);
        // Each third place will do.
        if (at % 3 != 0 || at + replacement.length > image.length) {
            return null;
        }
        for (int i = at; i < at + replacement.length; i++) {
            if (!Character.isLetter(image[i])) {
                return null;
            }
        }
        byte[] altered = image.clone();
        System.arraycopy(replacement, 0, altered, at, replacement.length);
        return altered;
    }

    private static boolean failsPrintably(Use use, byte[] image) throws Exception {
        try {
            use.of(image);
            return false;
        } catch (HeapspanException e) {
            assertPrintable(String.valueOf(e.getMessage()));
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            trace.toString().lines().forEach(line -> {
                assertPrintable(line.replace("\t", ""));
                if (!LINE_OF_A_TRACE.matcher(line).matches()) {
                    throw new AssertionError("a line of a trace begins otherwise: " + line);
                }
            });
            return true;
        }
    }

    /** Plain code: it looks at millions of characters. */
    private static void assertPrintable(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int type = Character.getType(c);
            if (type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR) {
                throw new AssertionError(String.format("U+%04x in %s", (int) c, text));
            }
        }
    }

    private static void inspect(byte[] image) throws IOException {
        InspectedImage found = new ImageInspector(20, 100).inspect(new ByteArrayInputStream(image));
        for (InspectedImage.Type type : found.types()) {
            assertPrintable(type.toString());
        }
        for (InspectedImage.ClassUse use : found.classes()) {
            assertPrintable(use.toString());
        }
        assertPrintable(found.tree().toString());
        if (found.problem() != null) {
            throw found.problem();
        }
    }

    @Test
    void objectStreamsTellThemPrintablyToo() throws Exception {
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(
                bytes, Heapspan.builder().checksum(false).build())) {
            output.writeObject(new Plain());
        }
        byte[] stream = bytes.toByteArray();
        int failures = 0;
        for (int at = 0; at < stream.length; at++) {
            byte[] altered = altered(stream, at, "\nX");
            if (altered == null) {
                continue;
            }
            try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(altered))) {
                Use reading = ignored -> input.readObject();
                if (failsPrintably(reading, altered)) {
                    failures++;
                    try {
                        input.readObject();
                    } catch (IOException again) {
                        assertPrintable(String.valueOf(again.getMessage()));
                    }
                }
            }
        }
        assertThat(failures).isPositive();
    }

    /** A class for each number of dimensions, which the JVM never lets go, comes along with an array of more. */
    @Test
    void arraysHaveFewDimensionsOnly() {
        Heapspan heapspan = Heapspan.create();
        for (int dimensions : new int[] {8, 16, 17, 255}) {
            Object array = Array.newInstance(Integer.class, new int[dimensions]);
            for (Object graph : new Object[] {array, array.getClass()}) {
                byte[] image = heapspan.encode(graph);
                assertThat(heapspan.<Object>decodeTrusted(image, Object.class)).isNotNull();
                if (dimensions <= 16) {
                    assertThat(heapspan.<Object>decode(image, Object.class)).isNotNull();
                } else {
                    assertThatThrownBy(() -> heapspan.decode(image, Object.class))
                            .isInstanceOfSatisfying(
                                    HeapspanException.class,
                                    e -> assertThat(e.category()).isEqualTo(HeapspanException.Category.LIMIT))
                            .hasMessageContaining(dimensions + " dimensions");
                }
            }
        }
    }
}
