package org.heapspan.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.heapspan.benchmarks.data.SizedSet;

/** The receiving JVM: makes objects of all messages and answers those that ask for it. */
public final class TransferReceiver {
    /** Make an object, say nothing. */
    static final int KIND_SILENT = 0;

    /** Make an object, answer with the processor time of this JVM in nanoseconds. */
    static final int KIND_ANSWER = 1;

    /** Make an object and compare it with what it should be, given its number of elements; answer 1 if it is that. */
    static final int KIND_COMPARE = 2;

    /** The next message comes over the channel of this number. */
    static final int KIND_CHANNEL = 3;

    /** Keeps the compiler from dropping what nobody looks at. */
    static volatile Object sink;

    private TransferReceiver() {}

    /**
     * Receives until the sender ends.
     *
     * @param arguments carrier, data set, channels with commas between them, two named pipes
     */
    public static void main(String[] arguments) throws IOException {
        String set = arguments[1];
        Carrier carrier = Carrier.named(arguments[0], new SizedSet(set, 1));
        List<Connection> connections = new ArrayList<>();
        try {
            for (String channel : Arrays.asList(arguments[2].split(",", -1))) {
                connections.add(connection(channel, arguments));
            }
            receive(carrier, set, connections);
        } finally {
            for (Connection each : connections) {
                each.close();
            }
        }
    }

    private static Connection connection(String channel, String[] arguments) throws IOException {
        return channel.equals("tcp")
                ? Connection.accept(port -> {
                    System.out.println(port);
                    System.out.flush();
                })
                : Connection.ofPipesAsReceiver(Path.of(arguments[3]), Path.of(arguments[4]));
    }

    private static void receive(Carrier carrier, String set, List<Connection> connections) throws IOException {
        Connection connection = connections.get(0);
        byte[] message = connection.receive();
        while (message != null) {
            switch (connection.kind()) {
                case KIND_CHANNEL -> connection = connections.get(connection.number());
                case KIND_COMPARE -> {
                    SizedSet expected = new SizedSet(set, connection.number());
                    connection.answer(expected.same(expected.root(), carrier.decode(message)) ? 1 : 0);
                }
                case KIND_ANSWER -> {
                    sink = carrier.decode(message);
                    connection.answer(ProcessorTime.nanos());
                }
                default -> sink = carrier.decode(message);
            }
            message = connection.receive();
        }
    }
}
