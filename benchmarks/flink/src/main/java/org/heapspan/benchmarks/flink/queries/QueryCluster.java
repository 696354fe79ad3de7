package org.heapspan.benchmarks.flink.queries;

import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.IOMetrics;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.heapspan.benchmarks.flink.Peer;

/** A cluster of two task managers in this JVM, which exchange rows over TCP. Jobs run on it one by one, in batch mode. */
final class QueryCluster implements AutoCloseable {
    /** Each has one slot, so this is the parallelism of jobs. */
    static final int TASK_MANAGERS = 2;

    private final Configuration configuration;
    private final MiniCluster cluster;

    /**
     * A job that has run.
     *
     * @param exchangedBytes what its tasks have sent to others
     */
    record Run(double seconds, Answer answer, long exchangedBytes) {}

    /** Makes a stream that ends with an {@link AnswerSink}. */
    @FunctionalInterface
    interface Program {
        DataStream<?> on(StreamExecutionEnvironment environment) throws Exception;
    }

    /**
     * Starts the cluster.
     *
     * @param managedMegabytes memory of each task manager to sort
     * @param objectReuse whether operators in a task hand on objects, and not copies of them
     */
    QueryCluster(int managedMegabytes, boolean objectReuse) throws Exception {
        configuration = new Configuration();
        configuration.setString("restart-strategy.type", "disable");
        configuration.setString("taskmanager.memory.managed.size", managedMegabytes + "mb");
        configuration.setString("pipeline.object-reuse", Boolean.toString(objectReuse));
        cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(TASK_MANAGERS)
                .setNumSlotsPerTaskManager(1)
                .withRandomPorts()
                .build());
        cluster.start();
    }

    /** Runs a query to its end, with files of TPC-H. */
    Run run(Query query, Path folder, Peer peer) throws Exception {
        return run(
                peer,
                environment -> query.on(new Tables(environment, folder, peer)).filter(new AnswerSink<>(Answer::of)));
    }

    /** Runs a program to its end. */
    Run run(Peer peer, Program program) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createLocalEnvironment(TASK_MANAGERS, configuration);
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        peer.configure((SerializerConfigImpl) environment.getConfig().getSerializerConfig());
        program.on(environment).sinkTo(new DiscardingSink<>());
        StreamGraph graph = environment.getStreamGraph();
        graph.setJobId(JobID.generate());
        long start = System.nanoTime();
        cluster.submitJob(graph).get();
        JobExecutionResult result = cluster.requestJobResult(graph.getJobID())
                .get()
                .toJobExecutionResult(QueryCluster.class.getClassLoader());
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Run(
                seconds,
                AnswerSink.of(result),
                exchangedBytes(cluster.getExecutionGraph(graph.getJobID()).get()));
    }

    private static long exchangedBytes(AccessExecutionGraph graph) {
        return StreamSupport.stream(graph.getAllExecutionVertices().spliterator(), false)
                .map(vertex -> vertex.getCurrentExecutionAttempt().getIOMetrics())
                .mapToLong(IOMetrics::getNumBytesOut)
                .sum();
    }

    @Override
    public void close() throws Exception {
        cluster.close();
    }
}
