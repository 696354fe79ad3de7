package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Path;

/** The receiving JVM: makes objects of all messages and answers those that ask for it. */
public final class TransferReceiver {
    /** Make an object, say nothing. */
    static final int KIND_SILENT = 0;

    /** Make an object, answer with the processor time of this JVM in nanoseconds. */
    static final int KIND_ANSWER = 1;

    /** Keeps the compiler from dropping what nobody looks at. */
    static volatile Object sink;

    private TransferReceiver() {}

    /**
     * Receives until the sender ends.
     *
     * @param arguments carrier, data set, and {@code tcp} or {@code pipe} with two named pipes
     */
    public static void main(String[] arguments) throws IOException {
        Carrier carrier = Carrier.named(arguments[0], new TransferSet(arguments[1], 1));
        try (Connection connection = arguments[2].equals("tcp")
                ? Connection.accept(port -> {
                    System.out.println(port);
                    System.out.flush();
                })
                : Connection.ofPipesAsReceiver(Path.of(arguments[3]), Path.of(arguments[4]))) {
            byte[] message = connection.receive();
            while (message != null) {
                sink = carrier.decode(message);
                if (connection.kind() == KIND_ANSWER) {
                    connection.answer(ProcessorTime.nanos());
                }
                message = connection.receive();
            }
        }
    }
}
