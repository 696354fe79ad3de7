package org.heapspan.spark.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.serializer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.spark.heapspan.PartitionedRecords;
import org.heapspan.HeapspanException;
import org.heapspan.spark.SerializedStreams;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Pairs of numbers, strings and byte arrays in shuffles: as many bytes as they need, and what was written arrives. */
@Tag("once")
final class PlainPairsTest {
    private static final long SEED = 4711;

    /** What the shuffle manager writes for a reducer. */
    private static byte[] shuffled(boolean checked, List<?> records, String... keysAndValues) throws IOException {
        return SerializedStreams.shuffled(serializer(keysAndValues), checked, records.toArray());
    }

    private static boolean isPlain(byte[] bytes) {
        return PlainPairs.isHead(bytes[0] & 0xFF, bytes[1] & 0xFF);
    }

    private static Object value(PlainKind kind, Random random) {
        return switch (kind) {
            case NULL -> null;
            case BOOLEAN -> random.nextBoolean();
            case BYTE -> (byte) random.nextInt();
            case SHORT -> (short) random.nextInt();
            case CHARACTER -> (char) random.nextInt();
            case INTEGER -> random.nextInt() >> random.nextInt(32);
            case LONG -> random.nextLong() >> random.nextInt(64);
            case FLOAT -> Float.intBitsToFloat(random.nextInt());
            case DOUBLE -> random.nextGaussian();
            case STRING -> string(random);
            case BYTES -> bytes(random);
        };
    }

    private static String string(Random random) {
        int most = new int[] {'z', 'z', 0xFF, 0xFFFF}[random.nextInt(4)];
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(40); length > 0; length--) {
            text.append((char) random.nextInt(most + 1));
        }
        return text.toString();
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(30)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Arrays by their contents, numbers by their bits. */
    private static List<String> texts(List<?> pairs) {
        return pairs.stream()
                .map(pair -> (Tuple2<?, ?>) pair)
                .map(pair -> pair.getClass().getName() + text(pair._1()) + text(pair._2()))
                .toList();
    }

    private static String text(Object value) {
        return value instanceof byte[] bytes
                ? Arrays.toString(bytes)
                : value == null ? " null" : " " + value.getClass() + " " + value;
    }

    /** Blocks name kinds by their codes. */
    @Test
    void codesAreThoseOfTheDocumentation() throws Exception {
        String document = Files.readString(Path.of("../docs/formats/record-streams.md"));
        for (PlainKind kind : PlainKind.values()) {
            assertThat(PlainKind.ofCode(kind.code)).isSameAs(kind);
            assertThat(document.toLowerCase(Locale.ROOT))
                    .contains("| " + kind.code + " | "
                            + (kind == PlainKind.BYTES ? "byte[]" : kind.name().toLowerCase(Locale.ROOT)) + " |");
        }
    }

    @ParameterizedTest
    @EnumSource
    void allKindsArrive(PlainKind key) throws Exception {
        Random random = new Random(SEED);
        for (PlainKind value : PlainKind.values()) {
            for (int count : new int[] {1, 2, 7, 8, 300}) {
                List<Tuple2<?, ?>> pairs = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    pairs.add(new Tuple2<>(value(key, random), value(value, random)));
                }
                for (boolean checked : new boolean[] {true, false}) {
                    byte[] bytes = shuffled(checked, pairs, "spark.heapspan.groupBytes", "1k");
                    assertThat(isPlain(bytes)).isEqualTo(key != PlainKind.NULL || value != PlainKind.NULL);
                    assertThat(texts(read(instance(), bytes)))
                            .as("%s, %s, %d", key, value, count)
                            .isEqualTo(texts(pairs));
                }
            }
        }
    }

    @Test
    void extremesArrive() throws Exception {
        List<Tuple2<?, ?>> pairs = new ArrayList<>();
        for (int shift = 0; shift < 64; shift++) {
            for (long near = -1; near <= 1; near++) {
                pairs.add(new Tuple2<>((1L << shift) + near, (int) (1L << shift) - (int) near));
            }
        }
        assertThat(read(instance(), shuffled(true, pairs))).isEqualTo(pairs);
        List<Tuple2<?, ?>> strings = new ArrayList<>();
        for (String text : List.of("", "\0", "\0a", "a\0", "\u007F", "\u0080", "\u00FF", "\uD800", "x\uDC00y", "€")) {
            strings.add(new Tuple2<>(text, "key of " + text));
        }
        assertThat(read(instance(), shuffled(false, strings))).isEqualTo(strings);
    }

    @Test
    void tuplesOfPrimitiveValuesKeepTheirClass() throws Exception {
        for (String name : List.of("II", "JD", "CZ", "ZC")) {
            Class<?> type = Class.forName("scala.Tuple2$mc" + name + "$sp");
            Object pair = type.getConstructors()[0].newInstance(
                    value(kind(name.charAt(0)), new Random(1)), value(kind(name.charAt(1)), new Random(1)));
            byte[] bytes = shuffled(false, List.of(pair, pair));
            assertThat(isPlain(bytes)).isTrue();
            assertThat(read(instance(), bytes))
                    .containsExactly(pair, pair)
                    .allSatisfy(arrived -> assertThat(arrived).hasSameClassAs(pair));
        }
    }

    private static PlainKind kind(char letter) {
        return Arrays.stream(PlainKind.values())
                .filter(kind -> kind.letter == letter)
                .findFirst()
                .orElseThrow();
    }

    /** Two bytes for a block, and none for what a record is: as few as Kryo with registered classes needs for one record. */
    @Test
    void fewRecordsHaveAHeadOfTwoBytes() throws Exception {
        assertThat(shuffled(false, List.of(new Tuple2<>(1, 2)))).hasSize(2 + 1 + 1);
        assertThat(shuffled(false, Collections.nCopies(7, new Tuple2<>("word", 300))))
                .hasSize(2 + 7 * (4 + 2));
        assertThat(shuffled(false, Collections.nCopies(8, new Tuple2<>("word", 300))))
                .as("with a length and a checksum")
                .hasSize(2 + 1 + 4 + 8 * (4 + 2));
        assertThat(shuffled(true, List.of(new Tuple2<>(1, 2)))).hasSize(2 + 1 + 4 + 1 + 1);
    }

    @Test
    void recordsOfAnotherKindFollowInGroups() throws Exception {
        List<Tuple2<?, ?>> pairs = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pairs.add(new Tuple2<>("key " + i, i < 30 ? (Object) i : i < 60 ? (Object) (long) i : List.of(i)));
        }
        for (boolean checked : new boolean[] {true, false}) {
            byte[] bytes = shuffled(checked, pairs, "spark.heapspan.groupBytes", "1k");
            assertThat(isPlain(bytes)).isTrue();
            assertThat(read(instance(), bytes)).isEqualTo(pairs);
        }
        List<Object> otherPairs = List.of(new Tuple2<>(1, 2), new Pair(3, 4));
        assertThat(read(instance(), shuffled(false, otherPairs))).isEqualTo(otherPairs);
    }

    private static final class Pair extends Tuple2<Integer, Integer> {
        private static final long serialVersionUID = 1L;

        Pair(int key, int value) {
            super(key, value);
        }
    }

    @Test
    void whatKeyAndValueShareStaysShared() throws Exception {
        byte[] shared = {1, 2, 3};
        Tuple2<?, ?> arrived = (Tuple2<?, ?>) read(instance(), shuffled(false, List.of(new Tuple2<>(shared, shared))))
                .get(0);
        assertThat(arrived._1()).isSameAs(arrived._2()).isEqualTo(shared);
    }

    @Test
    void arraysMayBeChangedAfterTheyWereWritten() throws Exception {
        PartitionedRecords groups = serializer().partitionedRecords(1, false, bytes -> true);
        byte[] reused = new byte[10];
        for (byte i = 0; i < 5; i++) {
            Arrays.fill(reused, i);
            groups.write(0, new Tuple2<>((int) i, reused));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        groups.writeTo(0, bytes);
        for (Object each : read(instance(), bytes.toByteArray())) {
            Tuple2<?, ?> pair = (Tuple2<?, ?>) each;
            assertThat((byte[]) pair._2()).containsOnly((byte) (int) (Integer) pair._1());
        }
    }

    @Test
    void longValuesAreForGroups() throws Exception {
        for (Object value : new Object[] {"x".repeat(5000), new byte[5000]}) {
            byte[] bytes = shuffled(false, List.of(new Tuple2<>(1, value)));
            assertThat(isPlain(bytes)).isFalse();
            assertThat(read(instance(), bytes)).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStreamThatEndsEarlyIsAnErrorWhereverItEnds(boolean checked) throws Exception {
        byte[] bytes = shuffled(checked, List.of(new Tuple2<>("Ada", 300L), new Tuple2<>("\u00E9", -1L)));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> read(instance(), cut))
                    .as("%d of %d bytes", length, bytes.length)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("truncated");
        }
    }

    @Test
    void everyFlippedBitOfCheckedPairsIsNoticed() throws Exception {
        List<Tuple2<?, ?>> pairs = List.of(new Tuple2<>("Ada", 300), new Tuple2<>("Bo", -1));
        byte[] one = shuffled(true, pairs);
        byte[] bytes = Arrays.copyOf(one, 2 * one.length);
        System.arraycopy(one, 0, bytes, one.length, one.length);
        List<Object> expected = read(instance(), bytes);
        assertThat(expected).hasSize(4);
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] damaged = bytes.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> read(instance(), damaged))
                    .as("bit %d", bit)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("stream");
        }
    }

    /** Bytes of an enemy, or of a block whose damage nobody has noticed. */
    @Test
    void anyBytesAreRecordsOrAnError() {
        Random random = new Random(SEED);
        int read = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[2 + random.nextInt(60)];
            random.nextBytes(bytes);
            int count = random.nextInt(8);
            bytes[0] = PlainPairs.head(true, random.nextInt(4) == 0, count);
            bytes[1] = (byte) (random.nextInt(11) << 4 | random.nextInt(11));
            try {
                read(instance(), bytes);
                read++;
            } catch (HeapspanException e) {
                assertThat(e).hasMessageContaining("stream");
            }
        }
        assertThat(read).isPositive();
    }

    @Test
    void falseLengthsTakeNoMemoryInAdvance() {
        byte[] array = {(byte) 0xA1, 0x0A, 0, -1, -1, -1, -1, -1, -1, -1, 0x7F};
        assertThatThrownBy(() -> read(instance(), array)).hasMessageContaining("would have 9223372036854775807 bytes");
        byte[] group = {(byte) 0xA8, 0x05, 0, -9, -1, -1, 0x7F, 0, 0, 0, 0, 1, 2, 3, 4, 5};
        assertThatThrownBy(() -> read(instance(), group)).hasMessageContaining("of 2147483639 bytes, after 1 bytes");
    }

    @Test
    void wrongHeadsAreRefused() {
        for (int head : new int[] {0xA2_00, 0xBA_95, 0xA2_F5, 0xA2_5F, 0xAA_95, 0xAC_ED}) {
            byte[] bytes = {(byte) (head >> 8), (byte) head, 1, 1, 1, 1, 1, 1, 1, 1};
            assertThatThrownBy(() -> read(instance(), bytes))
                    .as(Integer.toHexString(head))
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("no group of records begins at byte 0");
        }
    }

    @Test
    void theExampleOfTheDocumentationIsWhatIsWritten() throws Exception {
        byte[] bytes = shuffled(false, List.of(new Tuple2<>("Ada", 300), new Tuple2<>("Bo", -1)));
        String document = Files.readString(Path.of("../docs/formats/record-streams.md"));
        String documented = Pattern.compile("^((?:[0-9A-F]{2} )+) .*$", Pattern.MULTILINE)
                .matcher(document.substring(document.indexOf("Example: the pairs")))
                .results()
                .map(line -> line.group(1).replace(" ", ""))
                .reduce("", String::concat);
        assertThat(HexFormat.of().withUpperCase().formatHex(bytes)).isEqualTo(documented);
    }

    /** What a map task to many reducers takes in memory. */
    @Test
    void aReducerWithFewPairsTakesLittleMemory() {
        PartitionedRecords groups = serializer().partitionedRecords(1000, false, bytes -> true);
        for (int i = 0; i < 4000; i++) {
            groups.write(i % 1000, new Tuple2<>(i, i));
        }
        assertThat(groups.memoryBytes()).isLessThan(400_000);
        groups.clear();
        assertThat(groups.memoryBytes()).isZero();
    }
}
