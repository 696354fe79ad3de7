package org.heapspan.tests.spark.jobs;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/** What Spark does about trouble, with native programs in place of RDDs of Java: executors that die, stall, leave and come, and jobs that are cancelled. */
final class NativeTroubles {
    private static final int ITERATIONS = 10;
    private static final int FATAL_ITERATION = 6;
    private static final int OPEN_BYTES = 1 << 20;
    private static final int PAUSE_MILLIS = 20;
    private static final int MOST_MILLIS = 120_000;

    private final JavaSparkContext context;
    private final Results results;
    private final String checks;
    private final String text;
    private final String links;
    private final Path folder;

    NativeTroubles(JavaSparkContext context, Results results, String checks, Path folder) {
        this.context = context;
        this.results = results;
        this.checks = checks;
        this.folder = folder;
        text = folder.resolve("text.txt").toString();
        links = folder.resolve("links.txt").toString();
    }

    /** Lets one of them happen; its name is that of a method. */
    void run(String trouble) throws Exception {
        switch (trouble) {
            case "kill" -> kill();
            case "cancel" -> cancel();
            case "stall" -> stall();
            case "leave" -> leave();
            default -> throw new IllegalArgumentException("no trouble '" + trouble + "'");
        }
    }

    /** The process of an executor: those of local-cluster are children of the driver. */
    private static ProcessHandle executor() {
        return executors().findFirst().orElseThrow();
    }

    private static Stream<ProcessHandle> executors() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .filter(each -> each.info().commandLine().orElse("").contains("CoarseGrainedExecutorBackend"));
    }

    /** Kills an executor when Spark begins a stage for the n-th time whose name is one of those. */
    private static final class Killer extends SparkListener {
        private final Predicate<String> names;
        private final int time;
        private int begun;
        private boolean killed;
        private boolean lost;

        private Killer(Predicate<String> names, int time) {
            this.names = names;
            this.time = time;
        }

        @Override
        public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
            if (names.test(event.stageInfo().name()) && ++begun == time) {
                killed = executor().destroyForcibly();
            }
        }

        @Override
        public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved event) {
            lost = true;
        }

        synchronized boolean hasKilled() {
            return killed && lost;
        }
    }

    /** What an executor had computed and written is computed again by others. */
    private void kill() throws Exception {
        Killer inIteration = new Killer(name -> name.startsWith("join, "), FATAL_ITERATION);
        context.sc().addSparkListener(inIteration);
        NativeProgramApplication.run(context, checks, "ranks", links, folder + "/ranks", String.valueOf(ITERATIONS));
        results.put("killed in the sixth iteration", awaitKilled(inIteration));
        results.put(
                "ranks",
                NativeProgramApplication.nearlySame(
                        NativeProgramApplication.ranks(context, links, ITERATIONS),
                        NativeProgramApplication.numbers(NativeProgramApplication.lines(folder.resolve("ranks")))));
        context.sc().removeSparkListener(inIteration);
        awaitExecutors(2);
        Killer atReduce = new Killer(name -> name.startsWith("reduce_by_key, "), 1);
        context.sc().addSparkListener(atReduce);
        words();
        results.put("killed at reduce", awaitKilled(atReduce));
    }

    /** The driver may notice it after the end of the job. Says false if nothing was killed. */
    private static boolean awaitKilled(Killer killer) throws InterruptedException {
        for (int waited = 0; !killer.hasKilled() && waited < MOST_MILLIS; waited += PAUSE_MILLIS) {
            Thread.sleep(PAUSE_MILLIS);
        }
        return killer.hasKilled();
    }

    private void words() throws Exception {
        runWords();
        compareWords();
    }

    private void runWords() throws Exception {
        NativeProgramApplication.run(context, checks, "words", text, folder + "/words");
    }

    private void compareWords() throws Exception {
        results.put(
                "words",
                NativeProgramApplication.same(
                        NativeProgramApplication.words(context, text),
                        NativeProgramApplication.lines(folder.resolve("words"))));
    }

    /** Running tasks end, and leave no memory behind. */
    private void cancel() throws Exception {
        CountDownLatch running = new CountDownLatch(2);
        SparkListener watch = new SparkListener() {
            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                running.countDown();
            }
        };
        context.sc().addSparkListener(watch);
        FutureTask<String> program = new FutureTask<>(() -> {
            context.setJobGroup("endless", "nobody waits for it", false);
            return NativeProgramApplication.failure(context, checks, "endless");
        });
        new Thread(program, "endless program").start();
        running.await();
        context.cancelJobGroup("endless");
        results.put("cancelled", program.get());
        Executors.awaitIdle(context);
        context.sc().removeSparkListener(watch);
        results.put("memory after a cancelled job", NativeProgramApplication.openBytes(context) < OPEN_BYTES);
    }

    /** An executor does not go on. With speculation, others do its tasks. */
    private void stall() throws Exception {
        awaitTasksOfTwo();
        ShuffleTotals.awaitListeners(context);
        List<Boolean> copies = new CopyOnWriteArrayList<>();
        context.sc().addSparkListener(new SparkListener() {
            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                if (start.taskInfo().speculative()) {
                    copies.add(true);
                }
            }
        });
        String process = String.valueOf(executor().pid());
        signal("STOP", process);
        try {
            runWords();
        } finally {
            signal("CONT", process);
        }
        ShuffleTotals.awaitListeners(context);
        results.put("copies of tasks", !copies.isEmpty());
        compareWords();
    }

    /** Until two executors take tasks: Spark knows of an executor before it can take any. */
    private void awaitTasksOfTwo() {
        Set<String> used;
        do {
            used = new HashSet<>(context.parallelize(List.of(1, 2), 2)
                    .map(each -> {
                        Thread.sleep(PAUSE_MILLIS);
                        return SparkEnv.get().executorId();
                    })
                    .collect());
        } while (used.size() < 2);
    }

    private static void signal(String name, String process) throws Exception {
        new ProcessBuilder("kill", "-" + name, process).inheritIO().start().waitFor();
    }

    /** With dynamic allocation: executors come when there is work, and leave with what they cached. */
    private void leave() throws Exception {
        NativeProgramApplication.run(context, checks, "ranks", links, folder + "/ranks", "3");
        results.put("came", executors().count() > 0);
        awaitExecutors(0);
        words();
        results.put("came again", executors().count() > 0);
        results.put(
                "ranks",
                NativeProgramApplication.nearlySame(
                        NativeProgramApplication.ranks(context, links, 3),
                        NativeProgramApplication.numbers(NativeProgramApplication.lines(folder.resolve("ranks")))));
    }

    /** Until there are so many, beside the driver. */
    private void awaitExecutors(int count) throws InterruptedException {
        while (context.statusTracker().getExecutorInfos().length != count + 1) {
            Thread.sleep(50);
        }
    }
}
