package org.heapspan.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.heapspan.vm.CpuFeatures;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The boundary in both directions, with a program in plain C. */
final class NativeProgramTest {
    @TempDir
    static Path folder;

    private static NativeProgram program;
    private static Map<String, Long> kernels;

    /** Volatile, so that its half is computed when the program runs. */
    private static volatile double leastNormal = Double.MIN_NORMAL;

    @BeforeAll
    static void load() throws Exception {
        program = NativeProgram.load(BoundaryProgram.compile(folder, "boundary.so"));
        kernels = BoundaryProgram.kernels(program);
    }

    private static String failureOf(String argument) {
        try {
            program.run(new RecordingHost(), 4, List.of(argument));
            throw new AssertionError("the program succeeded");
        } catch (NativeProgramException e) {
            return e.getMessage();
        }
    }

    @Test
    void aProgramIsLoadedOnceWhateverItsFile() throws Exception {
        Path copy = Files.copy(folder.resolve("boundary.so"), folder.resolve("copy.so"));
        assertThat(NativeProgram.load(copy)).isSameAs(program);
        assertThat(NativeProgram.load(copy, program.buildId(), "copy")).isSameAs(program);
        assertThat(program.description()).isEqualTo("a compiler for x86-64-v3");
    }

    @Test
    void anotherProgramIsRefused() throws Exception {
        Path other = BoundaryProgram.compile(folder, "other.so", "-O0");
        String wanted = "0".repeat(program.buildId().length());
        assertThatThrownBy(() -> NativeProgram.load(other, wanted, "other.so"))
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining(NativeProgram.buildIdOf(other))
                .hasMessageContaining("expected " + wanted);
    }

    @Test
    void whatIsNoProgramIsRefused() throws Exception {
        assertThatThrownBy(() -> NativeProgram.load(folder.resolve("missing.so")))
                .hasMessageContaining("there is no native program")
                .hasMessageContaining("missing.so");
        Path text = Files.writeString(folder.resolve("text.so"), "#!/bin/sh\n".repeat(20));
        assertThatThrownBy(() -> NativeProgram.load(text)).hasMessageContaining("expected a shared object");
        Path withoutId = BoundaryProgram.compile(folder, "no-id.so", "-Wl,--build-id=none");
        assertThatThrownBy(() -> NativeProgram.load(withoutId)).hasMessageContaining("has no build id");
        Path withoutTable = BoundaryProgram.compile(folder, "no-table.so", "-Dheapspan_program_table=another_name");
        assertThatThrownBy(() -> NativeProgram.load(withoutTable))
                .hasMessageContaining("no symbol heapspan_program_table");
        Path old = BoundaryProgram.compile(folder, "old.so", "-DTEST_VERSION=0");
        assertThatThrownBy(() -> NativeProgram.load(old)).hasMessageContaining("another version of Heapspan");
    }

    @Test
    void aProgramForOtherProcessorsIsRefused() throws Exception {
        Path file = BoundaryProgram.compile(folder, "level-4.so", "-DTEST_CPU_LEVEL=\"x86-64-v4\"");
        String buildId = NativeProgram.buildIdOf(file);
        assertThatThrownBy(() -> NativeProgram.open(file, buildId, "level-4.so", new CpuFeatures(true, false)))
                .isInstanceOf(NativeProgramException.class)
                .hasMessageContaining("built for processors of level x86-64-v4, and this machine has less");
        assertThat(NativeProgram.open(file, buildId, "level-4.so", new CpuFeatures(true, true))
                        .description())
                .endsWith("for x86-64-v4");
    }

    @Test
    void aProgramDoesNotChangeHowJavaComputes() throws Exception {
        Path file = BoundaryProgram.compile(folder, "flushing.so", "-DTEST_FLUSHES_TO_ZERO");
        assertThat(leastNormal / 2).isPositive();
        assertThat(NativeProgram.load(file).name()).isEqualTo("flushing.so");
        assertThat(leastNormal / 2).isPositive();
    }

    /** Each byte of its headers, changed: never a crash, and nothing but a build id or a refusal. */
    @Test
    void damagedFilesAreRefused() throws Exception {
        byte[] bytes = Files.readAllBytes(folder.resolve("boundary.so"));
        Path damaged = folder.resolve("damaged.so");
        int refused = 0;
        for (int i = 0; i < 1024; i++) {
            byte before = bytes[i];
            bytes[i] = (byte) ~before;
            Files.write(damaged, bytes);
            bytes[i] = before;
            try {
                NativeProgram.buildIdOf(damaged);
            } catch (NativeProgramException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(10, 1000);
    }

    @Test
    void theDriverSideCallsWhatTheHostHas() {
        RecordingHost host = new RecordingHost();
        assertThatThrownBy(() -> program.run(host, 4, List.of("calls")))
                .isInstanceOf(NativeProgramException.class)
                .hasMessage("native program boundary.so, operator report: 17 partitions, 9 bytes, 2.5, parallelism 4");
        assertThat(host.calls)
                .containsExactly(
                        "textFile /café/🍰 5",
                        "binaryRecords /records 4000000000 6",
                        "parallelize one,,three",
                        "stage map, filter 4711 captured cartesian order 5 0 [11, 12]",
                        "shuffle map, filter 4711 captured cartesian order 5 13 [11, 12]",
                        "unionOf [11, 12]",
                        "coalesce 106 4",
                        "partitionCount 107",
                        "persist 107 2",
                        "unpersist 107",
                        "checkpoint 107",
                        "collect 107 [2, 0]",
                        "save 107 /out",
                        "broadcast three",
                        "destroyBroadcast 108",
                        "releaseBroadcast 108",
                        "accumulator errors 1",
                        "accumulatorValue 109",
                        "input café (int64,string?)",
                        "output 110 out [float64]",
                        "saveParquet 110 /table [café, b] (int64,bool)",
                        "parquetFile /table [café] int64",
                        "release 111");
    }

    @Test
    void whatTheHostThrowsArrivesUnchanged() {
        IllegalStateException thrown = new IllegalStateException("no Spark");
        RecordingHost host = new RecordingHost() {
            @Override
            public long stage(byte[] operators, long[] values, long[] inputs) {
                throw thrown;
            }
        };
        assertThatThrownBy(() -> program.run(host, 4, List.of("calls"))).isSameAs(thrown);
        assertThat(host.calls).hasSize(3);
    }

    @Test
    void argumentsArriveWithTheName() {
        assertThat(failureOf("nonsense")).isEqualTo("native program boundary.so, operator main: wrong arguments");
    }

    @Test
    void programsLearnWhichBroadcastsAreNoMore() {
        assertThat(failureOf("forgotten")).endsWith(": broadcast 0");
        NativeProgram.forgetBroadcast(1L << 40);
        assertThat(failureOf("forgotten")).endsWith(": broadcast " + (1L << 40));
    }

    @Test
    void aStageCallsWhatItsTaskHas() {
        TestTask host = new TestTask("ab", "c");
        List<String> emitted = host.run(program::openStage, kernels.get("call_all"), "captures,", 5);
        assertThat(emitted).containsExactly("captures,value of 7 5/3/1/0/123456789012 abcabc");
        assertThat(host.accumulated).isEqualTo(Map.of(9L, Double.doubleToRawLongBits(0.5)));
        assertThat(host.lent).isEmpty();
    }

    @Test
    void aStageThatFailsSaysWhere() {
        assertThatThrownBy(() -> new TestTask().run(program::openStage, kernels.get("fail_always"), "", 5))
                .isInstanceOf(NativeProgramException.class)
                .hasMessage(
                        "native program boundary.so, partition 5 of map, filter, operator fail_always: café is not a"
                                + " number");
        assertThatThrownBy(() -> new TestTask().run(program::openStage, kernels.get("fail_always"), "", 99))
                .hasMessage("native program boundary.so, partition 99 of map, filter, operator open: no partition 99");
    }

    @Test
    void whatATaskThrowsArrivesUnchanged() {
        IllegalStateException thrown = new IllegalStateException("killed");
        TestTask host = new TestTask() {
            @Override
            public long nextBatch(int input) {
                throw thrown;
            }
        };
        assertThatThrownBy(() -> host.run(program::openStage, kernels.get("call_all"), "", 5))
                .isSameAs(thrown);
    }

    @Test
    void noMemoryIsLeft() {
        long before = NativeBatch.openBytes();
        new TestTask("ab", "c").run(program::openStage, kernels.get("call_all"), "captures,", 5);
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    /** Writes down the calls, and answers with known values. */
    private static class RecordingHost implements ProgramHost {
        final List<String> calls = new ArrayList<>();
        private long last = 100;

        private long note(String call) {
            calls.add(call);
            return ++last;
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        private static String text(long address, long sizeBytes) {
            return text(NativeBatch.bytesAt(address, sizeBytes));
        }

        private static String text(byte[] operators, long[] values, long[] inputs) {
            StagePlan plan = StagePlan.of(operators, values, inputs);
            return plan.operators() + " " + plan.kernel() + " "
                    + text(plan.capturesAddress(), plan.capturesSizeBytes())
                    + (plan.cartesian() ? " cartesian" : "")
                    + " order " + plan.order()
                    + " " + plan.outputPartitions() + " " + Arrays.toString(plan.inputs());
        }

        @Override
        public long textFile(byte[] path, int minPartitions) {
            return note("textFile " + text(path) + " " + minPartitions);
        }

        @Override
        public long binaryRecords(byte[] path, int recordBytes, int minPartitions) {
            return note(
                    "binaryRecords " + text(path) + " " + Integer.toUnsignedLong(recordBytes) + " " + minPartitions);
        }

        @Override
        public long parallelize(long[] ranges) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < ranges.length; i += 2) {
                parts.add(text(ranges[i], ranges[i + 1]));
            }
            return note("parallelize " + String.join(",", parts));
        }

        @Override
        public long stage(byte[] operators, long[] values, long[] inputs) {
            return note("stage " + text(operators, values, inputs));
        }

        @Override
        public long shuffle(byte[] operators, long[] values, long[] inputs) {
            return note("shuffle " + text(operators, values, inputs));
        }

        @Override
        public long unionOf(long[] nodes) {
            return note("unionOf " + Arrays.toString(nodes));
        }

        @Override
        public long coalesce(long node, int partitions) {
            return note("coalesce " + node + " " + partitions);
        }

        @Override
        public int partitionCount(long node) {
            calls.add("partitionCount " + node);
            return 17;
        }

        @Override
        public void persist(long node, int level) {
            calls.add("persist " + node + " " + level);
        }

        @Override
        public void unpersist(long node) {
            calls.add("unpersist " + node);
        }

        @Override
        public void checkpoint(long node) {
            calls.add("checkpoint " + node);
        }

        @Override
        public void release(long node) {
            calls.add("release " + node);
        }

        @Override
        public int collect(long node, int[] partitions, long receiver, long function) {
            calls.add("collect " + node + " " + Arrays.toString(partitions));
            for (int partition : partitions) {
                try (NativeBatch batch = NativeBatch.allocate(3L * partition + 1)) {
                    int status = NativeProgram.receive(function, receiver, partition, batch);
                    if (status != 0) {
                        return status;
                    }
                }
            }
            try (NativeBatch last1 = NativeBatch.allocate(1)) {
                return NativeProgram.receive(function, receiver, 0, last1);
            }
        }

        @Override
        public void save(long node, byte[] path) {
            calls.add("save " + node + " " + text(path));
        }

        @Override
        public long broadcast(long address, long sizeBytes) {
            return note("broadcast " + text(address, sizeBytes));
        }

        @Override
        public void destroyBroadcast(long broadcast) {
            calls.add("destroyBroadcast " + broadcast);
        }

        @Override
        public void releaseBroadcast(long broadcast) {
            calls.add("releaseBroadcast " + broadcast);
        }

        @Override
        public long accumulator(byte[] name, int kind) {
            return note("accumulator " + text(name) + " " + kind);
        }

        @Override
        public long accumulatorValue(long accumulator) {
            calls.add("accumulatorValue " + accumulator);
            return Double.doubleToRawLongBits(2.5);
        }

        @Override
        public long input(byte[] name, byte[] type) {
            return note("input " + text(name) + " " + text(type));
        }

        private static String texts(byte[][] all) {
            return Arrays.stream(all).map(RecordingHost::text).toList().toString();
        }

        @Override
        public long parquetFile(byte[] path, byte[][] columns, byte[] type) {
            return note("parquetFile " + text(path) + " " + texts(columns) + " " + text(type));
        }

        @Override
        public void saveParquet(long node, byte[] path, byte[][] columns, byte[] type) {
            calls.add("saveParquet " + node + " " + text(path) + " " + texts(columns) + " " + text(type));
        }

        @Override
        public void output(long node, byte[] name, byte[] type) {
            calls.add("output " + node + " " + text(name) + " " + text(type));
        }
    }
}
