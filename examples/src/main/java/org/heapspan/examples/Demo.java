package org.heapspan.examples;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Sends a real object graph to another JVM with Heapspan and with other libraries, and compares. Run it by {@code ./dev demo}.
 *
 * <p>Arguments: {@code rounds=N} (transfers measured for each library, 41 unless told), {@code warmUpMillis=N} (for each library, 4000
 * unless told).
 */
public final class Demo {
    private static final int CONNECT_TIMEOUT_MILLIS = 60_000;
    private static final int BAR_CHARS = 36;

    private final int rounds;
    private final long warmUpNanos;

    private Demo(int rounds, long warmUpMillis) {
        this.rounds = rounds;
        this.warmUpNanos = warmUpMillis * 1_000_000;
    }

    /** Medians over the rounds. */
    record Result(
            String name, int sizeBytes, double encodeMillis, double decodeMillis, double totalMillis, String verdict) {
        double moveMillis() {
            return Math.max(0, totalMillis - encodeMillis - decodeMillis);
        }
    }

    /**
     * Runs the demo; exit code 1 and one line on the error stream when it fails.
     *
     * @param arguments see the class
     * @throws InterruptedException if the thread is interrupted while it waits for the second JVM
     */
    public static void main(String[] arguments) throws InterruptedException {
        try {
            of(arguments).run();
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("demo: " + e.getMessage());
            System.exit(1);
        }
    }

    private static Demo of(String[] arguments) {
        int rounds = 41;
        int warmUpMillis = 4000;
        for (String each : arguments) {
            if (each.matches("rounds=[1-9][0-9]{0,4}")) {
                rounds = Integer.parseInt(each.substring(7));
            } else if (each.matches("warmUpMillis=[0-9]{1,6}")) {
                warmUpMillis = Integer.parseInt(each.substring(13));
            } else {
                throw new IllegalArgumentException(
                        "'" + each + "' is not understood; there are rounds=N (from 1) and warmUpMillis=N");
            }
        }
        return new Demo(rounds, warmUpMillis);
    }

    private void run() throws IOException, InterruptedException {
        say("Heapspan demo: one object graph, two JVMs, four libraries");
        say("");
        say("1. Making objects of GitHub webhook events and tweets ...");
        DemoData data = DemoData.find();
        DemoData.Everything everything = data.everything();
        say("   data: " + data.source());
        say(String.format(
                Locale.ROOT,
                "   %d events, %d tweets; %d accounts, each shared by many events",
                everything.events().size(),
                everything.tweets().size(),
                DemoReceiver.distinctAccounts(everything)));
        say("2. Starting a second JVM, which has the same data, to compare what arrives ...");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(CONNECT_TIMEOUT_MILLIS);
            Process receiver = startReceiver(server.getLocalPort());
            try (Socket socket = server.accept()) {
                socket.setTcpNoDelay(true);
                send(everything, socket);
            } catch (SocketTimeoutException e) {
                throw new IOException(
                        "the second JVM has not connected within " + CONNECT_TIMEOUT_MILLIS / 1000 + " s"
                                + (receiver.isAlive() ? "" : "; it ended with exit code " + receiver.exitValue()),
                        e);
            } catch (EOFException | SocketException e) {
                throw new IOException("the second JVM has ended before the demo has", e);
            } finally {
                receiver.waitFor(5, TimeUnit.SECONDS);
                receiver.destroy();
            }
        }
    }

    private static Process startReceiver(int port) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Dheapspan.data=" + System.getProperty("heapspan.data", "../shared/data")));
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (Runtime.version().feature() >= 23) {
            // For Kryo and Fory; Heapspan needs no flag.
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of(DemoReceiver.class.getName(), Integer.toString(port)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void send(DemoData.Everything everything, Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
        say("   " + in.readUTF() + " is listening; this is JVM "
                + ProcessHandle.current().pid());
        say("3. Sending the graph again and again:");
        List<DemoLibrary> libraries = DemoLibrary.all();
        List<Run> runs = new ArrayList<>();
        for (int number = 0; number < libraries.size(); number++) {
            Run run = new Run(libraries.get(number), number, rounds);
            runs.add(run);
            System.out.print("   " + pad(run.library.name(), 20));
            warmUp(run, everything, in, out);
            say(" warm, " + run.transfer(everything, true, in, out));
        }
        System.out.print("   measuring, in turns ");
        for (int round = 0; round < rounds; round++) {
            for (Run run : runs) {
                System.gc();
                run.transfer(everything, false, in, out);
                run.keep(round);
            }
            if (round % 4 == 0) {
                System.out.print('.');
                System.out.flush();
            }
        }
        say("");
        out.writeInt(DemoReceiver.END);
        out.flush();
        print(runs.stream().map(Run::result).toList());
    }

    private void warmUp(Run run, Object root, DataInputStream in, DataOutputStream out) throws IOException {
        long begin = System.nanoTime();
        int dots = 0;
        while (System.nanoTime() - begin < warmUpNanos && run.verdict.isEmpty()) {
            run.transfer(root, false, in, out);
            for (long due = (System.nanoTime() - begin) * 8 / warmUpNanos; dots < Math.min(due, 8); dots++) {
                System.out.print('.');
                System.out.flush();
            }
        }
        System.out.print(".".repeat(8 - dots));
    }

    /** A library, its last transfer and what is kept of the measured ones. */
    private static final class Run {
        final DemoLibrary library;
        final int number;
        final double[] encode;
        final double[] decode;
        final double[] total;
        int sizeBytes;
        double encodeMillis;
        double decodeMillis;
        double totalMillis;
        String verdict = "";

        Run(DemoLibrary library, int number, int rounds) {
            this.library = library;
            this.number = number;
            encode = new double[rounds];
            decode = new double[rounds];
            total = new double[rounds];
        }

        /** Sends the graph once and waits until it is decoded; the receiver says how it compares, if asked to. */
        String transfer(Object root, boolean compare, DataInputStream in, DataOutputStream out) throws IOException {
            long start = System.nanoTime();
            byte[] bytes = library.encode(root);
            long encoded = System.nanoTime();
            out.writeInt(number);
            out.writeBoolean(compare);
            out.writeInt(bytes.length);
            out.write(bytes);
            out.flush();
            decodeMillis = in.readLong() / 1e6;
            String answer = in.readUTF();
            totalMillis = (System.nanoTime() - start) / 1e6;
            encodeMillis = (encoded - start) / 1e6;
            sizeBytes = bytes.length;
            if (!answer.isEmpty()) {
                verdict = answer;
            }
            return verdict;
        }

        void keep(int round) {
            encode[round] = encodeMillis;
            decode[round] = decodeMillis;
            total[round] = totalMillis;
        }

        Result result() {
            return new Result(library.name(), sizeBytes, median(encode), median(decode), median(total), verdict);
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private void print(List<Result> results) throws IOException {
        double most = results.stream().mapToDouble(Result::totalMillis).max().orElse(1);
        double java = results.get(1).totalMillis();
        say("");
        say("Medians of " + rounds + " transfers, in milliseconds:");
        say("");
        say(pad("", 20) + "  encode  decode   total     size  against Java");
        for (Result result : results) {
            say(pad(result.name(), 20)
                    + String.format(
                            Locale.ROOT,
                            "%8.1f%8.1f%8.1f%6d KB %6.1fx  ",
                            result.encodeMillis(),
                            result.decodeMillis(),
                            result.totalMillis(),
                            result.sizeBytes() / 1024,
                            java / result.totalMillis())
                    + "#".repeat((int) Math.max(1, Math.round(BAR_CHARS * result.totalMillis() / most))));
        }
        say("");
        say("total: from the first byte encoded here to the last object decoded there, shorter is better.");
        say("No library had classes registered; all keep shared objects shared.");
        Path folder = Path.of(System.getProperty("heapspan.root", "."), "build", "demo");
        Files.createDirectories(folder);
        Path plot = folder.resolve("demo.svg");
        String subtitle = "Java " + System.getProperty("java.version") + ", "
                + Runtime.getRuntime().availableProcessors() + " processors, loopback socket, median of " + rounds
                + " transfers";
        Files.writeString(plot, DemoPlot.svg(results, subtitle));
        say("Plot: " + String.join(File.separator, "build", "demo", "demo.svg"));
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
