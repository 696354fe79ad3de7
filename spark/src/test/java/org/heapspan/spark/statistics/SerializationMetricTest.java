package org.heapspan.spark.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.heapspan.spark.SerializedStreams.instance;
import static org.heapspan.spark.SerializedStreams.read;
import static org.heapspan.spark.SerializedStreams.write;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import org.apache.spark.serializer.SerializerInstance;
import org.heapspan.spark.GeneratedTable;
import org.heapspan.spark.SerializedStreams;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SerializationMetricTest {
    @Test
    void gaugesAreThoseOfTheCounters() {
        SerializationCounters.startOver();
        MetricRegistry registry = new MetricRegistry();
        SerializationMetric.registerAll(registry);
        SerializerInstance instance = instance();
        byte[] bytes = write(instance, "a", "b", "c");
        // The mark behind the last group is no part of a record.
        long groupBytes = (long) bytes.length - SerializedStreams.MARK_BYTES;
        read(instance, bytes);
        assertThat(value(registry, "encodedRecords")).isEqualTo(3L);
        assertThat(value(registry, "encodedBytes")).isEqualTo(groupBytes);
        assertThat(value(registry, "decodedRecords")).isEqualTo(3L);
        assertThat(value(registry, "decodedBytes")).isEqualTo(groupBytes);
        assertThat(value(registry, "failures")).isEqualTo(0L);
        assertThat(registry.getGauges().values())
                .allSatisfy(gauge -> assertThat(gauge.getValue()).isInstanceOf(Long.class));
    }

    private static Object value(MetricRegistry registry, String name) {
        return registry.getGauges().get(name).getValue();
    }

    @Test
    void theTableOfThePageIsMadeFromTheMetrics() throws IOException {
        GeneratedTable.check("observability.md", "SerializationMetric", SerializationMetric.table());
    }
}
