package org.heapspan.benchmarks.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.heapspan.benchmarks.data.SizedSet;

/**
 * The sending JVM: starts the receiver with its own options, sends, and prints a line of figures for each channel and number of elements, round by round.
 *
 * <p>First the receiver compares what arrives with what was sent. Then messages of all sizes go over all channels until both JVMs have compiled
 * what they need, so that no size is measured with code that knows it alone.
 */
public final class TransferSender {
    /** Of processor time: compilers need it, and get little of it on a busy machine. */
    private static final long WARM_UP_NANOS = 2_000_000_000L;

    /** Of each size, before that. */
    private static final int WARM_UP_MESSAGES = 16;

    private static final long SLICE_NANOS = 20_000_000L;
    private static final long LATENCY_NANOS = 30_000_000L;
    private static final long THROUGHPUT_NANOS = 70_000_000L;
    private static final int LEAST_MESSAGES = 3;

    /** Comparing takes longer than all else where there are many elements. */
    private static final int MOST_COMPARED = 4096;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Carrier carrier;
    private final List<Connection> connections;
    private int current;

    private TransferSender(Carrier carrier, List<Connection> connections) {
        this.carrier = carrier;
        this.connections = connections;
    }

    /** Something to send. */
    private record Message(SizedSet data, Object root) {}

    /**
     * Measures; prints {@code channel elements bytes latencyNanos messages nanos processorNanos} for each channel, number of elements and
     * round.
     *
     * @param arguments carrier, data set, channels and numbers of elements with commas between them, number of rounds
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        String set = arguments[1];
        List<String> channels = Arrays.asList(arguments[2].split(",", -1));
        Path directory = Files.createTempDirectory("heapspan-transfer");
        List<Path> pipes = List.of(directory.resolve("to-receiver"), directory.resolve("to-sender"));
        List<String> command = receiverCommand(arguments[0], set, arguments[2]);
        for (Path each : pipes) {
            if (new ProcessBuilder("mkfifo", each.toString()).start().waitFor() != 0) {
                throw new IOException("mkfifo " + each + " failed");
            }
            command.add(each.toString());
        }
        List<Connection> connections = new ArrayList<>();
        Process receiver = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(receiver.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String channel : channels) {
                connections.add(
                        channel.equals("tcp")
                                ? Connection.connect(Integer.parseInt(output.readLine()))
                                : Connection.ofPipesAsSender(pipes.get(0), pipes.get(1)));
            }
            List<Message> messages = new ArrayList<>();
            for (String elements : arguments[3].split(",", -1)) {
                SizedSet data = new SizedSet(set, Integer.parseInt(elements));
                messages.add(new Message(data, data.root()));
            }
            Carrier carrier = Carrier.named(arguments[0], messages.get(0).data);
            new TransferSender(carrier, connections).run(channels, messages, Integer.parseInt(arguments[4]));
        } finally {
            for (Connection each : connections) {
                each.close();
            }
            receiver.destroy();
            receiver.waitFor();
            for (Path each : pipes) {
                Files.deleteIfExists(each);
            }
            Files.deleteIfExists(directory);
        }
    }

    private static List<String> receiverCommand(String carrier, String set, String channels) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                TransferReceiver.class.getName(),
                carrier,
                set,
                channels));
        return command;
    }

    private void run(List<String> channels, List<Message> messages, int rounds) throws IOException {
        for (Message each : messages) {
            if (each.data.elements() <= MOST_COMPARED) {
                compare(each);
            }
        }
        for (Message each : messages) {
            for (int i = 0; i < WARM_UP_MESSAGES; i++) {
                sendAndWait(each.root);
            }
        }
        // Code is compiled for how often it runs, and the larger ones would take up most of the time.
        List<Message> small = messages.stream()
                .filter(each -> each.data.elements() <= MOST_COMPARED)
                .toList();
        long end = ProcessorTime.nanos() + WARM_UP_NANOS;
        while (!small.isEmpty() && ProcessorTime.nanos() < end) {
            for (int channel = 0; channel < channels.size(); channel++) {
                switchTo(channel);
                for (Message each : small) {
                    settle(each.root);
                    stream(each.root, SLICE_NANOS);
                }
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (int channel = 0; channel < channels.size(); channel++) {
                switchTo(channel);
                for (Message each : messages) {
                    measure(channels.get(channel), each);
                }
            }
        }
    }

    private void switchTo(int channel) throws IOException {
        connections.get(current).send(TransferReceiver.KIND_CHANNEL, channel, NOTHING.duplicate());
        current = channel;
    }

    private void compare(Message message) throws IOException {
        send(message.root, TransferReceiver.KIND_COMPARE, message.data.elements());
        if (connections.get(current).awaitAnswer() != 1) {
            throw new IllegalStateException(message.data.elements() + " elements of " + message.data.title()
                    + " arrived otherwise than they were sent");
        }
    }

    private void measure(String channel, Message message) throws IOException {
        // The first ones find the caches full of messages of another size.
        settle(message.root);
        long latencyNanos = latency(message.root, LATENCY_NANOS);
        Streamed streamed = stream(message.root, THROUGHPUT_NANOS);
        System.out.printf(
                Locale.ROOT,
                "%s %d %d %d %d %d %d%n",
                channel,
                message.data.elements(),
                carrier.encode(message.root).remaining(),
                latencyNanos,
                streamed.messages,
                streamed.nanos,
                streamed.processorNanos);
    }

    private void send(Object root, int kind, int number) throws IOException {
        connections.get(current).send(kind, number, carrier.encode(root));
    }

    private long sendAndWait(Object root) throws IOException {
        send(root, TransferReceiver.KIND_ANSWER, 0);
        return connections.get(current).awaitAnswer();
    }

    private void settle(Object root) throws IOException {
        long end = System.nanoTime() + SLICE_NANOS;
        do {
            sendAndWait(root);
        } while (System.nanoTime() < end);
    }

    /** Median time until the object stands on the other side and the answer is back. */
    private long latency(Object root, long nanos) throws IOException {
        long[] samples = new long[1 << 14];
        int count = 0;
        long end = System.nanoTime() + nanos;
        while (count < LEAST_MESSAGES || System.nanoTime() < end && count < samples.length) {
            long start = System.nanoTime();
            sendAndWait(root);
            samples[count++] = System.nanoTime() - start;
        }
        Arrays.sort(samples, 0, count);
        return samples[count / 2];
    }

    /** What many messages took together; the processor time is that of both JVMs, which the system counts in steps of 10 ms. */
    private record Streamed(long messages, long nanos, long processorNanos) {}

    /** Sends many without waiting. */
    private Streamed stream(Object root, long nanos) throws IOException {
        long receiverBefore = sendAndWait(root);
        long senderBefore = ProcessorTime.nanos();
        long start = System.nanoTime();
        long end = start + nanos;
        long count = 1;
        while (count < LEAST_MESSAGES || System.nanoTime() < end) {
            send(root, TransferReceiver.KIND_SILENT, 0);
            count++;
        }
        long receiverAfter = sendAndWait(root);
        long passed = System.nanoTime() - start;
        return new Streamed(count, passed, ProcessorTime.nanos() - senderBefore + receiverAfter - receiverBefore);
    }
}
