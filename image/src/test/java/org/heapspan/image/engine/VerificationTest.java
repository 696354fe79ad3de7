package org.heapspan.image.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.heapspan.Encoding;
import org.heapspan.EngineStatistics;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.image.memory.Access;
import org.heapspan.image.raw.RawCarving;
import org.heapspan.image.raw.RawPieces;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Both engines decode, and what they make is compared. What ends with an engine switched off runs in a JVM of its own. */
@DisabledIfSystemProperty(named = "heapspan.access", matches = "unsafe|reflection")
@SuppressWarnings("serial")
public class VerificationTest {
    @TempDir
    Path folder;

    static final class Part implements Serializable {
        int number;
        String name;
        TimeUnit unit = TimeUnit.DAYS;
        Object any;

        Part(int number) {
            this.number = number;
            name = "part " + number;
        }
    }

    /** Looks different each time it is read. */
    static final class Stamped implements Serializable {
        private static int reads;

        int stamp;
        Part part = new Part(1);

        private void readObject(ObjectInputStream in) throws java.io.IOException, ClassNotFoundException {
            in.defaultReadObject();
            stamp = ++reads;
        }
    }

    /** Alters the last number of the last object of a chunk. */
    static final class Flip implements RawCarving.Fault {
        @Override
        public byte[] alter(byte[] image, RawPieces pieces) {
            byte[] altered = image.clone();
            RawPieces.Piece piece = pieces.get(0);
            altered[piece.position() + piece.header.bitmap() - 4] ^= 0x55;
            return altered;
        }
    }

    private static Object[] graph() {
        List<Object> graph = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Part part = new Part(i);
            part.any = i % 3 == 0 ? graph.toArray() : new HashMap<>(Map.of("key " + i, new Part(-i)));
            graph.add(part);
        }
        graph.add(new HashSet<>(List.of(List.of(1, 2), "x", TimeUnit.DAYS)));
        graph.add(new long[] {1, 2, 3});
        // The last object of the chunk ends with a number, which is what Flip alters.
        graph.add(new int[] {1, 2, 3, 4});
        return graph.toArray();
    }

    private static byte[] streamed(Object graph) throws java.io.IOException {
        var out = new ByteArrayOutputStream();
        Heapspan.create().encodeTo(graph, Encoding.RAW, out);
        return out.toByteArray();
    }

    private static IdentityHashMap<Part, Integer> identityMap(Part... parts) {
        IdentityHashMap<Part, Integer> map = new IdentityHashMap<>();
        for (Part part : parts) {
            map.put(part, part.number);
        }
        return map;
    }

    private static void needsTheEngine() {
        Assumptions.assumeTrue(Access.MACHINE.carver() != null, "needs the direct engine");
    }

    private static EngineStatistics.Verification counts() {
        return Heapspan.statistics().verification();
    }

    @Test
    void findsNothingWrongWithWhatIsRight() throws Exception {
        needsTheEngine();
        Heapspan verifying = Heapspan.builder().verify(1).build();
        byte[] image = verifying.encode(graph(), Encoding.RAW);
        var before = counts();
        assertThat(verifying.decodeTrusted(image, Object[].class)).hasSize(23);
        assertThat(verifying.decodeTrustedFrom(new ByteArrayInputStream(streamed(graph())), Object[].class))
                .hasSize(23);
        GroupWriter writer = verifying.groupWriter(Encoding.RAW);
        for (int i = 0; i < 5_000; i++) {
            writer.write(i % 7 == 0 ? null : new Part(i));
        }
        GroupReader reader = verifying.trustedGroupReader(writer.finish());
        for (int i = 0; i < 5_000; i++) {
            Part part = (Part) reader.next();
            assertThat(part == null).isEqualTo(i % 7 == 0);
        }
        assertThat(reader.hasNext()).isFalse();
        assertThat(counts().equal()).isEqualTo(before.equal() + 5_002);
        assertThat(counts().different()).isEqualTo(before.different()).isZero();
        assertThat(Access.MACHINE.carver()).isNotNull();
    }

    @Test
    void concludesNothingFromContainersThatHashByIdentityAndFromHooksThatChangeTheirMinds() {
        needsTheEngine();
        Heapspan verifying = Heapspan.builder().verify(1).build();
        var before = counts();
        int inconclusive = 0;
        for (int round = 0; round < 30; round++) {
            Part[] parts = {new Part(1), new Part(2), new Part(3)};
            Object[] keyed = {
                new HashSet<>(Arrays.asList(parts)),
                identityMap(parts),
                new HashMap<>(Map.of(List.of(parts[0]), 1, List.of(parts[1]), 2, List.of(parts[2]), 3)),
                List.copyOf(new HashSet<>(Arrays.asList(parts))),
                java.util.Set.of(parts),
                parts
            };
            Object[] copy = verifying.decodeTrusted(verifying.encode(keyed, Encoding.RAW), Object[].class);
            assertThat((HashSet<?>) copy[0]).hasSize(3);
            Object[] pair = {new Stamped(), new Part(2)};
            verifying.decodeTrusted(verifying.encode(pair, Encoding.RAW), Object[].class);
            inconclusive++;
        }
        assertThat(counts().inconclusive()).isGreaterThanOrEqualTo(before.inconclusive() + inconclusive);
        assertThat(counts().different()).isZero();
        assertThat(Access.MACHINE.carver()).isNotNull();
    }

    @Test
    void damagedImagesAreNotTheEnginesFault() {
        needsTheEngine();
        Heapspan verifying = Heapspan.builder().verify(1).checksum(false).build();
        byte[] image = verifying.encode(graph(), Encoding.RAW);
        for (int length = image.length - 1; length > 0; length -= 37) {
            byte[] part = Arrays.copyOf(image, length);
            assertThatThrownBy(() -> verifying.decodeTrusted(part, Object[].class))
                    .isInstanceOf(HeapspanException.class);
            assertThatThrownBy(() -> verifying.decodeTrustedFrom(new ByteArrayInputStream(part), Object[].class))
                    .isInstanceOf(HeapspanException.class);
        }
        assertThat(counts().different()).isZero();
        assertThat(Access.MACHINE.carver()).isNotNull();
    }

    @Test
    void readsNoFurtherThanTheEnd() throws Exception {
        needsTheEngine();
        Heapspan verifying = Heapspan.builder().verify(1).build();
        var out = new ByteArrayOutputStream();
        verifying.encodeTo(new Part(1), Encoding.RAW, out);
        verifying.encodeTo("two", out);
        out.write(3);
        var in = new ByteArrayInputStream(out.toByteArray());
        assertThat(verifying.decodeTrustedFrom(in, Part.class).number).isEqualTo(1);
        assertThat(verifying.decodeTrustedFrom(in, String.class)).isEqualTo("two");
        assertThat(in.read()).isEqualTo(3);
    }

    /** Main class of a JVM whose direct engine is made to err. */
    public static final class Faulty {
        private Faulty() {}

        /** Decodes by the way that the argument names. */
        public static void main(String[] arguments) throws Exception {
            Heapspan heapspan = Heapspan.create();
            Object[] graph = graph();
            byte[] image = heapspan.encode(graph, Encoding.RAW);
            GroupWriter writer = heapspan.groupWriter(Encoding.RAW);
            for (int i = 0; i < 100; i++) {
                writer.write(new int[] {i, i});
            }
            byte[] group = writer.finish();
            RawCarving.fault = new Flip();
            byte[] expected = heapspan.encode(graph);
            System.out.println("on=" + (Access.MACHINE.carver() != null));
            boolean right = true;
            switch (arguments[0]) {
                case "array" ->
                    right = Arrays.equals(expected, heapspan.encode(heapspan.decodeTrusted(image, Object[].class)));
                case "stream" ->
                    right = Arrays.equals(
                            expected,
                            heapspan.encode(heapspan.decodeTrustedFrom(
                                    new ByteArrayInputStream(streamed(graph())), Object[].class)));
                default -> {
                    GroupReader reader = heapspan.trustedGroupReader(group);
                    for (int i = 0; i < 100; i++) {
                        right &= reader.hasNext() && ((int[]) reader.next())[0] == i;
                    }
                    right &= !reader.hasNext();
                }
            }
            System.out.println("right=" + right);
            var before = Heapspan.statistics();
            right = Arrays.equals(expected, heapspan.encode(heapspan.decodeTrusted(image, Object[].class)));
            System.out.println("later=" + right);
            System.out.println("different=" + before.verification().different());
            System.out.println("carvedLater=" + (Heapspan.statistics().chunksCarved() - before.chunksCarved()));
            System.out.println("off=" + (Access.MACHINE.carver() == null));
            System.out.println("finding="
                    + Access.MACHINE.findings().stream()
                            .filter(finding -> finding.subject().equals("direct engine"))
                            .findFirst()
                            .orElseThrow());
        }
    }

    private void findsTheFault(String way) throws Exception {
        needsTheEngine();
        JavaProcess.Result result =
                JavaProcess.run(Faulty.class, List.of("-Dheapspan.verify=1", "-Dheapspan.verify.dump=" + folder), way);
        assertThat(result.value("on")).isEqualTo("true");
        assertThat(result.value("right")).as(result.outputAndErrors()).isEqualTo("true");
        assertThat(result.value("different")).isEqualTo("1");
        assertThat(result.value("later")).isEqualTo("true");
        assertThat(result.value("carvedLater")).isEqualTo("0");
        assertThat(result.value("off")).isEqualTo("true");
        assertThat(result.value("finding")).contains("off", "switched off", "decoded a raw image", "report");
        List<Path> kept;
        try (var files = Files.list(folder)) {
            kept = files.toList();
        }
        assertThat(kept).hasSize(1);
        assertThat(Heapspan.create()
                        .trustedGroupReader(Files.readAllBytes(kept.get(0)))
                        .next())
                .isNotNull();
        // One line, which names the file.
        assertThat(result.outputAndErrors().lines().filter(line -> line.contains("wrongly")))
                .filteredOn(line -> !line.startsWith("finding="))
                .singleElement()
                .satisfies(line -> assertThat(line).contains(kept.get(0).toString()));
    }

    @Test
    void findsAFaultInAnArray() throws Exception {
        findsTheFault("array");
    }

    @Test
    void findsAFaultInAStream() throws Exception {
        findsTheFault("stream");
    }

    @Test
    void findsAFaultInAGroup() throws Exception {
        findsTheFault("group");
    }

    /** Names that others chose, as that of a folder, begin no line and move no cursor. */
    @Test
    void tellsOfAFaultInOnePrintableLine() throws Exception {
        needsTheEngine();
        Path named = Files.createDirectory(folder.resolve("a\u001b[2J\nfinding=b"));
        JavaProcess.Result result = JavaProcess.run(
                Faulty.class, List.of("-Dheapspan.verify=1", "-Dheapspan.verify.dump=" + named), "array");
        assertThat(result.value("different")).isEqualTo("1");
        assertThat(result.value("finding")).contains("a\\u001b[2J\\nfinding=b");
        assertThat(result.outputAndErrors().lines().filter(line -> line.contains("please report this")))
                .anySatisfy(line -> assertThat(line).contains("wrongly", "a\\u001b[2J\\nfinding=b/heapspan-"));
        assertThat(result.outputAndErrors()).doesNotContain("\u001b");
    }

    /** The test of the test: without verification the fault goes unnoticed. */
    @Test
    void seesNothingUnlessAsked() throws Exception {
        needsTheEngine();
        JavaProcess.Result result = JavaProcess.run(Faulty.class, List.of(), "array");
        assertThat(result.value("right")).isEqualTo("false");
        assertThat(result.value("different")).isEqualTo("0");
        assertThat(result.value("off")).isEqualTo("false");
    }

    @Test
    void wrongSettingsAreRefusedByName() throws Exception {
        for (String wrong : List.of(
                "-Dheapspan.verify=often",
                "-Dheapspan.verify=1.5",
                "-Dheapspan.verify=NaN",
                "-Dheapspan.verify.dump=/no/such/folder")) {
            JavaProcess.Result result = JavaProcess.runToAnyEnd(Faulty.class, List.of(wrong), "array");
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.outputAndErrors())
                    .contains("IllegalArgumentException", wrong.substring(2, wrong.indexOf('=')), "expected");
        }
        assertThatThrownBy(() -> Heapspan.builder().verify(-0.1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Heapspan.builder().verify(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }
}
