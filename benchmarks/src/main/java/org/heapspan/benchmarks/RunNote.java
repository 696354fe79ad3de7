package org.heapspan.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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

    /** The load average of a minute, before the run and at its end; the end's has the benchmark itself in it. */
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
        RunNote note = new RunNote();
        StringBuilder command = new StringBuilder();
        String options = System.getenv("HEAPSPAN_JAVA_OPTS");
        if (options != null && !options.isBlank()) {
            command.append("HEAPSPAN_JAVA_OPTS='").append(options.strip()).append("' ");
        }
        command.append("./dev bench ").append(benchmark);
        for (String argument : arguments) {
            if (!argument.equals("--publish") && !argument.equals("--add")) {
                command.append(' ').append(argument);
            }
        }
        note.command = command.toString();
        note.commit = commit();
        note.date = LocalDate.now(ZoneOffset.UTC).toString();
        note.machine = MachineNote.machine();
        note.software = new ArrayList<>(MachineNote.software(jdks));
        note.loadBefore = load();
        note.end();
        return note;
    }

    /** Takes the load at the end; a later call replaces what an earlier one has taken. */
    public void end() {
        loadAfter = load();
    }

    /**
     * Does nothing if this run was on a machine of the same kind as those, so that their figures may stand side by side.
     *
     * @throws IOException if it was not
     */
    public void mustBeOfTheMachineOf(List<RunNote> others) throws IOException {
        for (RunNote other : others) {
            if (!other.machine.equals(machine)) {
                throw new IOException("The former figures were measured on another kind of machine (" + other.machine
                        + ") than this (" + machine + "). Measure without --add, all figures anew.");
            }
        }
    }

    /** The note as lines of a Markdown list. */
    public String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("* `").append(command).append("`\n");
        text.append(String.format(
                Locale.ROOT,
                "  (%s, commit %s; load average %.1f before, %.1f at the end)%n",
                date,
                commit,
                loadBefore,
                loadAfter));
        return text.toString();
    }

    /** Notes as a Markdown list: machine and software, as far as they are the same for all, and each command. */
    public static String markdown(List<RunNote> notes) {
        StringBuilder text = new StringBuilder();
        notes.stream().map(note -> note.machine).distinct().forEach(line -> item(text, "Machine: " + line));
        notes.stream().flatMap(note -> note.software.stream()).distinct().forEach(line -> item(text, line));
        item(text, notes.size() == 1 ? "Command:" : "Commands, each with `--add` from the second on:");
        for (RunNote note : notes) {
            note.markdown()
                    .lines()
                    .forEach(line -> text.append("  ").append(line).append('\n'));
        }
        return text.toString();
    }

    private static void item(StringBuilder text, String line) {
        text.append("* ").append(line).append('\n');
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
