package org.heapspan.examples;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Sends a real object graph to another JVM with Heapspan and with other libraries, and compares. Run it by ./dev demo. */
public final class Demo {
    private static final int ROUNDS = 41;
    private static final long WARM_UP_NANOS = 4_000_000_000L;
    private static final int CONNECT_TIMEOUT_MILLIS = 30_000;
    private static final int BAR_CHARS = 36;

    private Demo() {}

    /** Medians over the rounds. */
    record Result(
            String name, int sizeBytes, double encodeMillis, double decodeMillis, double totalMillis, String verdict) {
        double moveMillis() {
            return Math.max(0, totalMillis - encodeMillis - decodeMillis);
        }
    }

    /** Runs the demo. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        say("Heapspan demo: one object graph, two JVMs, four libraries");
        say("");
        say("1. Reading GitHub webhook events and tweets into objects ...");
        DemoData.Everything everything = DemoData.read();
        say(String.format(
                Locale.ROOT,
                "   %d events, %d tweets; %d accounts, each shared by many events",
                everything.events().size(),
                everything.tweets().size(),
                DemoReceiver.distinctAccounts(everything)));
        say("2. Starting a second JVM, which reads the same files, to compare what arrives ...");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(CONNECT_TIMEOUT_MILLIS);
            Process receiver = startReceiver(server.getLocalPort());
            try (Socket socket = server.accept()) {
                socket.setTcpNoDelay(true);
                run(everything, socket);
            } finally {
                receiver.waitFor(5, java.util.concurrent.TimeUnit.SECONDS);
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

    private static void run(DemoData.Everything everything, Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
        say("   " + in.readUTF() + " is listening; this is JVM "
                + ProcessHandle.current().pid());
        say("3. Sending the graph again and again:");
        List<DemoLibrary> libraries = DemoLibrary.all();
        List<Run> runs = new ArrayList<>();
        for (int number = 0; number < libraries.size(); number++) {
            Run run = new Run(libraries.get(number), number);
            runs.add(run);
            System.out.print("   " + pad(run.library.name(), 20));
            warmUp(run, everything, in, out);
            say(" warm, " + run.transfer(everything, true, in, out));
        }
        System.out.print("   measuring, in turns ");
        for (int round = 0; round < ROUNDS; round++) {
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

    private static void warmUp(Run run, Object root, DataInputStream in, DataOutputStream out) throws IOException {
        long begin = System.nanoTime();
        int dots = 0;
        while (System.nanoTime() - begin < WARM_UP_NANOS && run.verdict.isEmpty()) {
            run.transfer(root, false, in, out);
            for (long due = (System.nanoTime() - begin) * 8 / WARM_UP_NANOS; dots < Math.min(due, 8); dots++) {
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
        final double[] encode = new double[ROUNDS];
        final double[] decode = new double[ROUNDS];
        final double[] total = new double[ROUNDS];
        int sizeBytes;
        double encodeMillis;
        double decodeMillis;
        double totalMillis;
        String verdict = "";

        Run(DemoLibrary library, int number) {
            this.library = library;
            this.number = number;
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

    private static void print(List<Result> results) throws IOException {
        double most = results.stream().mapToDouble(Result::totalMillis).max().orElse(1);
        double java = results.get(1).totalMillis();
        say("");
        say("Medians of " + ROUNDS + " transfers, in milliseconds:");
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
                + Runtime.getRuntime().availableProcessors() + " processors, loopback socket, median of " + ROUNDS
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
