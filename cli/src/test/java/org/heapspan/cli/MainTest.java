package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.TypeRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class MainTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    private int run(String... arguments) {
        out.reset();
        errors.reset();
        return Main.run(
                arguments,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(errors, true, StandardCharsets.UTF_8));
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String errors() {
        return errors.toString(StandardCharsets.UTF_8);
    }

    private String image(Object root) throws Exception {
        Path file = folder.resolve("image");
        Files.write(file, Heapspan.create().encode(root));
        return file.toString();
    }

    @Test
    void helpNamesEveryCommandAndExitCode() {
        assertThat(run()).isZero();
        assertThat(output()).contains("doctor", "inspect FILE", "bench", "exit codes: 0", "1 failure", "2 wrong");
        assertThat(run("--help")).isZero();
        for (String[] words : new String[][] {{"doctor", "--help"}, {"inspect", "-h"}, {"native", "build", "--help"}}) {
            assertThat(run(words)).as(Arrays.toString(words)).isZero();
            assertThat(output()).startsWith("usage: heapspan");
        }
        assertThat(run("--version")).isZero();
        assertThat(output()).startsWith("heapspan ");
    }

    /** The disk is full, or {@code head} has read enough. */
    @Test
    void outputThatIsLostIsAFailure() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        PrintStream lost = new PrintStream(full, false, StandardCharsets.UTF_8);
        assertThat(Main.run(new String[] {"version"}, lost, new PrintStream(errors, true, StandardCharsets.UTF_8)))
                .isEqualTo(1);
        assertThat(errors()).contains("the output could not be written").hasLineCount(1);
    }

    /** Somebody else chose the names. */
    @Test
    void namesDoNothingToTheTerminal() throws Exception {
        byte[] image = Heapspan.builder().checksum(false).build().encode(new Sample());
        String text = new String(image, StandardCharsets.ISO_8859_1);
        byte[] hostile = text.replace("Sample", "\u001b[2JX\n")
                .replace("message", "\r\u001b]0;X\u0007")
                .getBytes(StandardCharsets.ISO_8859_1);
        assertThat(hostile).hasSize(image.length).isNotEqualTo(image);
        Path file = Files.write(folder.resolve("image\u001b[2J"), hostile);
        for (String[] arguments : new String[][] {
            {"inspect", "--fields", file.toString()},
            {"inspect", "--json", file.toString()},
            {"inspect", file + "\u001b[2Jmissing"},
            {
                "inspect",
                Files.write(folder.resolve("none\n\u001b[2J"), new byte[30]).toString()
            },
            {"\u001b[2J"},
            {"inspect", "--\u001b[2J"}
        }) {
            run(arguments);
            assertThat(output() + errors())
                    .isNotEmpty()
                    .doesNotContain("\u001b", "\r", "\u0007")
                    .doesNotContain("\nX");
            assertThat(errors().lines()).hasSizeLessThanOrEqualTo(1);
        }
    }

    static final class Sample implements java.io.Serializable {
        String message = "text";
    }

    @Test
    void wrongCommandLinesExitWith2AndOneLine() throws Exception {
        String file = image("x");
        for (String[] wrong : new String[][] {
            {"cure"},
            {"doctor", "--loud"},
            {"inspect"},
            {"inspect", file, "--depth", "many"},
            {"inspect", file, "--depth", "501"},
            {"inspect", file, "--depth"},
            {"inspect", file, "another"},
            {"bench", "--rounds=0"},
            {"bench", "--samples=none"},
        }) {
            assertThat(run(wrong)).as(Arrays.toString(wrong)).isEqualTo(2);
            assertThat(errors()).startsWith("heapspan: ").hasLineCount(1);
            assertThat(output()).isEmpty();
        }
    }

    @Test
    void doctorSaysWhatItFinds() {
        assertThat(run("doctor")).isZero();
        assertThat(output()).contains("JVM", "means of access", "collector", "heap layout", "CPU", "engine");
        assertThat(output()).contains("verification", "heapspan.verify", "-Dheapspan.direct=false", "HEAPSPAN_DIRECT");
        assertThat(run("doctor", "--json")).isZero();
        assertThat(output()).startsWith("{").contains("\"subject\": \"engine\"").endsWith("}\n");
    }

    @Test
    void inspectShowsClassesAndObjects() throws Exception {
        BenchData.Line line = new BenchData.Line("p\u00fcr\u00e9e", 2, 1.5);
        String file = image(new Object[] {line, line, List.of(1)});

        assertThat(run("inspect", file, "--fields")).isZero();

        assertThat(output())
                .contains("1 root", "checksums match", "org.heapspan.cli.BenchData$Line", "quantity: 2", "-> #1")
                .contains("product: \"p\u00fcr\u00e9e\"", "double price");
        assertThat(run("inspect", "--json", "--depth=2", file)).isZero();
        assertThat(output()).contains("\"class\": \"org.heapspan.cli.BenchData$Line\"", "\"problem\": null");
    }

    @Test
    void inspectShowsRawImages() throws Exception {
        byte[] bytes = Heapspan.create().encode(new BenchData.Line("p\u00fcr\u00e9e", 2, 1.5), Encoding.RAW);
        Path file = Files.write(folder.resolve("raw"), bytes);

        assertThat(run("inspect", file.toString())).isZero();

        assertThat(output())
                .contains("raw image", "heap layout", "1  org.heapspan.cli.BenchData$Line")
                .contains(
                        "record 0: org.heapspan.cli.BenchData$Line #1",
                        "  product: \"p\u00fcr\u00e9e\"",
                        "  quantity: 2");
        assertThat(run("inspect", "--json", file.toString())).isZero();
        assertThat(output()).contains("\"label\": \"quantity\"");
    }

    @Test
    void inspectTellsWhatItCannotShow() throws Exception {
        TypeRegistry registry = TypeRegistry.local();
        byte[] bytes = Heapspan.builder().typeRegistry(registry).build().encode(new BenchData.Line("x", 1, 2));
        Path file = Files.write(folder.resolve("numbered"), bytes);

        assertThat(run("inspect", file.toString())).isZero();
        assertThat(output())
                .contains(
                        "1 frame: 17 B number types",
                        "checksums match",
                        "cannot be shown",
                        registry.id().toString())
                .doesNotContain("0 objects");
        assertThat(run("inspect", "--json", file.toString())).isZero();
        assertThat(output())
                .contains("\"registry\": \"" + registry.id() + "\"", "\"problem\": \"the image has type numbers");

        bytes[bytes.length - 1] ^= 1;
        Files.write(file, bytes);
        assertThat(run("inspect", file.toString())).isEqualTo(1);
        assertThat(errors()).contains("checksum").hasLineCount(1);
    }

    @Test
    void inspectTellsWhatIsWrongWithAFile() throws Exception {
        byte[] bytes = Heapspan.create().encode(List.of("a", "b"));
        bytes[bytes.length - 1] ^= 1;
        Path altered = Files.write(folder.resolve("altered"), bytes);

        assertThat(run("inspect", altered.toString())).isEqualTo(1);
        assertThat(errors()).contains("checksum").hasLineCount(1);
        assertThat(output()).contains("CHECKSUMS DO NOT MATCH");
        assertThat(run("inspect", folder.resolve("missing").toString())).isEqualTo(1);
        assertThat(errors()).contains("there is no file").hasLineCount(1);
        Path other = Files.writeString(folder.resolve("other"), "no image at all");
        assertThat(run("inspect", other.toString())).isEqualTo(1);
        assertThat(errors()).contains("not an object image").hasLineCount(1);
    }

    @Test
    void benchComparesAndPlots() throws Exception {
        Path file = folder.resolve("object");
        try (ObjectOutputStream object = new ObjectOutputStream(Files.newOutputStream(file))) {
            object.writeObject(new BenchData.Line("mine", 1, 2));
        }
        Path plot = folder.resolve("plot.svg");

        int exitCode = run(
                "bench",
                "--samples=orders",
                "--rounds=1",
                "--seconds=0",
                "--file",
                file.toString(),
                "--svg",
                plot.toString());

        assertThat(errors()).isEmpty();
        assertThat(exitCode).isZero();
        assertThat(output()).contains("orders", "Heapspan", "Java", "1.0x", "object: org.heapspan.cli.BenchData$Line");
        assertThat(output()).doesNotContain("failed");
        assertThat(Files.readString(plot)).startsWith("<svg").endsWith("</svg>\n");
        assertThat(run("bench", "--file", folder.resolve("missing").toString())).isEqualTo(1);
        assertThat(errors()).hasLineCount(1);
        String nowhere = folder.resolve("missing/plot.svg").toString();
        assertThat(run("bench", "--samples=orders", "--rounds=1", "--seconds=0", "--svg", nowhere))
                .isEqualTo(1);
        assertThat(errors()).contains("no such file or folder: " + nowhere).hasLineCount(1);
    }
}
