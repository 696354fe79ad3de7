package org.heapspan.tests.spark.jobs;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.executor.ShuffleReadMetrics;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.netty.SparkTransportConf$;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.shuffle.ExternalBlockHandler;
import org.apache.spark.network.shuffle.ExternalShuffleBlockResolver;
import org.apache.spark.network.shuffle.RemoteBlockPushResolver;
import org.apache.spark.network.util.TransportConf;
import org.apache.spark.scheduler.SchedulerBackend;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * A shuffle whose blocks map tasks push to a service, which merges those of one reducer: {@code results}. Spark has the service and
 * the knowledge of where it is on YARN only; here it is in the driver's JVM, and the scheduler is told where.
 */
public final class PushedShuffleApplication {
    private PushedShuffleApplication() {}

    public static void main(String[] arguments) throws Exception {
        Results results = new Results();
        SparkConf conf = new SparkConf();
        try (TransportServer service = service(conf)) {
            conf.set("spark.shuffle.service.port", String.valueOf(service.getPort()));
            try (JavaSparkContext context = new JavaSparkContext(conf)) {
                mergeAt(
                        context.sc(),
                        BlockManagerId$.MODULE$.apply(
                                BlockManagerId$.MODULE$.SHUFFLE_MERGER_IDENTIFIER(),
                                "127.0.0.1",
                                service.getPort(),
                                Option.empty()));
                Merged merged = new Merged();
                context.sc().addSparkListener(merged);
                Executors.tellSerializers(context, results);
                results.put("result", new FaultyJob(context).result());
                ShuffleTotals.awaitListeners(context);
                results.put("merged blocks read", merged.blocks.get());
                results.put("merged chunks that were corrupt", merged.corrupt.get());
                results.put("merged blocks read one by one instead", merged.fallbacks.get());
            }
        }
        results.write(arguments[0]);
    }

    private static TransportServer service(SparkConf conf) throws IOException {
        TransportConf transport =
                SparkTransportConf$.MODULE$.fromSparkConf(conf, "shuffle", 2, Option.empty(), Option.empty());
        ExternalBlockHandler handler = new ExternalBlockHandler(
                new OneForOneStreamManager(),
                new ExternalShuffleBlockResolver(transport, null),
                new RemoteBlockPushResolver(transport, null));
        return new TransportContext(transport, handler, true).createServer("127.0.0.1", 0, List.of());
    }

    /** As the scheduler for YARN answers. */
    private static void mergeAt(SparkContext context, BlockManagerId merger) throws ReflectiveOperationException {
        SchedulerBackend scheduler = context.schedulerBackend();
        Seq<BlockManagerId> mergers = Nil$.MODULE$.$colon$colon(merger);
        Object told = Proxy.newProxyInstance(
                SchedulerBackend.class.getClassLoader(),
                new Class<?>[] {SchedulerBackend.class},
                (any, method, arguments) -> {
                    if (method.getName().equals("getShufflePushMergerLocations")) {
                        return mergers;
                    }
                    try {
                        return method.invoke(scheduler, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        Field field = SparkContext.class.getDeclaredField("_schedulerBackend");
        field.setAccessible(true);
        field.set(context, told);
    }

    private static final class Merged extends SparkListener {
        final AtomicLong blocks = new AtomicLong();
        final AtomicLong corrupt = new AtomicLong();
        final AtomicLong fallbacks = new AtomicLong();

        @Override
        public void onTaskEnd(SparkListenerTaskEnd end) {
            ShuffleReadMetrics read = end.taskMetrics().shuffleReadMetrics();
            blocks.addAndGet(read.localMergedBlocksFetched() + read.remoteMergedBlocksFetched());
            corrupt.addAndGet(read.corruptMergedBlockChunks());
            fallbacks.addAndGet(read.mergedFetchFallbackCount());
        }
    }
}
