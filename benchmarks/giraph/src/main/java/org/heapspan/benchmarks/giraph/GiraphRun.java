package org.heapspan.benchmarks.giraph;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.giraph.conf.GiraphConfiguration;
import org.apache.giraph.job.GiraphJob;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.heapspan.benchmarks.FigureFile;
import org.heapspan.benchmarks.graph.GraphJob;

/** Runs one job of Giraph in this JVM, and writes its figures. */
final class GiraphRun {
    private GiraphRun() {}

    /** Runs; the arguments are a file with a {@link GraphJob}, which gets the figures, the fields of a {@link GraphFile}, and a folder. */
    public static void main(String[] arguments) throws Exception {
        // Threads of Giraph and of its ZooKeeper go on when the job has ended, however it did.
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        Path json = Path.of(arguments[0]);
        GraphJob job = FigureFile.read(json, GraphJob.class);
        run(
                job,
                new GraphFile(Path.of(arguments[1]), Long.parseLong(arguments[2]), Boolean.parseBoolean(arguments[3])),
                Path.of(arguments[4]));
        FigureFile.write(json, job);
        Runtime.getRuntime().halt(0);
    }

    private static void run(GraphJob job, GraphFile graph, Path folder) throws Exception {
        GiraphConfiguration settings = JobSettings.of(job, graph, folder);
        settings.addWorkerObserverClass(Clock.class);
        GiraphJob giraph = new GiraphJob(settings, job.workload.title());
        Path results = folder.resolve("results");
        FileOutputFormat.setOutputPath(giraph.getInternalJob(), new org.apache.hadoop.fs.Path(results.toUri()));
        if (!giraph.run(false)) {
            throw new IOException("Giraph says that the job failed");
        }
        Clock.read(job);
        Results.describe(results, job);
    }
}
