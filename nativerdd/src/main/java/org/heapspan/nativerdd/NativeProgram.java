package org.heapspan.nativerdd;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.heapspan.vm.CpuFeatures;
import org.heapspan.vm.VirtualMachine;
import org.jspecify.annotations.Nullable;

/**
 * A native program that this JVM has loaded. It stays loaded for as long as the JVM lives; the same program is loaded once, whatever file it comes
 * from. Thread-safe.
 */
public final class NativeProgram {
    private static final String LEVEL_WITH_AVX512 = "x86-64-v4";

    private static final Map<String, NativeProgram> LOADED = new ConcurrentHashMap<>();

    private final String name;
    private final String buildId;
    private final long table;

    private NativeProgram(String name, String buildId, long table) {
        this.name = name;
        this.buildId = buildId;
        this.table = table;
    }

    /**
     * Loads a program.
     *
     * @param file a shared object, which runs code when it is loaded; it must be trusted as the application itself
     * @return the program
     * @throws NativeProgramException if there is no such program, or this JVM or this processor cannot run it
     */
    public static NativeProgram load(Path file) {
        return load(file, null, String.valueOf(file.getFileName()));
    }

    /**
     * Loads a program, if it is the one that is wanted.
     *
     * @param file a shared object, which runs code when it is loaded; it must be trusted as the application itself
     * @param buildId what {@link #buildId} must return; null for any program
     * @param name what messages call it
     * @return the program
     * @throws NativeProgramException if the program is another one, or this JVM or this processor cannot run it
     */
    public static NativeProgram load(Path file, @Nullable String buildId, String name) {
        NativeProgram known = buildId == null ? null : LOADED.get(buildId);
        if (known != null) {
            return known;
        }
        String found = buildIdOf(file);
        if (buildId != null && !found.equals(buildId)) {
            throw new NativeProgramException("the native program " + file + " has the build id " + found + ", expected "
                    + buildId + "; all JVMs of an application must have the same file");
        }
        return LOADED.computeIfAbsent(
                found, id -> open(file, id, name, VirtualMachine.current().cpuFeatures()));
    }

    /**
     * Reads the build id of a program without loading it.
     *
     * @param file a shared object
     * @return hexadecimal digits
     * @throws NativeProgramException if the file cannot be read, or is no shared object with a build id
     */
    public static String buildIdOf(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new NativeProgramException(
                    "there is no native program " + file + "; `heapspan native build` makes one");
        }
        try {
            return BuildId.of(file);
        } catch (IOException e) {
            throw new NativeProgramException("the native program " + file + " cannot be read: " + e, e);
        }
    }

    /** Opens a program, on a machine with this processor. */
    static NativeProgram open(Path file, String buildId, String name, CpuFeatures features) {
        // Before the program is loaded: its initialisers may use these instructions.
        if (!BoundaryLibrary.hasProcessorLevel3()) {
            throw new NativeProgramException(
                    "native programs need a processor of level x86-64-v3 (AVX2, BMI2, FMA), and this"
                            + " machine has less: " + features + "; run the application on other machines");
        }
        long[] table = new long[1];
        byte[] failure = BoundaryLibrary.openProgram(bytes(file.toAbsolutePath().toString()), table);
        if (failure != null) {
            throw new NativeProgramException(
                    "the native program " + file + " cannot be loaded: " + new String(failure, StandardCharsets.UTF_8));
        }
        NativeProgram program = new NativeProgram(name, buildId, table[0]);
        if (program.cpuLevel().equals(LEVEL_WITH_AVX512) && !features.avx512()) {
            throw new NativeProgramException("the native program " + file + " was built for processors of level "
                    + program.cpuLevel() + ", and this machine has less: " + features
                    + "; build it without -march=native, or run the application on other machines");
        }
        return program;
    }

    /**
     * What tells this program from all others.
     *
     * @return hexadecimal digits
     */
    public String buildId() {
        return buildId;
    }

    /**
     * What messages call it.
     *
     * @return the name of its file, if it was not given another one
     */
    public String name() {
        return name;
    }

    /**
     * What the program was built with and for.
     *
     * @return compiler and instruction set, for messages
     */
    public String description() {
        return new String(BoundaryLibrary.compiler(table), StandardCharsets.UTF_8) + " for " + cpuLevel();
    }

    private String cpuLevel() {
        return new String(BoundaryLibrary.cpuLevel(table), StandardCharsets.UTF_8);
    }

    /**
     * Runs the driver side of the program in this thread, until it returns.
     *
     * @param host what the program calls
     * @param defaultParallelism the number of partitions where the program names none
     * @param arguments of the program, without its name
     * @throws NativeProgramException if the program failed; what the host throws is thrown unchanged
     */
    public void run(ProgramHost host, int defaultParallelism, List<String> arguments) {
        ByteArrayOutputStream words = new ByteArrayOutputStream();
        words.writeBytes(bytes(name));
        for (String argument : arguments) {
            words.writeBytes(bytes(argument));
        }
        byte[] error = new byte[BoundaryLibrary.ERROR_BYTES];
        int status = BoundaryLibrary.runProgram(table, host, defaultParallelism, words.toByteArray(), error);
        if (status != BoundaryLibrary.OK) {
            throw failure(status, "native program " + name, error);
        }
    }

    /**
     * Makes a stage.
     *
     * @param task what it is
     * @param host what it calls
     * @return the stage, for one thread at a time
     * @throws NativeProgramException if the program failed; what the host throws is thrown unchanged
     */
    public RunningStage openStage(StageTask task, TaskHost host) {
        return NativeStage.open(table, name, task, host);
    }

    /**
     * Passes a batch to the receiver that a program gave to {@link ProgramHost#collect}. Only during that call.
     *
     * @param function the code of the receiver, as the program gave it
     * @param receiver the data of the receiver, as the program gave it
     * @param partition of the batch
     * @param batch what was collected
     * @return 0 to go on; otherwise what {@code collect} returns
     */
    public static int receive(long function, long receiver, int partition, NativeBatch batch) {
        return BoundaryLibrary.receive(function, receiver, partition, batch.address(), batch.sizeBytes());
    }

    /**
     * Frees what the programs of this JVM have decoded of a broadcast, but for what stages use.
     *
     * @param broadcast the number that a {@link ProgramHost} has given it
     */
    public static void forgetBroadcast(long broadcast) {
        LOADED.values().forEach(program -> BoundaryLibrary.forgetBroadcast(program.table, broadcast));
    }

    static NativeProgramException failure(int status, String where, byte[] error) {
        return status == BoundaryLibrary.PROGRAM_FAILED
                ? NativeProgramException.of(where, error)
                : new NativeProgramException(where + " ended with the status " + status
                        + ", which it must not; it was built with other headers than those of this version");
    }

    /** UTF-8, ended by 0. */
    private static byte[] bytes(String text) {
        return text.replace('\0', ' ').concat("\0").getBytes(StandardCharsets.UTF_8);
    }
}
