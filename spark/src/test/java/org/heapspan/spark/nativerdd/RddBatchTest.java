package org.heapspan.spark.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkConf;
import org.apache.spark.heapspan.SparkCopy;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.spark.HeapspanSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.collection.Iterator;

@Tag("once")
final class RddBatchTest {
    private static RddBatch batch(String text) {
        return new RddBatch(NativeBatch.copyOf(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(RddBatch batch) {
        NativeBatch memory = batch.memory();
        return new String(NativeBatch.bytesAt(memory.address(), memory.sizeBytes()), StandardCharsets.UTF_8);
    }

    /** As Spark's serializer for Kryo does, which cannot be made in this JVM. */
    @Test
    void kryoWritesTheBytes() {
        Output output = new Output(64, -1);
        Kryo kryo = new Kryo();
        String large = "large ".repeat(100_000);
        try (RddBatch first = batch("first");
                RddBatch kept = first.keptIn(3, 4);
                RddBatch second = batch(large)) {
            kryo.writeClassAndObject(output, kept);
            kryo.writeClassAndObject(output, second);
        }
        Input input = new Input(output.toBytes());
        try (RddBatch kept = (RddBatch) kryo.readClassAndObject(input);
                RddBatch second = (RddBatch) kryo.readClassAndObject(input)) {
            assertThat(text(kept)).isEqualTo("first");
            assertThat(kept.home()).isEqualTo(new RddBatch.Home(3, 4));
            assertThat(text(second)).isEqualTo(large);
        }
    }

    /** As Spark writes a partition to its disk. */
    @Test
    void theOtherSerializersWriteTheBytes() {
        SparkConf conf = new SparkConf(false);
        for (Serializer serializer : new Serializer[] {new JavaSerializer(conf), new HeapspanSerializer(conf)}) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            String large = "large ".repeat(100_000);
            try (RddBatch first = batch("first");
                    RddBatch kept = first.keptIn(3, 4);
                    RddBatch second = batch(large);
                    RddBatch empty = batch("")) {
                SerializationStream stream = serializer.newInstance().serializeStream(bytes);
                for (RddBatch each : new RddBatch[] {kept, second, empty}) {
                    stream.writeObject(each, RddBatch.TAG);
                }
                stream.close();
            }
            DeserializationStream stream =
                    serializer.newInstance().deserializeStream(new ByteArrayInputStream(bytes.toByteArray()));
            Iterator<Object> batches = stream.asIterator();
            try (RddBatch kept = (RddBatch) batches.next();
                    RddBatch second = (RddBatch) batches.next();
                    RddBatch empty = (RddBatch) batches.next()) {
                assertThat(text(kept)).as(serializer.getClass().getName()).isEqualTo("first");
                assertThat(kept.home()).isEqualTo(new RddBatch.Home(3, 4));
                assertThat(text(second)).isEqualTo(large);
                assertThat(second.hasHome()).isFalse();
                assertThat(text(empty)).isEmpty();
            }
            assertThat(batches.hasNext()).isFalse();
        }
    }

    @Test
    void sparkKnowsTheSize() throws Exception {
        // Not Spark's own class: other tests of this JVM must come before its first estimate.
        try (RddBatch batch = batch("x".repeat(1_000_000))) {
            assertThat(SparkCopy.beside().estimate(batch)).isBetween(1_000_000L, 1_001_000L);
        }
    }

    @Test
    void theMemoryGoesWithItsLastOwner() {
        long before = NativeBatch.openBytes();
        RddBatch batch = batch("shared");
        RddBatch kept = batch.keptIn(1, 2);
        batch.close();
        batch.close();
        assertThat(text(kept)).isEqualTo("shared");
        kept.close();
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    /** Without Spark nothing is kept, so what is given back is freed. */
    @Test
    void aLoanIsGivenBack() {
        long before = NativeBatch.openBytes();
        RddBatch original = batch("kept");
        RddBatch kept = BatchLoan.take(original.keptIn(1, 2));
        RddBatch own = BatchLoan.take(batch("own"));
        assertThat(text(kept) + text(own)).isEqualTo("keptown");
        BatchLoan.giveBack(own);
        BatchLoan.giveBack(kept);
        BatchLoan.sweep();
        assertThat(text(original)).isEqualTo("kept");
        original.close();
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }
}
