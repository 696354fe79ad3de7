package org.heapspan.tests.conformance;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.heapspan.Heapspan;

/**
 * One of the two processes of a pair: builds and encodes, or decodes and verifies, every case it is told to.
 *
 * <p>Arguments: role, codec, folder of the encoded cases, file for the results, file with one case name a line, seed of
 * the identity-hash perturbation. The results are lines of tab-separated fields, written as each case ends, so that
 * whoever started the process knows which case ended it; a last line counts the work of the direct engine.
 */
final class ConformanceProcess {

    /** What happened to a case in one process. */
    enum Status {
        /** Sender: there are bytes. */
        ENCODED,
        /** Receiver or copy: decoded, and the verifier was content. */
        ARRIVED,
        /** The codec threw an exception. */
        REFUSED,
        /** The codec threw an error such as StackOverflowError. */
        ERROR,
        /** Decoded, and the verifier was not content. */
        WRONG,
        /** The case could not be built; a fault of the test. */
        NOT_BUILT,
        /** The process ended or hung in this case; set by the harness. */
        PROCESS_DIED
    }

    /** In place of the name of a case: begins the last line, which says how many chunks the direct engine made objects of. */
    static final String CARVED = "chunks carved";

    private static final int MAX_DETAIL_CHARS = 1200;

    private ConformanceProcess() {}

    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[5]);
        Perturbation.spread(seed);
        String role = arguments[0];
        Path folder = Path.of(arguments[2]);
        List<String> names = Files.readAllLines(Path.of(arguments[4]));
        Thread.currentThread().setContextClassLoader(EvolvingClasses.loader());
        Codec codec = Codec.named(arguments[1]);
        try (PrintStream results = new PrintStream(
                Files.newOutputStream(Path.of(arguments[3]), StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                true,
                StandardCharsets.UTF_8)) {
            for (String name : names) {
                results.print(name + "\tSTARTED\t0\t\t\n");
                results.flush();
                ConformanceCase each = Corpus.named(name);
                long start = System.nanoTime();
                Result result = switch (role) {
                    case "send" -> send(each, codec, folder);
                    case "receive" -> receive(each, codec, folder);
                    case "copy" -> copy(each, codec);
                    default -> throw new IllegalArgumentException(role);
                };
                long millis = (System.nanoTime() - start) / 1_000_000;
                results.print(name + "\t" + result.status + "\t" + millis + "\t" + result.category + "\t"
                        + escaped(result.detail) + "\n");
                results.flush();
            }
            // The peers' processes load nothing of Heapspan.
            if (arguments[1].startsWith("heapspan")) {
                results.print(CARVED + "\t" + Heapspan.statistics().chunksCarved() + "\n");
            }
        }
        // Corpus classes start threads (executors, cleaners); the run must not wait for them.
        Runtime.getRuntime().halt(0);
    }

    private static Result send(ConformanceCase each, Codec codec, Path folder) {
        Object root;
        try {
            root = each.build().build();
        } catch (Throwable e) {
            return new Result(Status.NOT_BUILT, "", described(e));
        }
        try {
            byte[] bytes = codec.encode(root, each.mode());
            Files.write(folder.resolve(each.name()), bytes);
            return new Result(Status.ENCODED, "", bytes.length + " bytes");
        } catch (Throwable e) {
            return thrown(codec, e);
        }
    }

    private static Result receive(ConformanceCase each, Codec codec, Path folder) {
        Object received;
        try {
            byte[] bytes = Files.readAllBytes(folder.resolve(each.name()));
            received = codec.decode(bytes, each.mode(), each.trust(), EvolvingClasses.loader());
        } catch (Throwable e) {
            return thrown(codec, e);
        }
        return verified(each, received);
    }

    private static Result copy(ConformanceCase each, Codec codec) {
        Object root;
        try {
            root = each.build().build();
        } catch (Throwable e) {
            return new Result(Status.NOT_BUILT, "", described(e));
        }
        Object received;
        try {
            received = codec.copy(root, each.mode());
        } catch (Throwable e) {
            return thrown(codec, e);
        }
        return verified(each, received);
    }

    private static Result verified(ConformanceCase each, Object received) {
        try {
            each.verify().verify(received);
            return new Result(Status.ARRIVED, "", "");
        } catch (Throwable e) {
            return new Result(Status.WRONG, "", described(e));
        }
    }

    private static Result thrown(Codec codec, Throwable e) {
        Status status = e instanceof Exception ? Status.REFUSED : Status.ERROR;
        return new Result(status, codec.category(e), described(e));
    }

    private static String described(Throwable e) {
        StringBuilder text = new StringBuilder(shortened(e.toString()));
        int causes = 0;
        for (Throwable cause = e.getCause(); cause != null && causes < 5; cause = cause.getCause()) {
            text.append(" <- ").append(shortened(cause.toString()));
            causes++;
        }
        StackTraceElement[] trace = e.getStackTrace();
        for (int i = 0; i < Math.min(6, trace.length); i++) {
            text.append(" | ").append(trace[i]);
        }
        return text.toString();
    }

    /** Head and tail: the path in a refusal may be as long as the graph is deep. */
    private static String shortened(String text) {
        return text.length() <= MAX_DETAIL_CHARS
                ? text
                : text.substring(0, MAX_DETAIL_CHARS / 2) + " … (" + text.length() + " characters) … "
                        + text.substring(text.length() - MAX_DETAIL_CHARS / 2);
    }

    private static String escaped(String text) {
        return text.replace('\t', ' ').replace('\n', ' ').replace('\r', ' ');
    }

    private record Result(Status status, String category, String detail) {}
}
