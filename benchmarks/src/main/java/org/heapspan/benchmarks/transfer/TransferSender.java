package org.heapspan.benchmarks.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The sending JVM: starts the receiver with its own options, sends, and prints a line of figures for each number of elements. */
public final class TransferSender {
    /** Bytes of objects that are sent before anything is measured, at the least. */
    private static final long WARM_UP_NANOS = 1_500_000_000L;

    private static final long LATENCY_NANOS = 400_000_000L;
    private static final long THROUGHPUT_NANOS = 700_000_000L;
    private static final int LEAST_MESSAGES = 5;

    private final Connection connection;
    private final Carrier carrier;

    private TransferSender(Connection connection, Carrier carrier) {
        this.connection = connection;
        this.carrier = carrier;
    }

    /**
     * Measures; prints {@code elements bytes latencyNanos nanosPerMessage processorNanosPerMessage} for each number of elements.
     *
     * @param arguments carrier, data set, {@code tcp} or {@code pipe}, numbers of elements with commas between them
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        String set = arguments[1];
        boolean pipe = arguments[2].equals("pipe");
        Path directory = Files.createTempDirectory("heapspan-transfer");
        Path toReceiver = directory.resolve("to-receiver");
        Path toSender = directory.resolve("to-sender");
        List<String> command = receiverCommand(arguments[0], set, arguments[2]);
        if (pipe) {
            for (Path each : List.of(toReceiver, toSender)) {
                if (new ProcessBuilder("mkfifo", each.toString()).start().waitFor() != 0) {
                    throw new IOException("mkfifo " + each + " failed");
                }
                command.add(each.toString());
            }
        }
        Process receiver = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = new BufferedReader(
                        new InputStreamReader(receiver.getInputStream(), StandardCharsets.US_ASCII));
                Connection connection = pipe
                        ? Connection.ofPipesAsSender(toReceiver, toSender)
                        : Connection.connect(Integer.parseInt(output.readLine()))) {
            for (String elements : arguments[3].split(",", -1)) {
                TransferSet data = new TransferSet(set, Integer.parseInt(elements));
                new TransferSender(connection, Carrier.named(arguments[0], data)).measure(data, elements);
            }
        } finally {
            receiver.destroy();
            receiver.waitFor();
            Files.deleteIfExists(toReceiver);
            Files.deleteIfExists(toSender);
            Files.deleteIfExists(directory);
        }
    }

    private static List<String> receiverCommand(String carrier, String set, String channel) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), TransferReceiver.class.getName(), carrier, set, channel));
        return command;
    }

    private void measure(TransferSet data, String elements) throws IOException {
        Object root = data.root();
        int sizeBytes = send(root, TransferReceiver.KIND_ANSWER);
        connection.awaitAnswer();
        long end = System.nanoTime() + WARM_UP_NANOS;
        while (System.nanoTime() < end) {
            sendAndWait(root);
        }
        long latencyNanos = latency(root);
        long[] streamed = stream(root);
        System.out.printf(Locale.ROOT, "%s %d %d %d %d%n", elements, sizeBytes, latencyNanos, streamed[0], streamed[1]);
    }

    private int send(Object root, int kind) throws IOException {
        ByteBuffer bytes = carrier.encode(root);
        int sizeBytes = bytes.remaining();
        connection.send(kind, bytes);
        return sizeBytes;
    }

    private long sendAndWait(Object root) throws IOException {
        send(root, TransferReceiver.KIND_ANSWER);
        return connection.awaitAnswer();
    }

    /** Median time until the object stands on the other side and the answer is back. */
    private long latency(Object root) throws IOException {
        long[] samples = new long[1 << 16];
        int count = 0;
        long end = System.nanoTime() + LATENCY_NANOS;
        while (count < LEAST_MESSAGES || System.nanoTime() < end && count < samples.length) {
            long start = System.nanoTime();
            sendAndWait(root);
            samples[count++] = System.nanoTime() - start;
        }
        Arrays.sort(samples, 0, count);
        return samples[count / 2];
    }

    /** Time, and processor time of both JVMs, for a message of many that are sent without waiting. */
    private long[] stream(Object root) throws IOException {
        long receiverBefore = sendAndWait(root);
        long senderBefore = ProcessorTime.nanos();
        long start = System.nanoTime();
        long end = start + THROUGHPUT_NANOS;
        long count = 1;
        while (count < LEAST_MESSAGES || System.nanoTime() < end) {
            send(root, TransferReceiver.KIND_SILENT);
            count++;
        }
        long receiverAfter = sendAndWait(root);
        long nanos = System.nanoTime() - start;
        long processorNanos = ProcessorTime.nanos() - senderBefore + receiverAfter - receiverBefore;
        return new long[] {nanos / count, processorNanos / count};
    }
}
