package org.heapspan.nativerdd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stages in a process of their own do what they do in this one; and what they cannot do to this one. */
final class NativeWorkerTest {
    private static final int HANG_SECONDS = 600;

    @TempDir
    static Path folder;

    private static Path file;
    private static NativeProgram program;
    private static Map<String, Long> kernels;
    private static NativeWorker worker;

    @BeforeAll
    static void start() throws Exception {
        file = BoundaryProgram.compile(folder, "boundary.so");
        program = NativeProgram.load(file);
        kernels = BoundaryProgram.kernels(program);
        worker = NativeWorker.start();
    }

    @AfterAll
    static void end() {
        worker.close();
    }

    private static TestTask.Opener in(NativeWorker process) {
        return (task, host) -> process.openStage(file, program.buildId(), "boundary.so", task, host);
    }

    private static byte[] accumulator(long number) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(number)
                .array();
    }

    @Test
    void aStageCallsWhatItsTaskHas() {
        long before = NativeBatch.openBytes();
        TestTask host = new TestTask("ab", "c".repeat(300_000));
        assertThat(host.run(in(worker), kernels.get("call_all"), "captures,", 5))
                .containsExactly("captures,value of 7 5/3/1/0/123456789012 " + ("ab" + "c".repeat(300_000)).repeat(2));
        assertThat(host.accumulated).isEqualTo(Map.of(9L, Double.doubleToRawLongBits(0.5)));
        assertThat(host.lent).isEmpty();
        assertThat(NativeBatch.openBytes()).isLessThanOrEqualTo(before);
    }

    @Test
    void mapSidesAndSpillsAreThoseOfTheTask() {
        TestTask there = new TestTask("b\na\n", "c\nb\n");
        there.run(in(worker), kernels.get("divide_lines"), accumulator(4), 0, 3);
        TestTask here = new TestTask("b\na\n", "c\nb\n");
        here.run(program::openStage, kernels.get("divide_lines"), accumulator(4), 0, 3);
        assertThat(there.outputs).isEqualTo(here.outputs).hasSizeGreaterThan(1);
        assertThat(there.accumulated).isEqualTo(Map.of(4L, 4L));

        TestTask sorted = new TestTask("b\na\n", "c\nb\n");
        assertThat(sorted.run(in(worker), kernels.get("sort_lines"), "", 0)).containsExactly("a\nb\nb\nc\n");
        assertThat(sorted.spills).isEmpty();
        assertThat(sorted.reservedBytes).isZero();
    }

    /** The stage that feeds another one runs while that one waits. */
    @Test
    void stagesMayFeedEachOther() {
        TestTask first = new TestTask("b\n", "a\n");
        TestTask second = new TestTask("c\n") {
            @Override
            public void rewindInput(int number) {
                super.rewindInput(number);
                assertThat(first.run(in(worker), kernels.get("sort_lines"), "", 1))
                        .containsExactly("a\nb\n");
            }
        };
        assertThat(second.run(in(worker), kernels.get("call_all"), "", 2))
                .containsExactly("value of 7 2/3/1/0/123456789012 c\nc\n");
    }

    @Test
    void failuresArriveUnchanged() {
        assertThatThrownBy(() -> new TestTask().run(in(worker), kernels.get("fail_always"), "", 5))
                .isInstanceOf(NativeProgramException.class)
                .hasMessage(
                        "native program boundary.so, partition 5 of map, filter, operator fail_always: café is not a number");
        assertThatThrownBy(() -> new TestTask().run(in(worker), kernels.get("fail_always"), "", 99))
                .hasMessage("native program boundary.so, partition 99 of map, filter, operator open: no partition 99");
        IllegalStateException thrown = new IllegalStateException("killed");
        TestTask host = new TestTask() {
            @Override
            public long nextBatch(int input) {
                throw thrown;
            }
        };
        assertThatThrownBy(() -> host.run(in(worker), kernels.get("call_all"), "", 5))
                .isSameAs(thrown);
        // It is of use after all that.
        aStageCallsWhatItsTaskHas();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "segment; crashed: SIGSEGV at C [boundary.so+",
                "abort; crashed: SIGABRT, as by abort()",
                "overflow; crashed: SIGSEGV",
                "exit; ended its process with the exit code 5"
            })
    void aCrashIsAnError(String how, String message) {
        try (NativeWorker own = NativeWorker.start()) {
            TestTask crashing = new TestTask();
            TestTask waiting = new TestTask("x") {
                @Override
                public long nextBatch(int input) {
                    crashing.run(in(own), kernels.get("crash"), how, 3);
                    throw new AssertionError("no crash");
                }
            };
            // The stage that has crashed is named, not the one that waited for it.
            assertThatThrownBy(() -> waiting.run(in(own), kernels.get("call_all"), "", 4))
                    .isInstanceOf(NativeProgramException.class)
                    .hasMessageStartingWith(
                            "native program boundary.so, partition 3 of map, filter: the program " + message)
                    .hasMessageEndingWith("as an attempt of this task had failed before.");
            assertThatThrownBy(() -> new TestTask().run(in(own), kernels.get("call_all"), "", 4))
                    .hasMessageContaining("partition 3");
        }
    }

    @Test
    void aReportNamesThePlace() {
        assertThat(CrashReport.of(List.of(
                        "#",
                        "# A fatal error has been detected by the Java Runtime Environment:",
                        "#",
                        "#  SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2",
                        "# Problematic frame:",
                        "# C  [checks.so+0x1234]  void run()+0x10",
                        "#")))
                .isEqualTo(new CrashReport("SIGSEGV", "C [checks.so+0x1234] void run()+0x10"));
        assertThat(CrashReport.of(List.of("#", "# Problematic frame:"))).isNull();
        assertThat(CrashReport.read(folder.resolve("nothing"))).isNull();
    }

    /** They may be for the heap of an executor, which is not that of the worker. */
    @Test
    void optionsForOtherJvmsAreNotForTheWorker() {
        String options = "-XX:+UseG1GC -Xms128m";
        Map<String, String> environment = Map.of(
                "JAVA_TOOL_OPTIONS", options, "JDK_JAVA_OPTIONS", options, "_JAVA_OPTIONS", options, "PATH", "/bin");
        try (NativeWorker own = NativeWorker.start(environment)) {
            assertThat(new TestTask("x").run(in(own), kernels.get("call_all"), "", 5))
                    .containsExactly("value of 7 5/3/1/0/123456789012 xx");
        }
    }

    /** Another thread ends it while a kernel is at work that never returns. */
    @Test
    @Timeout(value = HANG_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aWorkerIsKilledWhileItIsAtWork() {
        try (NativeWorker own = NativeWorker.start()) {
            TestTask host = new TestTask() {
                @Override
                public boolean isCancelled() {
                    own.kill();
                    return false;
                }
            };
            assertThatThrownBy(() -> host.run(in(own), kernels.get("call_all"), "", 5))
                    .isInstanceOf(NativeProgramException.class)
                    .hasMessageContaining("the program was killed");
        }
    }

    /** A process that a kernel has started has none of the pipes, or their ends would not be seen. */
    @Test
    @Timeout(value = HANG_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aCrashIsSeenWhileAChildLives() throws Exception {
        Path alive = Files.createFile(folder.resolve("alive"));
        try (NativeWorker own = NativeWorker.start()) {
            assertThatThrownBy(() -> new TestTask().run(in(own), kernels.get("crash"), "c" + alive, 3))
                    .isInstanceOf(NativeProgramException.class)
                    .hasMessageContaining("crashed: SIGABRT");
        } finally {
            Files.delete(alive);
        }
    }

    /** What it cannot read would be taken for the next command. */
    @Test
    @Timeout(value = HANG_SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aWorkerWithoutMemoryEnds() throws Exception {
        Process process = NativeWorker.start(folder, System.getenv());
        try (NativeBatch captures = NativeBatch.copyOf(new byte[0])) {
            WorkerChannel channel = new WorkerChannel(process.getInputStream(), process.getOutputStream());
            channel.target().writeByte(WorkerChannel.OPEN);
            channel.target().writeInt(1);
            channel.writeText(file.toString());
            channel.writeText(program.buildId());
            channel.writeText("boundary.so");
            channel.target().writeLong(kernels.get("sort_lines"));
            channel.writeText("sort");
            for (int each : new int[] {0, 0, 1, 0}) {
                channel.target().writeInt(each);
            }
            channel.writeMemory(captures.address(), 0);
            channel.target().writeLong(0);
            channel.target().writeByte(WorkerChannel.ADVANCE);
            channel.target().writeInt(1);
            channel.target().flush();
            assertThat(channel.source().readUnsignedByte()).isEqualTo(WorkerChannel.ENDED);
            assertThat(question(channel)).isEqualTo(WorkerChannel.CREATE_SPILL);
            channel.target().writeByte(WorkerChannel.ANSWER);
            channel.target().writeLong(1);
            channel.target().flush();
            assertThat(question(channel)).isEqualTo(WorkerChannel.NEXT_BATCH);
            channel.source().readLong();
            channel.target().writeByte(WorkerChannel.ANSWER);
            channel.target().writeBoolean(true);
            channel.target().writeLong(1L << 60);
            channel.target().flush();
            assertThat(channel.source().read()).as("the end").isEqualTo(-1);
            assertThat(process.waitFor()).isEqualTo(1);
        } finally {
            process.destroyForcibly();
        }
    }

    private static int question(WorkerChannel channel) throws Exception {
        int question = channel.source().readUnsignedByte();
        assertThat(channel.source().readInt()).as("the stage").isEqualTo(1);
        return question;
    }

    @Test
    void aClosedWorkerIsNotUsed() {
        NativeWorker closed = NativeWorker.start();
        closed.close();
        closed.close();
        assertThatThrownBy(() -> new TestTask().run(in(closed), kernels.get("call_all"), "", 4))
                .isInstanceOf(IllegalStateException.class);
    }
}
