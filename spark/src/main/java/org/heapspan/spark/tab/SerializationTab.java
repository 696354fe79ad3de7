package org.heapspan.spark.tab;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.heapspan.HeapspanTab;
import org.apache.spark.heapspan.StageFacts;
import org.apache.spark.heapspan.TabContent;
import org.apache.spark.heapspan.TabRequest;
import org.heapspan.spark.direct.CircuitBreaker;
import org.heapspan.spark.report.ExecutorReport;
import org.heapspan.spark.report.Part;
import org.heapspan.spark.report.RateHistory;
import org.heapspan.spark.report.SerializationReport;
import org.heapspan.spark.report.SerializationReport.Engine;
import org.heapspan.spark.report.SerializationReport.Failures;
import org.heapspan.spark.report.SerializationReport.OfClass;
import org.heapspan.spark.report.SerializationReport.OfStage;
import org.heapspan.spark.report.SerializationTotals;
import org.heapspan.spark.report.SerializationTotals.Executor;
import org.heapspan.spark.report.SerializationTotals.Snapshot;
import org.heapspan.spark.settings.HeapspanConfiguration;
import org.heapspan.spark.settings.Version;
import org.heapspan.spark.statistics.Progress;
import org.heapspan.spark.statistics.SampleClock;
import org.heapspan.spark.statistics.SerializationCounters;
import org.heapspan.spark.statistics.Work;
import org.jspecify.annotations.Nullable;

/**
 * The tab "Heapspan" of Spark's web UI, made when somebody looks at it. A page shows one moment; its script asks for the totals and the plot every few
 * seconds, as long as the page can be seen. Thread-safe.
 */
final class SerializationTab implements TabContent {
    private static final String SCRIPT = "tab.js";
    private static final int MOST_CLASSES_SHOWN = 30;

    private static final List<String> WORK_COLUMNS = List.of(
            "Encoded records",
            "objects, or pairs of a key and a value, that were written one by one",
            "Encoded bytes",
            "what they became, before Spark compresses it",
            "Encode time",
            "summed over all tasks; estimated by timing one record in " + SampleClock.PERIOD,
            "Encode speed",
            "encoded bytes by encode time",
            "Decoded records",
            "objects, or pairs of a key and a value, that were read one by one",
            "Decoded bytes",
            "what they were made from, after Spark has decompressed it",
            "Decode time",
            "summed over all tasks",
            "Decode speed",
            "decoded bytes by decode time");

    private final HeapspanConfiguration configuration;
    private final List<Part> parts;
    private final SerializationTotals totals;
    private final CircuitBreaker breaker;
    private final Supplier<ExecutorReport> driver;

    /**
     * Makes a tab.
     *
     * @param parts what became of those that the driver decides on for all JVMs
     * @param breaker what switches the direct engine off once an executor has crashed
     * @param driver what the driver runs on; asked for when the tab is first looked at, since finding out takes a while
     */
    SerializationTab(
            HeapspanConfiguration configuration,
            List<Part> parts,
            SerializationTotals totals,
            CircuitBreaker breaker,
            Supplier<ExecutorReport> driver) {
        this.configuration = configuration;
        this.parts = List.copyOf(parts);
        this.breaker = breaker;
        this.totals = totals;
        this.driver = driver;
    }

    private Snapshot snapshot() {
        if (!totals.knows(SerializationReport.DRIVER)) {
            totals.add(driver.get());
        }
        return totals.snapshot(System.currentTimeMillis());
    }

    @Override
    public String script() {
        try (InputStream script = SerializationTab.class.getResourceAsStream(SCRIPT)) {
            if (script == null) {
                throw new IllegalStateException(SCRIPT + " is missing in the jar of Heapspan");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // --- the page -------------------------------------------------------------------------------

    @Override
    public String html(TabRequest request) {
        Snapshot snapshot = snapshot();
        Html html = new Html();
        html.element(
                "p",
                "Heapspan " + Version.text()
                        + " moves the objects of this application between JVMs and to disk as object images."
                        + " Encoding turns objects into bytes, decoding turns bytes into objects. Rows of DataFrames have"
                        + " Spark's own serializer, and are not counted here.");
        CircuitBreaker.Trip trip = breaker.trip();
        if (trip != null) {
            html.element(
                    "div",
                    "The direct engine is off for new executors: " + trip.veto(),
                    "class",
                    "alert alert-warning",
                    "role",
                    "alert");
        }
        summary(html, snapshot, request);
        PartsSection.write(html, parts, snapshot);
        executors(html, snapshot);
        byExecutor(html, snapshot);
        SecondHeapSection.write(html, snapshot);
        stages(html, snapshot, request);
        classes(html, snapshot);
        failures(html, snapshot);
        settings(html);
        html.open("script", "src", request.uri(HeapspanTab.SCRIPT_PATH)).close();
        return html.toString();
    }

    private static void summary(Html html, Snapshot snapshot, TabRequest request) {
        html.open("div", "class", "row");
        html.open("div", "class", "col-lg-5 col-xl-4").element("h4", "All executors and the driver");
        html.element("p", "What was done since the application began.", "class", "text-body-secondary mb-2");
        html.open("table", "id", "heapspan-total", "class", "table table-bordered table-sm");
        html.open("thead").open("tr");
        for (String heading : List.of("", "Encoded", "Decoded")) {
            html.element("th", heading, "scope", "col");
        }
        html.close().close().open("tbody");
        for (Measure each : Measure.of(snapshot.total())) {
            html.open("tr").element("th", each.name(), "scope", "row");
            html.element("td", each.encoded(), "data-heapspan", "encoded " + each.name());
            html.element("td", each.decoded(), "data-heapspan", "decoded " + each.name());
            html.close();
        }
        html.close().close().close();
        html.open("div", "class", "col-lg-7 col-xl-8").element("h4", "Last minutes");
        html.element(
                "p", "Bytes encoded and decoded per second by all JVMs together.", "class", "text-body-secondary mb-2");
        html.open("div", "id", "heapspan-plot", "data-json", request.uri(HeapspanTab.JSON_PATH) + "?part=live");
        html.close().close().close();
    }

    /** A line of the summary. */
    private record Measure(String name, String encoded, String decoded) {
        static List<Measure> of(Progress progress) {
            return List.of(
                    of("Records", progress, work -> Amounts.count(work.records())),
                    of("Bytes", progress, work -> Amounts.bytes(work.bytes())),
                    of("Time", progress, work -> Amounts.time(work.nanos())),
                    of("Speed", progress, work -> Amounts.speed(work.bytes(), work.nanos())));
        }

        private static Measure of(String name, Progress progress, Function<Work, String> text) {
            return new Measure(name, text.apply(progress.encoded()), text.apply(progress.decoded()));
        }
    }

    private static void executors(Html html, Snapshot snapshot) {
        TabTable table = TabTable.begin(
                html,
                "heapspan-executors",
                "Engines (" + snapshot.executors().size() + ")",
                "The JVM of each executor. The direct engine is native code that decodes raw images"
                        + " (spark.heapspan.encoding). In all other cases the portable engine decodes images in Java, with the same results.",
                List.of(
                        "Executor",
                        "number of the executor",
                        "State",
                        "runs, or why it is gone",
                        "Host",
                        "where it runs",
                        "Direct engine",
                        "whether this JVM has it",
                        "Why",
                        "the reason",
                        "JVM",
                        "name and version",
                        "Collector",
                        "its garbage collector",
                        "Heapspan",
                        "version in this JVM",
                        "Serializer",
                        "spark.serializer in this JVM"));
        for (Executor each : snapshot.executors()) {
            ExecutorReport report = each.report();
            table.row().cell(each.id()).cell(each.end() == null ? "runs" : each.end());
            if (report == null) {
                table.cell("has not told yet");
                for (int i = 0; i < 6; i++) {
                    table.cell("");
                }
            } else {
                table.cell(report.host())
                        .cell(report.fact("direct engine").state())
                        .cell(report.fact("direct engine").why())
                        .line(report.fact("JVM").state())
                        .cell(report.fact("collector").state())
                        .line(report.version())
                        .cell(report.serializer().substring(report.serializer().lastIndexOf('.') + 1));
            }
            table.endRow();
        }
        table.end();
    }

    private static void byExecutor(Html html, Snapshot snapshot) {
        TabTable table = TabTable.begin(
                html,
                "heapspan-by-executor",
                "Work by Executor (" + snapshot.executors().size() + ")",
                "What each JVM has encoded and decoded in all stages, and which engine decoded raw images.",
                columns(
                        List.of("Executor", "number of the executor"),
                        List.of(
                                "Chunks by direct engine",
                                "pieces of raw images whose objects the direct engine made",
                                "Chunks by portable engine",
                                "chunks of raw images that the portable engine decoded, and the most frequent reasons")));
        for (Executor each : snapshot.executors()) {
            Engine engine = each.engine() == null ? new Engine(0, 0, List.of()) : each.engine();
            table.row()
                    .cell(each.id())
                    .work(each.progress().encoded())
                    .work(each.progress().decoded())
                    .number(Amounts.count(engine.chunksCarved()), engine.chunksCarved())
                    .number(
                            Amounts.count(engine.chunksPortable())
                                    + (engine.reasons().isEmpty()
                                            ? ""
                                            : " (" + String.join(", ", engine.reasons()) + ")"),
                            engine.chunksPortable())
                    .endRow();
        }
        table.end();
    }

    private static List<String> columns(List<String> before, List<String> after) {
        List<String> columns = new ArrayList<>(before);
        columns.addAll(WORK_COLUMNS);
        columns.addAll(after);
        return columns;
    }

    private static void stages(Html html, Snapshot snapshot, TabRequest request) {
        String id = "heapspan-stages";
        String title = "Stages (" + snapshot.stages().size() + ")";
        if (snapshot.stages().isEmpty()) {
            TabTable.none(html, id, title, "Nothing was encoded or decoded so far.");
            return;
        }
        TabTable table = TabTable.begin(
                html,
                id,
                title,
                "What the tasks of each stage have encoded (results, and shuffles that they write) and decoded (shuffles and"
                        + " caches that they read). The line without a stage is for task results, broadcasts and the driver.",
                columns(
                        List.of("Stage", "number of the stage", "Name", "what called for it"),
                        List.of(
                                "Task time",
                                "time that its tasks have run, in all",
                                "Share",
                                "of encoding and decoding in the time of its tasks")));
        for (OfStage each : snapshot.stages()) {
            stage(table, each, request);
        }
        table.end();
    }

    private static void stage(TabTable table, OfStage each, TabRequest request) {
        Progress progress = each.progress();
        boolean none = each.stage() == SerializationCounters.NO_STAGE;
        StageFacts facts = none ? null : request.stage(each.stage());
        table.row();
        if (facts == null) {
            table.number(none ? "none" : Integer.toString(each.stage()), each.stage())
                    .cell(none ? "task results, broadcasts, the driver" : "Spark has forgotten it");
        } else {
            String uri = request.uri("/stages/stage/?id=" + each.stage() + "&attempt=" + facts.attempt());
            table.link(Integer.toString(each.stage()), uri, each.stage()).cell(facts.name());
        }
        table.work(progress.encoded()).work(progress.decoded());
        long taskNanos = facts == null ? 0 : facts.taskMillis() * 1_000_000;
        long nanos = progress.encoded().nanos() + progress.decoded().nanos();
        table.number(taskNanos == 0 ? "" : Amounts.time(taskNanos), taskNanos)
                .number(Amounts.share(nanos, taskNanos), taskNanos == 0 ? -1 : nanos / (double) taskNanos)
                .endRow();
    }

    private static void classes(Html html, Snapshot snapshot) {
        String id = "heapspan-classes";
        List<OfClass> shown = snapshot.classes()
                .subList(0, Math.min(MOST_CLASSES_SHOWN, snapshot.classes().size()));
        String title = "Top Classes by Bytes (" + shown.size() + ")";
        if (shown.isEmpty()) {
            TabTable.none(html, id, title, "No records were sampled so far.");
            return;
        }
        TabTable table = TabTable.begin(
                html,
                id,
                title,
                "The classes of the encoded records, estimated from one record in " + SampleClock.PERIOD
                        + ". Sizes include all objects that a record refers to. A pair counts for the class of its value.",
                List.of(
                        "Class",
                        "of the record",
                        "Records",
                        "estimated",
                        "Bytes",
                        "estimated",
                        "Bytes a record",
                        "on average",
                        "Share",
                        "of all encoded bytes"));
        long all = snapshot.classes().stream()
                .mapToLong(each -> each.encoded().bytes())
                .sum();
        for (OfClass each : shown) {
            Work encoded = each.encoded();
            long average = encoded.records() == 0 ? 0 : encoded.bytes() / encoded.records();
            table.row()
                    .code(each.name())
                    .number(Amounts.count(encoded.records()), encoded.records())
                    .number(Amounts.bytes(encoded.bytes()), encoded.bytes())
                    .number(Amounts.count(average), average)
                    .number(Amounts.share(encoded.bytes(), all), encoded.bytes())
                    .endRow();
        }
        table.end();
    }

    private static void failures(Html html, Snapshot snapshot) {
        String id = "heapspan-failures";
        String title = "Refused Classes and Errors (" + snapshot.failures().size() + ")";
        if (snapshot.failures().isEmpty()) {
            TabTable.none(html, id, title, "Every record could be encoded and decoded.");
            return;
        }
        TabTable table = TabTable.begin(
                html,
                id,
                title,
                "Objects that could not be encoded or decoded, with the last case of each kind. Their tasks have failed.",
                List.of(
                        "Kind",
                        "of failure",
                        "Class",
                        "that was refused",
                        "Path",
                        "from the record, which is root, to the object",
                        "Reason",
                        "why",
                        "Count",
                        "how often"));
        for (Failures each : snapshot.failures()) {
            table.row()
                    .cell(each.kind().category())
                    .code(each.kind().className())
                    .code(each.last().path())
                    .cell(each.last().reason())
                    .number(Amounts.count(each.count()), each.count())
                    .endRow();
        }
        table.end();
    }

    private void settings(Html html) {
        TabTable table = TabTable.begin(
                html,
                "heapspan-settings",
                "Settings (" + HeapspanConfiguration.keys().size() + ")",
                "The keys of Heapspan in this application.",
                List.of(
                        "Key",
                        "in Spark's configuration",
                        "Value",
                        "in force",
                        "Set by",
                        "the application, or nobody",
                        "Meaning",
                        "what it does"));
        for (HeapspanConfiguration.Key<?> key : HeapspanConfiguration.keys()) {
            table.row()
                    .code(key.name())
                    .code(configuration.text(key))
                    .cell(configuration.isGiven(key) ? "application" : "default")
                    .cell(key.meaning().replace("`", ""))
                    .endRow();
        }
        table.end();
    }

    // --- the data -------------------------------------------------------------------------------

    @Override
    public Map<String, ?> json(TabRequest request) {
        Snapshot snapshot = snapshot();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("total", json(snapshot.total()));
        json.put("texts", liveTexts(snapshot.total()));
        json.put("plot", plot(snapshot));
        if (request.parameter("part").equals("live")) {
            return json;
        }
        json.put("version", Version.text());
        json.put(
                "crashes",
                Stream.ofNullable(breaker.trip())
                        .map(trip -> map(
                                "host", trip.host(),
                                "executor", trip.executorId(),
                                "signal", trip.signal(),
                                "timeMillis", trip.timeMillis()))
                        .toList());
        json.put("parts", PartsSection.json(parts, snapshot));
        json.put(
                "executors",
                snapshot.executors().stream().map(SerializationTab::json).toList());
        json.put(
                "stages",
                snapshot.stages().stream().map(each -> json(each, request)).toList());
        json.put(
                "classes",
                snapshot.classes().stream()
                        .map(each -> map(
                                "name", each.name(),
                                "records", each.encoded().records(),
                                "bytes", each.encoded().bytes()))
                        .toList());
        json.put(
                "failures",
                snapshot.failures().stream()
                        .map(each -> map(
                                "category", each.kind().category(),
                                "class", each.kind().className(),
                                "path", each.last().path(),
                                "reason", each.last().reason(),
                                "count", each.count()))
                        .toList());
        json.put(
                "settings",
                HeapspanConfiguration.keys().stream()
                        .map(key -> map(
                                "key", key.name(),
                                "value", configuration.text(key),
                                "given", configuration.isGiven(key)))
                        .toList());
        return json;
    }

    private static Map<String, Object> liveTexts(Progress total) {
        Map<String, Object> texts = new LinkedHashMap<>();
        for (Measure each : Measure.of(total)) {
            texts.put("encoded " + each.name(), each.encoded());
            texts.put("decoded " + each.name(), each.decoded());
        }
        return texts;
    }

    private static Map<String, Object> plot(Snapshot snapshot) {
        List<RateHistory.Point> rates = snapshot.rates();
        return map(
                "beginMillis", snapshot.beginMillis(),
                "endMillis", rates.get(rates.size() - 1).endMillis(),
                "slotMillis", RateHistory.SLOT_MILLIS,
                "encodedBytesPerSecond",
                        rates.stream()
                                .map(each -> Math.round(each.encodedBytesPerSecond()))
                                .toList(),
                "decodedBytesPerSecond",
                        rates.stream()
                                .map(each -> Math.round(each.decodedBytesPerSecond()))
                                .toList());
    }

    private static Map<String, Object> json(Progress progress) {
        return map("encoded", json(progress.encoded()), "decoded", json(progress.decoded()));
    }

    private static Map<String, Object> json(Work work) {
        return map("records", work.records(), "bytes", work.bytes(), "nanos", work.nanos());
    }

    private static Map<String, Object> json(Executor each) {
        Map<String, Object> json = map("id", each.id(), "work", json(each.progress()));
        ExecutorReport report = each.report();
        if (report != null) {
            json.put("host", report.host());
            json.put("version", report.version());
            json.put("serializer", report.serializer());
            json.put(
                    "facts",
                    report.facts().stream()
                            .map(fact -> map(
                                    "subject", fact.subject(),
                                    "state", fact.state(),
                                    "why", fact.why()))
                            .toList());
        }
        if (each.end() != null) {
            json.put("end", each.end());
        }
        Engine engine = each.engine();
        if (engine != null) {
            json.put("chunksDirect", engine.chunksCarved());
            json.put("chunksPortable", engine.chunksPortable());
            json.put("reasons", engine.reasons());
        }
        if (each.cached() != null) {
            json.put("secondHeap", SecondHeapSection.json(each, each.cached()));
        }
        return json;
    }

    private static Map<String, Object> json(OfStage each, TabRequest request) {
        Map<String, Object> json = map("stage", each.stage(), "work", json(each.progress()));
        StageFacts facts = each.stage() == SerializationCounters.NO_STAGE ? null : request.stage(each.stage());
        if (facts != null) {
            json.put("name", facts.name());
            json.put("taskMillis", facts.taskMillis());
        }
        return json;
    }

    /** A map of name, value, name, value, ... in that order. */
    private static Map<String, Object> map(@Nullable Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
