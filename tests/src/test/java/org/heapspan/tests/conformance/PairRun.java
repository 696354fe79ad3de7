package org.heapspan.tests.conformance;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.tests.conformance.ConformanceCase.Expected;
import org.heapspan.tests.conformance.ConformanceProcess.Status;

/**
 * Runs combinations as pairs of processes and judges each case.
 *
 * <p>One process encodes, or decodes, the whole corpus; what one sender encoded is given to every receiver that wants
 * it. A process that dies or hangs is started again behind the case that ended it.
 */
final class PairRun implements AutoCloseable {

    /** A case making no progress for this long is taken for a hang. */
    private static final int CASE_TIMEOUT_SECONDS = Integer.getInteger("heapspan.tests.caseTimeoutSeconds", 120);

    /** The soak run has larger cases and is meant for machines that do other things too. */
    private static final int SOAK_TIMEOUT_FACTOR = 10;

    /** Of the runs that {@code ./dev test} makes. */
    static final long DAILY_SEED = 20_260_103;

    /** What was found in this JVM, by seed and combination: the comparison of serializers asks for a pair that the daily run has too. */
    private static final Map<String, Map<String, Verdict>> FOUND = new ConcurrentHashMap<>();

    private final Path directory;
    private final long seed;
    private final SplittableRandom seeds;
    private final boolean soak;
    private final Map<String, Sent> sent = new HashMap<>();
    private final ClassArchives archives;

    /** Chunks that the process which ended last, or those in its place, carved. */
    private long chunksCarved;

    PairRun(long seed, boolean soak) {
        this.seed = seed;
        this.soak = soak;
        this.seeds = new SplittableRandom(seed);
        try {
            directory = Files.createTempDirectory("heapspan-conformance");
            archives = new ClassArchives(directory, JavaProcess.testClassPath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        EvolvingClasses.compile(directory.resolve("evolving"));
    }

    /** Stands beside the names of cases in the verdicts of combinations in which the direct engine must make objects. */
    static final String CARVES = "the direct engine makes objects";

    /** What came of one case: passed, or what went wrong; and whether a copy arrived that behaves as the original does. */
    record Verdict(String caseName, Outcome outcome, boolean arrived, String detail, long millis) {}

    enum Outcome {
        PASSED,
        FAILED,
        SKIPPED
    }

    long seed() {
        return seed;
    }

    /** Why the combination cannot be run here, or nothing: a side has no JVM, or not its collector. */
    String reasonToSkip(Combination combination) {
        for (JvmSide side : List.of(combination.sender(), combination.receiver())) {
            if (side.launcher() == null) {
                return "no Java " + side.javaFeature() + ": set the property heapspan.jdk" + side.javaFeature()
                        + ".home";
            }
            if (!side.hasItsCollector()) {
                return "does not apply: " + side.launcher() + " has no Shenandoah";
            }
        }
        return "";
    }

    static List<ConformanceCase> casesOf(Combination combination, boolean soak) {
        int oldest = Math.min(
                combination.sender().javaFeature(), combination.receiver().javaFeature());
        return casesOf(combination, soak, oldest);
    }

    private static List<ConformanceCase> casesOf(Combination combination, boolean soak, int javaFeature) {
        List<ConformanceCase> cases = new ArrayList<>();
        for (ConformanceCase each : Corpus.cases()) {
            boolean wanted = switch (each.weight()) {
                case NORMAL -> true;
                case HEAVY -> combination.heavy();
                case SOAK -> soak && combination.heavy();
                case OVER_2_GB -> soak && combination.codec().endsWith(":file");
            };
            boolean fits = !combination.isCopy()
                    || (each.expected() != Expected.REFUSED_BY_RECEIVER
                            && !each.name().startsWith("evolution-")
                            && !each.name().equals("enum-with-state"));
            // A trusting receiver turns no class away, and raw copies cannot be handed to methods that only it has.
            boolean fitsTrust = !combination.isTrusted()
                    || !each.category().equals("CLASS_REJECTED")
                            && !each.row().equals("evolution: hooks gained and lost");
            if (wanted && fits && fitsTrust && each.mayRunOn(javaFeature)) {
                cases.add(each);
            }
        }
        return cases;
    }

    /** Runs every case of the combination; the result has one verdict per case, in order. */
    Map<String, Verdict> run(Combination combination) {
        return soak
                ? run(combination, casesOf(combination, true))
                : FOUND.computeIfAbsent(
                        seed + " " + combination + " " + combination.heavy(),
                        key -> run(combination, casesOf(combination, false)));
    }

    /** Sends and receives an object of each class of which there is a sample. */
    Map<String, Verdict> runClasses(Combination combination) {
        List<ConformanceCase> cases = ClassCases.made();
        try {
            Path folder = Files.createTempDirectory(directory, "classes");
            Sent classes = new Sent(
                    folder, process("send", combination.sender(), combination.codec(), folder, names(cases), "v1"));
            return receive(combination, cases, classes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, Verdict> run(Combination combination, List<ConformanceCase> cases) {
        Map<String, Verdict> verdicts = new LinkedHashMap<>();
        if (combination.isCopy()) {
            Map<String, Line> copied =
                    process("copy", combination.receiver(), "heapspan", directory, names(cases), "v1");
            for (ConformanceCase each : cases) {
                Line line = copied.get(each.name());
                verdicts.put(each.name(), judge(each, line, line, combination));
            }
            return verdicts;
        }
        return receive(combination, cases, sentFor(combination));
    }

    /** What the sender has sent before, if that was all that is needed. */
    private Sent sentFor(Combination combination) {
        String sender = combination.sender() + " " + combination.codec();
        Sent heavy = sent.get(sender + " heavy");
        return heavy != null
                ? heavy
                : sent.computeIfAbsent(sender + (combination.heavy() ? " heavy" : ""), key -> send(combination));
    }

    private Map<String, Verdict> receive(Combination combination, List<ConformanceCase> cases, Sent fromSender) {
        Map<String, Verdict> verdicts = new LinkedHashMap<>();
        Set<String> toReceive = new LinkedHashSet<>();
        for (ConformanceCase each : cases) {
            Line line = fromSender.lines.get(each.name());
            if (line != null && line.status == Status.ENCODED) {
                toReceive.add(each.name());
            }
        }
        Map<String, Line> received = process(
                "receive",
                combination.receiver(),
                combination.codec(),
                fromSender.folder,
                List.copyOf(toReceive),
                "v2");
        for (ConformanceCase each : cases) {
            verdicts.put(
                    each.name(),
                    judge(each, fromSender.lines.get(each.name()), received.get(each.name()), combination));
        }
        if (combination.mustCarve()) {
            verdicts.put(
                    CARVES,
                    chunksCarved > 0
                            ? new Verdict(CARVES, Outcome.PASSED, false, chunksCarved + " chunks", 0)
                            : new Verdict(
                                    CARVES,
                                    Outcome.FAILED,
                                    false,
                                    "the receiver's direct engine made no objects of the whole corpus, though both heaps are laid"
                                            + " out alike; heapspan doctor with the receiver's options says why",
                                    0));
        }
        return verdicts;
    }

    private static List<String> names(List<ConformanceCase> cases) {
        return cases.stream().map(ConformanceCase::name).toList();
    }

    private Sent send(Combination combination) {
        // All that the sender can send: another receiver of these bytes may be newer than this one.
        List<ConformanceCase> cases =
                casesOf(combination, soak, combination.sender().javaFeature());
        try {
            Path folder = Files.createTempDirectory(directory, "sent");
            return new Sent(
                    folder, process("send", combination.sender(), combination.codec(), folder, names(cases), "v1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Sent(Path folder, Map<String, Line> lines) {}

    private record Line(Status status, long millis, String category, String detail) {}

    private static Verdict judge(ConformanceCase each, Line sender, Line receiver, Combination combination) {
        boolean strict = combination.codec().startsWith("heapspan");
        long millis = (sender == null ? 0 : sender.millis) + (receiver == null ? 0 : receiver.millis);
        for (Line line : new Line[] {sender, receiver}) {
            boolean outOfReach = line != null && line.category.equals("ACCESS") && combination.hasReflectionOnly();
            if (outOfReach && each.needsRawMemory()) {
                return new Verdict(each.name(), Outcome.SKIPPED, false, line.detail, millis);
            }
        }
        // A sender that has nothing but reflection copies nothing: its images are compact.
        boolean copies = combination.isTrusted() && !combination.sender().isReflectionOnly();
        String failure =
                copies && gainsHooks(each) ? failureToRefuse(receiver) : failure(each, sender, receiver, strict);
        boolean arrived = failure.isEmpty() && receiver != null && receiver.status == Status.ARRIVED;
        return failure.isEmpty()
                ? new Verdict(each.name(), Outcome.PASSED, arrived, "", millis)
                : new Verdict(each.name(), Outcome.FAILED, false, failure, millis);
    }

    /** Whether the receiver's class has methods that the sender's lacks: copies cannot be handed to them. */
    private static boolean gainsHooks(ConformanceCase each) {
        return each.name().startsWith("evolution-gains-") || each.name().equals("evolution-superclass-inserted");
    }

    private static String failureToRefuse(Line receiver) {
        return receiver != null && receiver.status == Status.REFUSED && receiver.category.equals("EVOLUTION")
                ? ""
                : "expected a refusal with category EVOLUTION, found " + receiver;
    }

    @SuppressWarnings("StatementSwitchToExpressionSwitch")
    private static String failure(ConformanceCase each, Line sender, Line receiver, boolean strict) {
        if (sender == null) {
            return "the sender never came to this case";
        }
        Expected expected = strict ? each.expected() : each.expectedOfPeers();
        boolean senderMayRefuse = expected == Expected.REFUSED_BY_SENDER || expected == Expected.ARRIVES_OR_REFUSED;
        boolean mustNotArrive = expected == Expected.REFUSED_BY_SENDER || expected == Expected.REFUSED_BY_RECEIVER;
        switch (sender.status) {
            case REFUSED:
                return senderMayRefuse ? faultOfRefusal(each, sender, strict) : "sender refused: " + sender.detail;
            case ENCODED, ARRIVED:
                if (expected == Expected.REFUSED_BY_SENDER) {
                    return "expected a refusal by the sender, it encoded " + sender.detail;
                }
                break;
            case ERROR, WRONG, NOT_BUILT, PROCESS_DIED:
                return sender.status + " in the sender: " + sender.detail;
        }
        if (receiver == null) {
            return "the receiver never came to this case";
        }
        switch (receiver.status) {
            case ARRIVED:
                return mustNotArrive ? "expected a refusal by the receiver, it was decoded" : "";
            case REFUSED:
                if (expected == Expected.ARRIVES) {
                    return "receiver refused: " + receiver.detail;
                }
                return faultOfRefusal(each, receiver, strict);
            default:
                return receiver.status + " in the receiver: " + receiver.detail;
        }
    }

    /** A peer need only refuse; Heapspan's refusal must also say what the case demands. */
    private static String faultOfRefusal(ConformanceCase each, Line line, boolean strict) {
        if (!strict) {
            return "";
        }
        if (line.category.isEmpty()) {
            return "refused with an exception that has no category: " + line.detail;
        }
        if (!each.category().isEmpty() && !each.category().equals(line.category)) {
            return "refused with category " + line.category + ", expected " + each.category() + ": " + line.detail;
        }
        for (String text : each.mentions()) {
            if (!line.detail.contains(text)) {
                return "the refusal does not mention \"" + text + "\": " + line.detail;
            }
        }
        return "";
    }

    private Map<String, Line> process(
            String role, JvmSide side, String codec, Path folder, List<String> names, String version) {
        Map<String, Line> lines = new HashMap<>();
        chunksCarved = 0;
        List<String> remaining = new ArrayList<>(names);
        while (!remaining.isEmpty()) {
            int before = remaining.size();
            String inProgress = runOnce(role, side, codec, folder, remaining, version, lines);
            remaining.removeIf(lines::containsKey);
            if (!remaining.isEmpty() && remaining.size() == before && inProgress.isEmpty()) {
                for (String name : remaining) {
                    lines.put(name, new Line(Status.PROCESS_DIED, 0, "", "the process did not start; see its output"));
                }
                return lines;
            }
        }
        return lines;
    }

    private String runOnce(
            String role,
            JvmSide side,
            String codec,
            Path folder,
            List<String> names,
            String version,
            Map<String, Line> lines) {
        try {
            Path list = Files.write(Files.createTempFile(directory, "cases", ".txt"), names);
            Path results = Files.createTempFile(directory, "results", ".tsv");
            Path output = Files.createTempFile(directory, "output", ".txt");
            long processSeed = seeds.nextLong();
            List<String> command = new ArrayList<>();
            command.add(side.launcher().toString());
            // A short run is over before the second compiler has paid for itself; the soak run uses both.
            command.addAll(soak ? List.of("-Xmx12g") : List.of("-Xmx2g", "-XX:TieredStopAtLevel=1"));
            command.add("-XX:ErrorFile=" + directory.resolve("hs_err_%p.log"));
            command.add("-Duser.language=en");
            command.add("-D" + EvolvingClasses.DIRECTORY_PROPERTY + "=" + directory.resolve("evolving"));
            command.add("-D" + EvolvingClasses.VERSION_PROPERTY + "=" + version);
            if (codec.endsWith(":file")) {
                // The images go when the run ends.
                command.add("-Djava.io.tmpdir=" + directory);
            }
            if (codec.endsWith("kryo") || codec.equals("fory")) {
                // Without these the peers fail on most JDK classes for a reason that says nothing about fidelity.
                for (String name : List.of(
                        "java.lang",
                        "java.lang.invoke",
                        "java.lang.reflect",
                        "java.util",
                        "java.util.concurrent",
                        "java.util.concurrent.atomic",
                        "java.util.regex",
                        "java.math",
                        "java.time",
                        "java.net",
                        "java.io",
                        "java.nio",
                        "java.nio.charset",
                        "java.text",
                        "sun.nio.fs",
                        "sun.util.calendar",
                        "sun.nio.cs")) {
                    command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED");
                }
            }
            boolean archived = isArchived(role, codec);
            if (archived) {
                command.addAll(archives.options(side));
            }
            command.addAll(side.options());
            command.add("-cp");
            command.add(classPath(codec));
            command.add(ConformanceProcess.class.getName());
            command.addAll(List.of(
                    role, codec, folder.toString(), results.toString(), list.toString(), Long.toString(processSeed)));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean hung = waitFor(process, results);
            if (archived && process.exitValue() == 0) {
                archives.ended(side);
            }
            String inProgress = "";
            for (String text : Files.readAllLines(results)) {
                String[] fields = text.split("\t", -1);
                if (fields[0].equals(ConformanceProcess.CARVED)) {
                    chunksCarved += Long.parseLong(fields[1]);
                }
                if (fields.length < 5) {
                    continue;
                }
                if (fields[1].equals("STARTED")) {
                    inProgress = fields[0];
                } else {
                    inProgress = "";
                    lines.put(
                            fields[0],
                            new Line(Status.valueOf(fields[1]), Long.parseLong(fields[2]), fields[3], fields[4]));
                }
            }
            if (!inProgress.isEmpty() || process.exitValue() != 0) {
                String how = hung ? "no progress for " + timeoutSeconds() + " s" : "exit code " + process.exitValue();
                String detail = how + ", perturbation seed " + processSeed + ", output: " + tail(output);
                if (inProgress.isEmpty()) {
                    for (String name : names) {
                        lines.putIfAbsent(name, new Line(Status.PROCESS_DIED, 0, "", detail));
                    }
                } else {
                    lines.put(inProgress, new Line(Status.PROCESS_DIED, 0, "", detail));
                }
            }
            return inProgress;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while looking at an archive of class data", e);
        }
    }

    /**
     * Whether a process has an archive of class data. Receivers of raw images have none: with the archive of the sender, all class words would be the
     * same, and none would be rewritten. The soak run is long.
     */
    private boolean isArchived(String role, String codec) {
        return !soak && !codec.equals("spark-kryo") && !(codec.startsWith("heapspan:raw") && role.equals("receive"));
    }

    private String classPath(String codec) {
        if (!codec.equals("spark-kryo")) {
            return archives.classPath();
        }
        // Spark has a Kryo of its own, whose classes have the same names.
        String home = System.getProperty("heapspan.spark.home", "");
        try {
            URI classes = PairRun.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI();
            return Path.of(classes) + File.pathSeparator + Path.of(home, "jars") + File.separator + "*";
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private int timeoutSeconds() {
        return soak ? SOAK_TIMEOUT_FACTOR * CASE_TIMEOUT_SECONDS : CASE_TIMEOUT_SECONDS;
    }

    /** Waits for the end of the process; ends it and returns true when its results stop growing. */
    private boolean waitFor(Process process, Path results) throws IOException {
        long size = -1;
        long since = System.nanoTime();
        try {
            while (!process.waitFor(200, TimeUnit.MILLISECONDS)) {
                long now = Files.size(results);
                if (now != size) {
                    size = now;
                    since = System.nanoTime();
                } else if (System.nanoTime() - since > TimeUnit.SECONDS.toNanos(timeoutSeconds())) {
                    // HotSpot answers with the stacks of its threads, which end up in the output.
                    new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid()))
                            .start()
                            .waitFor();
                    process.waitFor(2, TimeUnit.SECONDS);
                    process.destroyForcibly();
                    process.waitFor();
                    return true;
                }
            }
            return false;
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a process of the pair", e);
        }
    }

    private static String tail(Path output) throws IOException {
        String text = Files.readString(output).replace('\n', ' ');
        int main = text.indexOf("\"main\"");
        if (main >= 0) {
            return text.substring(main, Math.min(text.length(), main + 2400));
        }
        return text.length() > 800 ? "…" + text.substring(text.length() - 800) : text;
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
