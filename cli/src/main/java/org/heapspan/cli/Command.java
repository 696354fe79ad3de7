package org.heapspan.cli;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;

/** One command with its options. */
interface Command {
    int OK = 0;
    int FAILED = 1;
    int WRONG_USAGE = 2;

    void run(PrintWriter out) throws Failure;

    /** The command that a command line asks for; its options are checked before anything is done. */
    static Command named(String[] arguments, Surroundings around) throws Failure {
        if (arguments.length == 0) {
            return new Help();
        }
        if (SparkCommand.PROGRAMS.contains(arguments[0])) {
            return new SparkCommand(List.of(arguments), around);
        }
        if (arguments[0].equals("native")) {
            List<String> words = List.of(arguments).subList(Math.min(2, arguments.length), arguments.length);
            return switch (arguments.length < 2 ? "" : arguments[1]) {
                case "--help", "-h" -> new Help();
                case "build" -> asksForHelp(words) ? new Help() : new NativeBuild(words, around);
                case "run" -> new NativeRun(words, around);
                default -> throw Failure.ofUsage("native needs build or run");
            };
        }
        Options options = new Options(arguments[0], Arrays.copyOfRange(arguments, 1, arguments.length));
        if (asksForHelp(List.of(arguments).subList(1, arguments.length))) {
            return new Help();
        }
        return switch (arguments[0]) {
            case "doctor" -> new Doctor(options);
            case "inspect" -> new Inspect(options);
            case "bench" -> new Bench(options);
            case "serve" -> new HeapServe(options);
            case "clean" -> new HeapClean(options);
            case "ls" -> new HeapList(options);
            case "get" -> new HeapGet(options, around);
            case "put" -> new HeapPut(options, around);
            case "stat" -> new HeapStat(options);
            case "rm" -> new HeapRemove(options);
            case "help", "--help", "-h" -> new Help();
            case "version", "--version", "-V" -> new Version();
            default -> throw Failure.ofUsage("there is no command '" + arguments[0] + "'");
        };
    }

    /** Whether the words behind a command of ours do. Spark's commands have a help of their own. */
    private static boolean asksForHelp(List<String> words) {
        return words.size() == 1 && List.of("--help", "-h").contains(words.get(0));
    }
}
