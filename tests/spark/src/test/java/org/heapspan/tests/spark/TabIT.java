package org.heapspan.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.heapspan.testing.Eventually;
import org.heapspan.testing.JavaProcess;
import org.heapspan.tests.spark.SparkRun.Outcome;
import org.heapspan.tests.spark.jobs.TabApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The tab "Heapspan" of Spark's web UI and the metrics, on two executor JVMs, as HTTP and a browser see them. */
final class TabIT {
    private static final String TAB = "/heapspan/";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path folder;

    private static CompletableFuture<Outcome> application;
    private static String address;
    private static JsonNode data;

    @BeforeAll
    static void run() throws Exception {
        Path addressFile = folder.resolve("address");
        SparkRun run = new SparkRun(folder, SparkRun.JDK_25)
                .withHeapspan()
                .withPatientLocality()
                .with("spark.ui.enabled", "true")
                .with("spark.ui.port", "0")
                .with("spark.heapspan.encoding", "raw")
                .with("spark.heapspan.h2.dir", folder.resolve("second heap").toString())
                // The collector looks at every object and reference, before and after, with carved objects among them.
                .with(
                        "spark.executor.extraJavaOptions",
                        String.join(" ", JavaProcess.VERIFICATION) + " -Xmn64m -Xlog:gc+verify=info:file="
                                + folder.resolve("verify-%p.log"))
                .with("spark.metrics.conf.*.sink.csv.class", "org.apache.spark.metrics.sink.CsvSink")
                .with("spark.metrics.conf.*.sink.csv.period", "1")
                .with("spark.metrics.conf.*.sink.csv.unit", "seconds")
                .with(
                        "spark.metrics.conf.*.sink.csv.directory",
                        Files.createDirectories(folder.resolve("metrics")).toString());
        application = CompletableFuture.supplyAsync(() -> {
            try {
                return run.run(
                        "TabApplication", addressFile.toString(), endFile().toString());
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (!Files.exists(addressFile)) {
            if (application.isDone()) {
                throw new AssertionError(
                        "the application ended:\n" + application.get().output());
            }
            Thread.sleep(100);
        }
        address = Files.readString(addressFile);
        // Executors tell every two seconds.
        for (int i = 0; i < 1200 && !isComplete(); i++) {
            Thread.sleep(100);
        }
    }

    private static Path endFile() {
        return folder.resolve("end");
    }

    private static boolean isComplete() throws Exception {
        data = new ObjectMapper().readTree(get(TAB + "json/").body());
        return data.at("/failures/0/count").asInt() >= 1
                && records("encoded", 0) == TabApplication.CACHED
                && records("encoded", 2) >= TabApplication.CACHED
                && records("decoded", 1) >= TabApplication.CACHED
                && records("decoded", 2) >= TabApplication.CACHED
                && records("decoded", 3) >= records("encoded", 2)
                && secondHeaps("partitions") == TabApplication.PARTITIONS
                && secondHeaps("readBytes") == 2 * secondHeaps("heldBytes");
    }

    /** The sum over all executors. */
    private static long secondHeaps(String amount) {
        long sum = 0;
        for (JsonNode executor : data.get("executors")) {
            sum += executor.at("/secondHeap/" + amount).asLong();
        }
        return sum;
    }

    /** Records of a stage. */
    private static long records(String direction, int stage) {
        for (JsonNode each : data.get("stages")) {
            if (each.get("stage").asInt() == stage) {
                return each.at("/work/" + direction + "/records").asLong();
            }
        }
        return 0;
    }

    @AfterAll
    static void end() throws Exception {
        Files.writeString(endFile(), "");
        Outcome outcome =
                application.get(Eventually.TEST_SECONDS, TimeUnit.SECONDS).succeeded();
        assertThat(outcome.results().get("refused")).contains("java.lang.Thread cannot be copied");
        assertThat(outcome.lines("WARN HeapspanPlugin")).isEmpty();
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                .timeout(Duration.ofSeconds(Eventually.MOST_SECONDS))
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> all(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
    }

    @Test
    void theDataHaveTheRecordsThatTheJobsHave() {
        assertThat(records("encoded", 0)).as("cached").isEqualTo(TabApplication.CACHED);
        // Each executor reads the broadcast of its tasks too.
        assertThat(records("decoded", 1)).as("read again").isBetween(TabApplication.CACHED, TabApplication.CACHED + 9);
        assertThat(records("decoded", 2))
                .as("read to be shuffled")
                .isBetween(TabApplication.CACHED, TabApplication.CACHED + 9);
        // A pair is a record, or two.
        assertThat(records("encoded", 2)).as("shuffled").isIn(TabApplication.CACHED, 2 * TabApplication.CACHED);
        assertThat(records("decoded", 3)).as("grouped").isBetween(records("encoded", 2), records("encoded", 2) + 9);
        long sum = 0;
        for (JsonNode executor : data.get("executors")) {
            sum += executor.at("/work/encoded/records").asLong();
        }
        assertThat(data.at("/total/encoded/records").asLong()).isEqualTo(sum);
        for (String direction : List.of("encoded", "decoded")) {
            assertThat(data.at("/total/" + direction + "/bytes").asLong()).isGreaterThan(20 * TabApplication.CACHED);
            assertThat(data.at("/total/" + direction + "/nanos").asLong()).isPositive();
        }
        assertThat(data.at("/classes/0/name").asText()).isEqualTo("org.heapspan.tests.spark.jobs.Event");
        assertThat(data.at("/classes/0/records").asLong())
                .isBetween(TabApplication.CACHED * 3 / 2, TabApplication.CACHED * 5 / 2);
    }

    @Test
    void executorsAndTheDriverTellTheirEngines() {
        List<String> ids = new ArrayList<>();
        for (JsonNode executor : data.get("executors")) {
            ids.add(executor.get("id").asText());
            assertThat(executor.toString()).contains("\"direct engine\",\"state\":\"on\"");
        }
        assertThat(ids).containsExactly("driver", "0", "1");
        assertThat(data.at("/executors/1/chunksDirect").asLong()).isPositive();
    }

    @Test
    void theHeapsOfExecutorsThatCarvedAreSound() throws Exception {
        int executors = 0;
        try (Stream<Path> logs = Files.list(folder)) {
            for (Path log : logs.filter(file -> file.getFileName().toString().startsWith("verify-"))
                    .toList()) {
                assertThat(Files.readString(log)).contains("Verifying Before GC", "Verifying After GC");
                executors++;
            }
        }
        // A heap that is not sound ends its JVM, and there would be others.
        assertThat(executors).isEqualTo(2);
        assertThat(data.at("/executors/1/chunksDirect").asLong()
                        + data.at("/executors/2/chunksDirect").asLong())
                .as("chunks that were carved")
                .isGreaterThan(10);
    }

    @Test
    void secondHeapsTellWhatTheyHold() {
        assertThat(secondHeaps("partitions")).isEqualTo(TabApplication.PARTITIONS);
        assertThat(secondHeaps("heldBytes"))
                .isGreaterThan(20 * TabApplication.CACHED)
                .isEqualTo(secondHeaps("storedBytes"));
        // Spark reads a partition that it has just stored, and once more for the second job.
        assertThat(secondHeaps("readBytes")).isEqualTo(2 * secondHeaps("heldBytes"));
        assertThat(secondHeaps("declined")).isZero();
        assertThat(data.at("/executors/1/secondHeap/state").asText()).startsWith("on (" + folder);
    }

    @Test
    void refusedClassesAreThereWithThePath() {
        JsonNode failure = data.at("/failures/0");
        assertThat(failure.get("class").asText()).isEqualTo("java.lang.Thread");
        assertThat(failure.get("path").asText()).isEqualTo("root[0][<script>alert('key')</script>]");
    }

    @Test
    void thePageHasItsTablesAndEscapesForeignText() throws Exception {
        HttpResponse<String> answer = get(TAB);
        assertThat(answer.statusCode()).isEqualTo(200);
        String page = answer.body();
        assertThat(page)
                .contains("id=\"heapspan-executors\"", "id=\"heapspan-by-executor\"", "id=\"heapspan-stages\"")
                .contains("id=\"heapspan-classes\"", "id=\"heapspan-failures\"", "id=\"heapspan-settings\"")
                .contains("root[0][&lt;script&gt;alert(&#39;key&#39;)&lt;/script&gt;]")
                .contains(">40,000<")
                .contains("href=\"/stages/stage/?id=0&amp;attempt=0\"")
                .doesNotContain("<script>alert");
        assertThat(get("/jobs/").body()).as("a link in the other tabs").contains("href=\"/heapspan/\"");
        assertThat(get("/static/heapspan/tab.js").headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/javascript"));
        assertThat(get("/static/heapspan/other").statusCode()).isEqualTo(404);
    }

    /** As Knox asks; {@code spark.ui.reverseProxy} and YARN's proxy come by the same way into Spark's pages. */
    @Test
    void pathsBeginWithWhatAProxyWants() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + TAB))
                .header("X-Forwarded-Context", "/gateway/spark")
                .build();
        String page = CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
        assertThat(all(page, "(src|href|data-json)=\"/[^\"]*heapspan[^\"]*\""))
                .hasSize(3)
                .allSatisfy(link -> assertThat(link).contains("=\"/gateway/spark/"));
    }

    @Test
    void metricsAreInSparksMetricsSystem() throws Exception {
        String driver = get("/metrics/json/").body();
        assertThat(driver).contains("HeapspanPlugin.encodedRecords", "HeapspanPlugin.chunksPortable");
        // Executors write them every second.
        Eventually.holds(
                "executors have written how much they encoded",
                () -> encodedRecordsInFiles() > 2 * TabApplication.CACHED - 1);
    }

    private static long encodedRecordsInFiles() throws IOException {
        long encoded = 0;
        try (Stream<Path> files = Files.walk(folder.resolve("metrics"))) {
            for (Path file : files.filter(
                            each -> each.getFileName().toString().endsWith("HeapspanPlugin.encodedRecords.csv")
                                    && !each.toString().contains("driver"))
                    .toList()) {
                List<String> lines = Files.readAllLines(file);
                String last = lines.get(lines.size() - 1);
                encoded += Long.parseLong(last.substring(last.indexOf(',') + 1));
            }
        }
        return encoded;
    }

    @Test
    void aBrowserShowsThePageAndDrawsThePlot() throws Exception {
        String browser = System.getProperty("heapspan.chromium", "");
        assumeTrue(!browser.isEmpty(), "no Chromium on this machine; ./dev test says how to get one");
        Path log = folder.resolve("browser");
        String dom = browse(browser, log, "--dump-dom");
        String said = Files.readString(log);
        assertThat(dom).as(said).contains("<html");
        // Errors of scripts, and what the Content-Security-Policy kept from running.
        assertThat(said.lines().filter(line -> line.contains("CONSOLE"))).isEmpty();
        assertThat(dom).contains("data-series=\"encoded\"", "data-series=\"decoded\"");
        String encoded = all(dom, "<path [^>]*data-series=\"encoded\"[^>]*>").get(0);
        List<String> heights = all(encoded, " [0-9.]+(?=[L\"])");
        assertThat(heights).as("points").hasSizeGreaterThan(10);
        assertThat(heights.stream().distinct()).as("a line that is not flat").hasSizeGreaterThan(1);
        assertThat(rows(dom, "heapspan-executors")).isEqualTo(3);
        assertThat(rows(dom, "heapspan-stages")).isGreaterThanOrEqualTo(5);
        assertThat(rows(dom, "heapspan-failures")).isEqualTo(1);
        assertThat(dom).contains("Second Heap (2)");
        // The driver has none.
        assertThat(rows(dom, "heapspan-second-heap")).isEqualTo(2);
        assertThat(cells(dom, "heapspan-second-heap", "Partitions").stream()
                        .mapToInt(Integer::parseInt)
                        .sum())
                .isEqualTo(TabApplication.PARTITIONS);
        for (String width : List.of("1400,1900", "500,1600")) {
            Path picture = Path.of("target", "tab-" + width.substring(0, width.indexOf(',')) + ".png")
                    .toAbsolutePath();
            browse(browser, log, "--window-size=" + width, "--hide-scrollbars", "--screenshot=" + picture);
            assertThat(picture).isNotEmptyFile();
        }
    }

    private static int rows(String dom, String table) {
        int begin = dom.indexOf("id=\"" + table + "\"");
        int body = dom.indexOf("<tbody", begin);
        return all(dom.substring(body, dom.indexOf("</tbody>", body)), "<tr>").size();
    }

    /** What a column of a table says, row by row, in the page as it is after scripts have run. */
    private static List<String> cells(String dom, String table, String column) {
        int begin = dom.indexOf("id=\"" + table + "\"");
        String element = dom.substring(begin, dom.indexOf("</table>", begin));
        List<String> titles = all(element, "(?s)<th\\b.*?</th>").stream()
                .map(cell -> cell.replaceAll("<[^>]*>", "").trim())
                .toList();
        int index = titles.indexOf(column);
        assertThat(index).as("the column " + column + " of " + titles).isNotNegative();
        List<String> cells = all(element, "(?s)<td\\b.*?</td>").stream()
                .map(cell -> cell.replaceAll("<[^>]*>", "").trim())
                .toList();
        List<String> found = new ArrayList<>();
        for (int i = index; i < cells.size(); i += titles.size()) {
            found.add(cells.get(i));
        }
        return found;
    }

    /** What the browser writes to its output. */
    private static String browse(String browser, Path log, String... options) throws Exception {
        Path output = folder.resolve("dom");
        List<String> command = new ArrayList<>(List.of(
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--enable-logging=stderr",
                "--virtual-time-budget=4000",
                "--user-data-dir=" + folder.resolve("browser-profile")));
        command.addAll(List.of(options));
        command.add(address + TAB);
        Process process = new ProcessBuilder(command)
                .redirectError(log.toFile())
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(Eventually.MOST_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
            throw new AssertionError("the browser did not end: " + command + "\n" + Files.readString(log));
        }
        return Files.readString(output);
    }
}
