package org.heapspan.tests.fuzz;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.tests.conformance.Samples;

/**
 * A JVM with a small heap, to which inputs go for whose decoding much memory was allocated: what it can decode, or refuse, held little at once, and the
 * rest was garbage. Hash codes of sets within sets make as much garbage as they take time. Not thread-safe.
 */
final class SmallHeap implements AutoCloseable {
    /** What a JVM needs that has decoded some inputs, and several times what {@code SECURITY.md} lets an input of the fuzzers hold. */
    private static final String HEAP = "-Xmx32m";

    private static final int DONE = 1;
    private static final int OUT_OF_MEMORY = 2;

    private final String codec;
    private Process process;
    private DataOutputStream toProcess;
    private DataInputStream fromProcess;

    /** One for inputs of this codec. The JVM is started when there is an input for it. */
    SmallHeap(String codec) {
        this.codec = codec;
    }

    /** Tells whether an input is decoded or refused within the small heap. */
    boolean holds(byte[] input) throws IOException {
        if (process == null || !process.isAlive()) {
            start();
        }
        try {
            toProcess.writeInt(input.length);
            toProcess.write(input);
            toProcess.flush();
            return fromProcess.readUnsignedByte() == DONE;
        } catch (IOException ended) {
            // It did not live through the input; where it cannot live at all, the next one says so as well.
            close();
            return false;
        }
    }

    private void start() throws IOException {
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        HEAP,
                        "-XX:+UseSerialGC",
                        "-Dheapspan.direct=" + System.getProperty("heapspan.direct", "true"),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        JavaProcess.testClassPath(),
                        SmallHeap.class.getName(),
                        codec))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        toProcess = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        fromProcess = new DataInputStream(new BufferedInputStream(process.getInputStream()));
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroyForcibly();
            process = null;
        }
    }

    /**
     * Decodes inputs that come with their lengths, until there are no more.
     *
     * @param arguments the codec
     * @throws Exception if there is no such codec
     */
    public static void main(String[] arguments) throws Exception {
        Samples decoder = Samples.none(arguments[0], new RecordingLoader());
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(System.out);
        try {
            while (true) {
                byte[] input = new byte[in.readInt()];
                in.readFully(input);
                out.writeByte(decode(decoder, input));
                out.flush();
            }
        } catch (EOFException end) {
            // There are no more.
        }
    }

    private static int decode(Samples decoder, byte[] input) {
        try {
            decoder.decode(input);
        } catch (Throwable refused) {
            // Whether rightly so is for others to say.
            return isOutOfMemory(refused) ? OUT_OF_MEMORY : DONE;
        }
        return DONE;
    }

    /** What an object's own method throws is a cause, or suppressed. */
    private static boolean isOutOfMemory(Throwable thrown) {
        return thrown instanceof OutOfMemoryError
                || thrown.getCause() != null && isOutOfMemory(thrown.getCause())
                || Stream.of(thrown.getSuppressed()).anyMatch(SmallHeap::isOutOfMemory);
    }
}
