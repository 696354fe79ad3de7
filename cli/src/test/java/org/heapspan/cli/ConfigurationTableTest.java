package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.heapspan.HeapspanBuilder;
import org.heapspan.Mode;
import org.heapspan.vm.AccessMeans;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holds docs/configuration.md against the code. */
@Tag("once")
final class ConfigurationTableTest {
    private static final Path ROOT = Path.of(System.getProperty("heapspan.root", ".."));
    private static final Pattern KEY = Pattern.compile("\"(heapspan\\.[a-zA-Z0-9.]+|HEAPSPAN_[A-Z0-9_]+)\"");
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\|([^|]+)\\|([^|]+)\\|([^|]+)\\|");

    private static Map<String, List<String>> table() throws IOException {
        Map<String, List<String>> rows = new TreeMap<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/configuration.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                List<String> cells = Stream.of(row.group(2), row.group(3), row.group(4))
                        .map(String::strip)
                        .toList();
                assertThat(rows.put(row.group(1), cells)).as(line).isNull();
            }
        }
        return rows;
    }

    /** Keys that shipped code has in quotes: it reads properties by constants or literals, never by parts. */
    private static Set<String> keysOfTheCode() throws IOException {
        Set<String> keys = new TreeSet<>();
        for (String module : List.of("vm", "image", "h2", "exchange", "cli")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    Matcher key = KEY.matcher(Files.readString(file));
                    while (key.find()) {
                        keys.add(key.group(1));
                    }
                }
            }
        }
        Arrays.stream(HeapspanBuilder.class.getMethods())
                .filter(method -> method.getReturnType() == HeapspanBuilder.class)
                .forEach(method -> keys.add(method.getName() + "()"));
        return keys;
    }

    @Test
    void hasEveryKeyOnceAndNoOther() throws Exception {
        assertThat(table().keySet()).containsExactlyElementsOf(keysOfTheCode());
    }

    @Test
    void saysDefaultUnitAndMeaningOfEach() throws Exception {
        assertThat(table().values()).allSatisfy(cells -> assertThat(cells).noneMatch(String::isEmpty));
    }

    /** As far as the code shows its defaults. */
    @Test
    void defaultsAreThoseOfTheCode() throws Exception {
        Map<String, List<String>> table = table();
        assertThat(read("image/src/main/java/org/heapspan/image/engine/VerificationSetting.java"))
                .contains("DEFAULT_SHARE = " + defaultOf(table, "heapspan.verify") + ";");
        assertThat(read("vm/src/main/java/org/heapspan/vm/CarverOpening.java"))
                .contains("environment : \"" + defaultOf(table, "heapspan.direct") + "\";");
        String builder = read("image/src/main/java/org/heapspan/HeapspanBuilder.java");
        assertThat(builder).contains("boolean checksum = " + defaultOf(table, "checksum()") + ";");
        assertThat(builder).contains("Mode mode = Mode." + defaultOf(table, "mode()") + ";");
        assertThat(builder).contains("Default: " + defaultOf(table, "maxObjects()") + ".");
        String library = read("vm/src/main/java/org/heapspan/vm/NativeLibrary.java");
        assertThat(defaultOf(table, "heapspan.native.library")).isEqualTo("from the jar");
        assertThat(library).contains("System.getProperty(PATH_PROPERTY);", "extractAndLoad(content);");
        assertThat(defaultOf(table, "heapspan.native.dir")).startsWith("the temporary directory");
        assertThat(library.replaceAll("\\s+", " "))
                .contains("System.getProperty(DIRECTORY_PROPERTY), System.getProperty(\"java.io.tmpdir\"),");
        String exchange = read("exchange/src/main/java/org/heapspan/exchange/ExchangeDefaults.java");
        assertThat(exchange)
                .contains(
                        "DEADLINE_SECONDS = " + defaultOf(table, "heapspan.exchange.deadline") + ";",
                        "TIMEOUT_SECONDS = " + defaultOf(table, "heapspan.exchange.timeout") + ";",
                        "ELECTION_MILLIS = " + defaultOf(table, "heapspan.exchange.election") + ";",
                        "SNAPSHOT_CHANGES = "
                                + defaultOf(table, "heapspan.exchange.snapshot").replaceAll("000$", "_000") + ";",
                        "SHARED_MEMORY = Path.of(\"/dev/shm\")");
        assertThat(defaultOf(table, "heapspan.exchange.dir")).contains("/dev/shm");
        // Read without a default, so that nothing is forced or limited.
        for (String key : List.of("heapspan.access", "heapspan.cpu")) {
            assertThat(defaultOf(table, key)).isEqualTo("the best one available");
        }
        assertThat(read("vm/src/main/java/org/heapspan/vm/VirtualMachine.java"))
                .contains("discover(System.getProperty(AccessMeans.PROPERTY));");
        assertThat(read("vm/src/main/java/org/heapspan/vm/CarverOpening.java"))
                .contains("CpuPath.limit(System.getProperty(CpuPath.PROPERTY));");
    }

    /** Where only some words are understood. */
    @Test
    void valuesAreThoseOfTheCode() throws Exception {
        Map<String, List<String>> table = table();
        assertThat(valuesOf(table, "heapspan.access"))
                .containsExactly(Arrays.stream(AccessMeans.values())
                        .map(AccessMeans::propertyValue)
                        .toArray(String[]::new));
        Matcher path = Pattern.compile("(?m)^ {4}[A-Z0-9]+\\(\"([a-z0-9]+)\"\\)[,;]")
                .matcher(read("vm/src/main/java/org/heapspan/vm/CpuPath.java"));
        assertThat(valuesOf(table, "heapspan.cpu"))
                .containsExactly(path.results().map(found -> found.group(1)).toArray(String[]::new));
        for (String key : List.of("heapspan.direct", "HEAPSPAN_DIRECT")) {
            String values = "\"" + String.join("\", \"", valuesOf(table, key)) + "\"";
            assertThat(read("vm/src/main/java/org/heapspan/vm/CarverOpening.java"))
                    .contains("List.of(" + values + ")");
        }
        assertThat(valuesOf(table, "mode()"))
                .containsExactly(Arrays.stream(Mode.values()).map(Mode::name).toArray(String[]::new));
    }

    /** The words in the column of units. */
    private static List<String> valuesOf(Map<String, List<String>> table, String key) {
        return Arrays.stream(table.get(key).get(1).split(", "))
                .map(word -> word.replace("`", ""))
                .toList();
    }

    private static String defaultOf(Map<String, List<String>> table, String key) {
        return table.get(key).get(0).replace("`", "");
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }
}
