package org.heapspan.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * What a reader must know of a run of a benchmark to judge its figures and to repeat them; a part of each file of figures. A bean. Not
 * thread-safe.
 */
public final class RunNote {
    /** What measures the same again, in a shell at the root of the repository. */
    public String command = "";

    /** The commit that was measured, abbreviated; with a plus behind it if the working tree had changes. */
    public String commit = "";

    /** The day on which the run began, UTC. */
    public String date = "";

    /** Processors, memory, system; no names of hosts. */
    public String machine = "";

    /** Versions of JDKs and peers, options of JVMs, and what else the report says. */
    public List<String> software = List.of();

    /** What was another way than the page describes, as a sentence; empty if nothing was. */
    public String method = "";

    /** The load average of a minute, before the run and at its end; the end's has the benchmark itself in it. Not a number if unknown. */
    public double loadBefore;

    public double loadAfter;

    /**
     * The note of a run that begins now.
     *
     * @param benchmark what stands behind {@code ./dev bench}
     * @param arguments of the command line; those that only say where figures go are left out
     * @throws IOException if the system does not tell
     */
    public static RunNote begin(String benchmark, String[] arguments, List<Jdk> jdks) throws IOException {
        List<String> software = new ArrayList<>(MachineNote.jdks(jdks));
        software.add(MachineNote.peers());
        return beginWith("bench " + benchmark, arguments, software);
    }

    /**
     * The note of a run that begins now.
     *
     * @param program what stands behind {@code ./dev}
     * @param arguments as above
     * @param software lines on what is measured
     * @throws IOException if the system does not tell
     */
    public static RunNote beginWith(String program, String[] arguments, List<String> software) throws IOException {
        RunNote note = new RunNote();
        StringBuilder command = new StringBuilder();
        String options = javaOptions();
        if (!options.isEmpty()) {
            command.append("HEAPSPAN_JAVA_OPTS='").append(options).append("' ");
        }
        command.append("./dev ").append(program);
        for (String argument : arguments) {
            if (!argument.equals("--publish") && !argument.equals("--add")) {
                command.append(' ').append(argument);
            }
        }
        note.command = command.toString();
        note.commit = commit();
        note.date = LocalDate.now(ZoneOffset.UTC).toString();
        note.machine = MachineNote.machine();
        note.software = new ArrayList<>(software);
        note.loadBefore = load();
        note.end();
        return note;
    }

    /** Takes the load at the end; a later call replaces what an earlier one has taken. */
    public void end() {
        loadAfter = load();
    }

    /**
     * Does nothing if this run was on a machine of the same kind as those and in the same way, so that their figures may stand side by side.
     *
     * @throws IOException if it was not
     */
    public void mustBeComparableWith(List<RunNote> others) throws IOException {
        for (RunNote other : others) {
            if (!other.machine.equals(machine)) {
                throw new IOException("The former figures were measured on another kind of machine (" + other.machine
                        + ") than this (" + machine + "). Measure without --add, all figures anew.");
            }
            if (!other.method.equals(method)) {
                throw new IOException("The former figures were measured another way (" + other.method
                        + "). Measure without --add, all figures anew.");
            }
        }
    }

    /** The note as lines of a Markdown list. */
    public String markdown() {
        return markdownOfSame(List.of(this));
    }

    /** Notes as a Markdown list: machine and software, as far as they are the same for all, and each command. */
    public static String markdown(List<RunNote> notes) {
        StringBuilder text = new StringBuilder();
        notes.stream().map(note -> note.machine).distinct().forEach(line -> item(text, "Machine: " + line));
        notes.stream().flatMap(note -> note.software.stream()).distinct().forEach(line -> item(text, line));
        Collection<List<RunNote>> same = notes.stream()
                .collect(Collectors.groupingBy(
                        note -> List.of(note.command, note.commit, note.date), LinkedHashMap::new, Collectors.toList()))
                .values();
        item(text, same.size() == 1 ? "Command:" : "Commands, each with `--add` from the second on:");
        for (List<RunNote> each : same) {
            markdownOfSame(each)
                    .lines()
                    .forEach(line -> text.append("  ").append(line).append('\n'));
        }
        return text.toString();
    }

    /** Runs of one command on one day. */
    private static String markdownOfSame(List<RunNote> notes) {
        RunNote first = notes.get(0);
        return String.format(
                Locale.ROOT,
                "* `%s`%n  (%s%s, commit %s; load average %s before, %s at the end)%n",
                first.command,
                first.date,
                notes.size() == 1 ? "" : ", " + notes.size() + " times",
                first.commit,
                range(notes.stream().mapToDouble(note -> note.loadBefore)),
                range(notes.stream().mapToDouble(note -> note.loadAfter)));
    }

    private static String range(DoubleStream loads) {
        DoubleSummaryStatistics known =
                loads.filter(load -> !Double.isNaN(load)).summaryStatistics();
        if (known.getCount() == 0) {
            return "unknown";
        }
        String least = String.format(Locale.ROOT, "%.1f", known.getMin());
        String most = String.format(Locale.ROOT, "%.1f", known.getMax());
        return least.equals(most) ? least : least + " to " + most;
    }

    /** What was another way than the page describes, a paragraph each; nothing if nothing was. */
    public static String methods(List<RunNote> notes) {
        return notes.stream()
                .map(note -> note.method)
                .filter(method -> !method.isEmpty())
                .distinct()
                .map(method -> method + "\n\n")
                .collect(Collectors.joining());
    }

    private static void item(StringBuilder text, String line) {
        text.append("* ").append(line).append('\n');
    }

    /** Options that the user gave to the JVM, without those by which {@code ./dev} says where Spark is. */
    private static String javaOptions() {
        String options = System.getenv().getOrDefault("HEAPSPAN_JAVA_OPTS", "");
        return Stream.of(options.strip().split("\\s+"))
                .filter(option -> !option.startsWith("-Dheapspan.spark."))
                .collect(Collectors.joining(" "));
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static String commit() throws IOException {
        Path root = Repository.root();
        String hash = git(root, "rev-parse", "--short=7", "HEAD");
        if (hash.isEmpty()) {
            return "unknown";
        }
        return git(root, "status", "--porcelain", "--untracked-files=no").isEmpty() ? hash : hash + "+";
    }

    /** What git says, or nothing where it is not there or fails. */
    private static String git(Path root, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("git", "-C", root.toString()));
        command.addAll(List.of(arguments));
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException noGit) {
            return "";
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            return process.waitFor() == 0 ? output : "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
