package org.heapspan.tests.fuzz;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.heapspan.Heapspan;
import org.heapspan.tests.conformance.Samples;
import org.heapspan.vm.VirtualMachine;

/**
 * Changes valid encodings at random and has them decoded: nothing but a categorised refusal may come of it, or a graph that is
 * sound ({@link InputCheck}).
 *
 * <p>Meant for a process of its own with a small heap, since memory asked for by a hostile length shows best there.
 * Arguments: seed, number of inputs, {@code direct} if the direct engine must be on and make objects, else {@code portable}, then
 * routes, which share the inputs. The samples themselves are decoded first, so that a
 * decoder which refuses everything does not pass. Exit code 0: all inputs were decoded and all is well; 1: a violation, described
 * on standard output with the input in Base64; 2: a decode hung. The last lines are for whoever started the process:
 * {@code inputs=} and {@code chunksCarved=}.
 */
public final class MutationFuzz {

    private static final int MAX_SAMPLE_BYTES = 20_000;
    /** Of processor time, for one input: on a busy machine a thread may wait that long for a processor. */
    private static final long HANG_SECONDS = 10;

    /** However little processor time it took. */
    private static final long DEADLOCK_SECONDS = 600;

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int MAX_VIOLATIONS = 20;

    /** Of an image: what no checksum covers. */
    private static final int HEADER_BYTES = 8;

    private final SplittableRandom random;
    private final Map<String, Long> counts = new TreeMap<>();
    private final Set<String> violations = new HashSet<>();
    private volatile long startedNanos;
    private volatile byte[] current = {};
    private volatile boolean done;
    private long slowestNanos;

    private MutationFuzz(long seed) {
        random = new SplittableRandom(seed);
    }

    /**
     * Runs the fuzzer.
     *
     * @param arguments seed, inputs, engine, routes
     * @throws Exception when the samples cannot be made
     */
    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[0]);
        long inputs = Long.parseLong(arguments[1]);
        boolean direct = arguments[2].equals("direct");
        List<String> routes = Arrays.asList(arguments).subList(3, arguments.length);
        MutationFuzz fuzz = new MutationFuzz(seed);
        System.out.println("MutationFuzz: seed " + seed + ", routes " + routes + ", " + inputs + " inputs");
        if (direct != (VirtualMachine.current().carver() != null)) {
            System.out.println("VIOLATION: the direct engine is " + (direct ? "off" : "on")
                    + ", expected otherwise; heapspan doctor says why");
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(fuzz.run(routes, inputs, direct));
    }

    private int run(List<String> routes, long inputs, boolean direct) throws Exception {
        long worker = Thread.currentThread().getId();
        Thread watchdog = new Thread(() -> watch(worker), "watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        long tried = 0;
        long perRoute = (inputs + routes.size() - 1) / routes.size();
        for (String route : routes) {
            RecordingLoader loader = new RecordingLoader();
            Samples samples = Samples.seeds(route, MAX_SAMPLE_BYTES, loader);
            InputCheck check = new InputCheck(samples, loader, route);
            Mutation mutation = new Mutation(samples, random);
            System.out.println("  " + route + ": " + samples.encodings().size() + " valid samples, " + samples.skipped()
                    + " cases could not be encoded");
            if (!samplesPass(samples, check)) {
                return 1;
            }
            long nextReport = System.nanoTime() + REPORT_NANOS;
            for (long i = 0; i < perRoute; i++) {
                byte[] input = mutation.next();
                String violation = decode(check, input);
                if (violation.isEmpty()
                        && check.isDecoded()
                        && samples.isChecked()
                        && Mutation.saysItHasAChecksum(input)
                        && !isSample(input, samples)) {
                    violation = "altered bytes passed for valid";
                }
                tried++;
                if (i % 1000 == 0 && System.nanoTime() > nextReport) {
                    nextReport += REPORT_NANOS;
                    System.out.println("    " + i + " inputs");
                }
                if (!violation.isEmpty() && violations.add(signature(violation))) {
                    System.out.println("VIOLATION by input " + i + " of route " + route + ": " + violation);
                    System.out.println("input " + Base64.getEncoder().encodeToString(input));
                    if (violations.size() == MAX_VIOLATIONS) {
                        return 1;
                    }
                }
            }
            System.out.println("    at most " + check.largestRatio()
                    + " bytes were allocated for a byte, where they were many; the slowest input took "
                    + TimeUnit.NANOSECONDS.toMillis(slowestNanos) + " ms");
        }
        done = true;
        // Under verification of the heap: what was decoded last.
        System.gc();
        System.out.println("MutationFuzz: outcomes of samples and inputs " + counts);
        System.out.println("inputs=" + tried);
        long chunksCarved = Heapspan.statistics().chunksCarved();
        System.out.println("chunksCarved=" + chunksCarved);
        if (direct && chunksCarved == 0) {
            System.out.println("VIOLATION: the direct engine made no objects, not even of valid samples");
            return 1;
        }
        return violations.isEmpty() ? 0 : 1;
    }

    /** Decodes the samples as they are. Some are meant to be refused by a receiver that trusts nothing, but not most. */
    private boolean samplesPass(Samples samples, InputCheck check) {
        long decodable = 0;
        for (byte[] each : samples.encodings()) {
            String violation = decode(check, each);
            if (!violation.isEmpty()) {
                System.out.println("VIOLATION by a valid sample: " + violation);
                System.out.println("input " + Base64.getEncoder().encodeToString(each));
                return false;
            }
            decodable += check.isDecoded() ? 1 : 0;
        }
        System.out.println("    " + decodable + " of them are decoded as they are");
        if (decodable < samples.encodings().size() / 2) {
            System.out.println("VIOLATION: most valid samples are refused: " + counts);
            return false;
        }
        return true;
    }

    /** What was thrown and the first places in it: one report per fault, not per input. */
    private static String signature(String violation) {
        if (violation.startsWith(InputCheck.MEMORY) || violation.startsWith(InputCheck.CLASSES)) {
            return violation.substring(0, violation.indexOf(':'));
        }
        String[] lines = violation.split("\n  at ", -1);
        return String.join(" ", Arrays.asList(lines).subList(lines.length > 1 ? 1 : 0, Math.min(lines.length, 4)));
    }

    /** Whether an input is a sample but for the flags in its header. */
    private static boolean isSample(byte[] input, Samples samples) {
        for (byte[] each : samples.encodings()) {
            if (Arrays.equals(input, HEADER_BYTES, input.length, each, HEADER_BYTES, each.length)) {
                return true;
            }
        }
        return false;
    }

    private String decode(InputCheck check, byte[] input) {
        current = input;
        startedNanos = System.nanoTime();
        try {
            String violation = check.decode(input);
            count(violation.isEmpty() ? check.outcome() : "violation");
            return violation;
        } finally {
            slowestNanos = Math.max(slowestNanos, System.nanoTime() - startedNanos);
            startedNanos = 0;
        }
    }

    private void count(String outcome) {
        counts.merge(outcome, 1L, Long::sum);
    }

    private void watch(long worker) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long watched = 0;
        long processorAtFirst = 0;
        while (!done) {
            try {
                Thread.sleep(500);
            } catch (InterruptedException e) {
                return;
            }
            long started = startedNanos;
            long processor = threads.getThreadCpuTime(worker);
            if (started != watched) {
                watched = started;
                processorAtFirst = processor;
            }
            if (started != 0
                    && (processor - processorAtFirst > TimeUnit.SECONDS.toNanos(HANG_SECONDS)
                            || System.nanoTime() - started > TimeUnit.SECONDS.toNanos(DEADLOCK_SECONDS))) {
                StringBuilder text = new StringBuilder("HANG: one input took " + (processor - processorAtFirst)
                        + " ns of processor time, " + (System.nanoTime() - started) + " ns in all\n");
                Thread.getAllStackTraces().forEach((thread, trace) -> {
                    if (thread.getName().equals("main")) {
                        for (StackTraceElement each : trace) {
                            text.append("  at ").append(each).append('\n');
                        }
                    }
                });
                System.out.println(text);
                System.out.println("input " + Base64.getEncoder().encodeToString(current));
                Runtime.getRuntime().halt(2);
            }
        }
    }
}
