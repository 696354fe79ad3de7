package org.heapspan.tests.spark.jobs;

import java.lang.reflect.Field;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializerManager;

/** Puts Spark's Kryo back on executor 1, which then is as if nothing could be put in its place there. For a place behind Heapspan's plug-in. */
public final class OwnKryoPlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        return new DriverPlugin() {};
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> extraConfiguration) {
                if (context.executorID().equals("1")) {
                    putBack(context);
                }
            }
        };
    }

    private static void putBack(PluginContext context) {
        try {
            Field field = SerializerManager.class.getDeclaredField("kryoSerializer");
            field.setAccessible(true);
            field.set(SparkEnv.get().serializerManager(), new KryoSerializer(context.conf()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
