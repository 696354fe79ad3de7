package org.heapspan.tests.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.heapspan.examples.Example01EncodeAndDecode;
import org.heapspan.examples.Example02ObjectStreams;
import org.heapspan.examples.Example03DeepCopy;
import org.heapspan.examples.Example04RecordGroups;
import org.heapspan.examples.Example05UntrustedInput;
import org.heapspan.examples.Example06RegisterUpdate;
import org.heapspan.examples.ExchangeDemo;
import org.junit.jupiter.api.Test;

/** The examples say what the page on them promises. */
final class ExamplesTest {
    private interface Main {
        void run(String... arguments) throws Exception;
    }

    private static String output(Main main) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            main.run();
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }

    @Test
    void encodeAndDecode() throws Exception {
        assertThat(output(Example01EncodeAndDecode::main))
                .contains(
                        "a friend's friend is itself: true",
                        "first and third are one:     true",
                        "copy and original are two:   true");
    }

    @Test
    void objectStreams() throws Exception {
        assertThat(output(Example02ObjectStreams::main))
                .contains("the second is the same object: true", "after reset() it is another:   true");
    }

    @Test
    void deepCopy() throws Exception {
        String output = output(Example03DeepCopy::main);
        assertThat(value(output, "original, changed after the copy: "))
                .isNotEqualTo(value(output, "copy:                             "));
        assertThat(value(output, "transient field, Mode.SERIAL:     "))
                .isNotEqualTo(value(output, "transient field, Mode.CLONE:      "));
    }

    private static String value(String output, String name) {
        return output.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line begins with '" + name + "' in " + output));
    }

    @Test
    void recordGroups() throws Exception {
        assertThat(output(Example04RecordGroups::main))
                .contains(String.format("%,d records in 4 groups", 10_000))
                .contains("bytes per record in groups: ");
    }

    @Test
    void untrustedInput() throws Exception {
        assertThat(output(Example05UntrustedInput::main))
                .contains("welcome:  Message[text=hello]", "CLASS_REJECTED: ", "LIMIT: ", "MALFORMED: ");
    }

    /** With few books, and in the JVMs that it starts itself. */
    @Test
    void exchangeDemo() throws Exception {
        assertThat(output(arguments -> ExchangeDemo.main(new String[] {"500"})))
                .contains(
                        "heapspan serve: serving heapspan://127.0.0.1:",
                        "A second JVM has put 500 books",
                        "This JVM gets the same books: true, from shared memory: true",
                        "readObject of Java serialization",
                        "get says UNREACHABLE: get of key 'books'");
    }

    @Test
    void registerUpdate() throws Exception {
        assertThat(output(Example06RegisterUpdate::main))
                .contains("name:   count words", "runsOn: receiver, sent by sender", "hops:   1");
    }
}
