package org.heapspan.benchmarks.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stacks as they are sampled in executors, the running method first. */
final class SampleOwnerTest {
    /** What a task has outside of all that. */
    private static final List<String> TASK = List.of(
            "org.apache.spark.storage.DiskBlockObjectWriter",
            "org.apache.spark.shuffle.sort.BypassMergeSortShuffleWriter",
            "org.apache.spark.executor.Executor$TaskRunner",
            "java.lang.Thread");

    private static final List<String> COMPRESSING =
            List.of("net.jpountz.lz4.LZ4JNI", "net.jpountz.lz4.LZ4BlockOutputStream");

    /** How each serializer writes into the stream below it. */
    static List<List<String>> serializersThatWrite() {
        return List.of(
                List.of(
                        "java.io.ObjectOutputStream$BlockDataOutputStream",
                        "java.io.ObjectOutputStream",
                        "org.apache.spark.serializer.JavaSerializationStream"),
                List.of("com.esotericsoftware.kryo.io.Output", "org.apache.spark.serializer.KryoSerializationStream"),
                List.of("org.heapspan.benchmarks.spark.PeerStreams$Output"),
                List.of("org.heapspan.spark.record.GroupOutput"),
                List.of("org.heapspan.spark.record.PartitionedGroups", "org.apache.spark.heapspan.MapOutput"));
    }

    @ParameterizedTest
    @MethodSource("serializersThatWrite")
    void compressionIsNoSerializersWhoeverFlushes(List<String> serializer) {
        assertThat(SampleOwner.isSerializer(stack(COMPRESSING, serializer, TASK)))
                .isFalse();
        assertThat(SampleOwner.isSerializer(
                        stack(List.of("java.io.FilterOutputStream"), COMPRESSING, serializer, TASK)))
                .isFalse();
        assertThat(SampleOwner.isSerializer(stack(COMPRESSING, TASK))).isFalse();
    }

    @ParameterizedTest
    @MethodSource("serializersThatWrite")
    void encryptionIsNoSerializers(List<String> serializer) {
        List<String> encrypting = List.of(
                "com.sun.crypto.provider.CounterMode",
                "javax.crypto.Cipher",
                "org.apache.commons.crypto.stream.CryptoOutputStream",
                "org.apache.spark.security.CryptoStreamUtils$ErrorHandlingOutputStream");
        assertThat(SampleOwner.isSerializer(stack(encrypting, serializer, TASK)))
                .isFalse();
    }

    @ParameterizedTest
    @MethodSource("serializersThatWrite")
    void theFileBelowIsNoSerializers(List<String> serializer) {
        List<String> writing = List.of(
                "java.io.FileOutputStream",
                "org.apache.spark.storage.TimeTrackingOutputStream",
                "java.io.BufferedOutputStream",
                "net.jpountz.lz4.LZ4BlockOutputStream");
        assertThat(SampleOwner.isSerializer(stack(writing, serializer, TASK))).isFalse();
    }

    @ParameterizedTest
    @MethodSource("serializersThatWrite")
    void encodingIsTheSerializers(List<String> serializer) {
        assertThat(SampleOwner.isSerializer(stack(serializer, TASK))).isTrue();
        assertThat(SampleOwner.isSerializer(stack(List.of("java.util.HashMap", "java.lang.Integer"), serializer, TASK)))
                .isTrue();
    }

    @Test
    void decompressionForAReaderIsNoSerializers() {
        List<String> decompressing = List.of("net.jpountz.lz4.LZ4JNI", "net.jpountz.lz4.LZ4BlockInputStream");
        assertThat(SampleOwner.isSerializer(stack(
                        decompressing,
                        List.of(
                                "com.esotericsoftware.kryo.io.Input",
                                "org.apache.spark.serializer.KryoDeserializationStream"),
                        TASK)))
                .isFalse();
        assertThat(SampleOwner.isSerializer(
                        stack(decompressing, List.of("org.heapspan.spark.record.GroupInput"), TASK)))
                .isFalse();
    }

    @Test
    void codecsThatForyGeneratesAreASerializer() {
        assertThat(SampleOwner.isSerializer(stack(List.of("org.heapspan.workloads.EventForyRefCodec_0"), TASK)))
                .isTrue();
    }

    @Test
    void recordsThatAreComputedWhileTheyAreWrittenAreTheJobs() {
        assertThat(SampleOwner.isSerializer(stack(
                        List.of("java.lang.String", "org.heapspan.workloads.WordCount$"),
                        List.of("org.apache.spark.serializer.SerializationStream"),
                        TASK)))
                .isFalse();
    }

    @Test
    void sparkAndTheJdkAloneAreNoSerializer() {
        assertThat(SampleOwner.isSerializer(TASK)).isFalse();
        assertThat(SampleOwner.isSerializer(List.of("java.lang.Thread"))).isFalse();
    }

    @Test
    void onlyNativeMethodsThatComputeCount() {
        assertThat(SampleOwner.computesNatively("net.jpountz.lz4.LZ4JNI")).isTrue();
        assertThat(SampleOwner.computesNatively("sun.nio.ch.EPoll")).isFalse();
    }

    @SafeVarargs
    private static List<String> stack(List<String>... parts) {
        List<String> stack = new ArrayList<>();
        for (List<String> part : parts) {
            stack.addAll(part);
        }
        return stack;
    }
}
