package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.benchmarks.EndedProcesses;
import org.heapspan.benchmarks.Folders;
import org.heapspan.benchmarks.Jdk;
import org.heapspan.benchmarks.MemoryGroup;
import org.heapspan.testing.TwoHosts;

/** One workload with one contender in a Spark of its own: a driver and two executors, each a JVM, submitted as a user would do it. */
final class SparkApplication {
    private final Path spark;
    private final Path root;
    private final Path data;
    private final Path folder;

    /**
     * Says where things are.
     *
     * @param spark home of Spark
     * @param root of the repository, built
     * @param data unpacked
     * @param folder for what the applications leave
     */
    SparkApplication(Path spark, Path root, Path data, Path folder) {
        this.spark = spark;
        this.root = root;
        this.data = data;
        this.folder = folder;
    }

    /**
     * What to run.
     *
     * @param times how often the workload is run, one after the other in the same JVMs
     * @param sampled whether running code is sampled, which takes some time itself
     * @param heapMegabytes of each of the two executors
     * @param memoryMegabytes that both executors may have together, pages of files included; 0 for no limit
     * @param timeoutMinutes after which it is given up
     */
    record Job(
            Jdk jdk,
            String workload,
            Contender contender,
            double scale,
            int times,
            boolean sampled,
            int heapMegabytes,
            int memoryMegabytes,
            int timeoutMinutes) {
        /** The same for another workload. */
        Job of(String other) {
            return new Job(
                    jdk, other, contender, scale, times, sampled, heapMegabytes, memoryMegabytes, timeoutMinutes);
        }
    }

    /** Runs it, and returns its figures, or why there are none. */
    Application run(Job job) throws IOException, InterruptedException {
        Path own = Folders.fresh(folder.resolve("application"));
        Application application;
        if (job.contender.hasTwoHosts()) {
            Path wrapped = own.resolve("java-of-two-hosts");
            TwoHosts.wrapJava(job.jdk.home(), wrapped);
            application = run(job, own, wrapped);
        } else if (job.memoryMegabytes == 0) {
            application = run(job, own, job.jdk.home());
        } else {
            try (MemoryGroup group = MemoryGroup.open(job.memoryMegabytes)) {
                Path wrapped = own.resolve("java-in-group");
                group.wrapJava(job.jdk.home(), wrapped);
                application = run(job, own, wrapped);
                application.memoryPeakBytes = group.peakBytes();
                if (group.killed() > 0) {
                    application.failure = "needs more memory than it may have";
                }
            }
        }
        CollectorLog.read(own, application);
        application.jdk = job.jdk.name();
        application.workload = job.workload;
        application.peer = job.contender.optionName();
        application.scale = job.scale;
        application.times = job.times;
        application.heapMegabytes = job.heapMegabytes;
        application.memoryMegabytes = job.memoryMegabytes;
        return application;
    }

    private Application run(Job job, Path own, Path executorJava) throws IOException, InterruptedException {
        Path figures = own.resolve("figures.json");
        List<String> command = command(job, own, executorJava, figures);
        double cpuBefore = EndedProcesses.cpuSeconds();
        String failure = SparkProcess.run(spark, job.jdk, own, command, job.timeoutMinutes);
        if (failure.isEmpty() && Files.exists(figures)) {
            Application application = SparkFigures.application(figures);
            application.wholeCpuSeconds = EndedProcesses.cpuSeconds() - cpuBefore;
            SecondHeapFigures.read(own, application);
            if (job.sampled) {
                application.serializationShare = SerializationShare.of(own);
            }
            return application;
        }
        Path kept = folder.resolve(job.workload + "-" + job.contender.optionName() + ".log");
        Files.move(SparkProcess.output(own), kept, StandardCopyOption.REPLACE_EXISTING);
        Application application = new Application();
        application.failure = failure.isEmpty() ? "left no figures" : failure;
        return application;
    }

    private List<String> command(Job job, Path own, Path executorJava, Path figures) {
        Map<String, String> configuration = new LinkedHashMap<>();
        // A worker may have more than the heap: it has one core, and so one executor.
        configuration.put("spark.master", "local-cluster[2,1," + 2 * job.heapMegabytes + "]");
        configuration.put("spark.executor.memory", job.heapMegabytes + "m");
        configuration.put("spark.executor.instances", "2");
        configuration.put("spark.driver.memory", "1g");
        configuration.put("spark.driver.host", "127.0.0.1");
        configuration.put("spark.driver.bindAddress", "127.0.0.1");
        configuration.put("spark.ui.enabled", "false");
        configuration.put("spark.local.dir", own.resolve("local").toString());
        configuration.put("spark.driver.extraClassPath", classPath());
        configuration.put("spark.executor.extraClassPath", classPath());
        String javaOptions = CollectorLog.option(own);
        if (job.sampled) {
            javaOptions += " -XX:StartFlightRecording=settings=" + SerializationShare.settings(own)
                    + ",dumponexit=true,filename=" + own + "/executor-%p.jfr";
        }
        if (job.memoryMegabytes > 0) {
            // The system's limit alone shall make the difference: the JVM's defaults, such as its collector, remain
            // those without one.
            javaOptions += " -XX:-UseContainerSupport";
        }
        configuration.put("spark.executorEnv.JAVA_HOME", executorJava.toString());
        configuration.put("spark.executor.extraJavaOptions", javaOptions);
        configuration.putAll(job.contender.configuration(own, job.heapMegabytes));
        List<String> command =
                new ArrayList<>(List.of(spark.resolve("bin/spark-submit").toString()));
        configuration.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
        command.addAll(List.of("--class", "org.heapspan.workloads.Run"));
        command.add(root.resolve("workloads/target/heapspan-workloads.jar").toString());
        command.addAll(List.of(
                job.workload,
                data.toString(),
                Double.toString(job.scale),
                Integer.toString(job.times),
                figures.toString()));
        command.addAll(job.contender.arguments());
        return command;
    }

    /** The same for all peers: what is not used costs nothing. */
    private String classPath() {
        return root.resolve("dist/heapspan-spark.jar") + ":"
                + root.resolve("benchmarks/spark/target/heapspan-spark-benchmarks.jar") + ":"
                + root.resolve("benchmarks/spark/target/lib") + "/*";
    }
}
