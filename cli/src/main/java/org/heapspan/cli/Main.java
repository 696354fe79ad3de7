package org.heapspan.cli;

import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** The command {@code heapspan}. */
public final class Main {
    private Main() {}

    /**
     * Runs a command and exits with 0 if it succeeded, 1 if it failed, 2 if the command line is wrong.
     *
     * @param arguments the command line
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    static int run(String[] arguments, PrintStream out, PrintStream errors) {
        PrintWriter writer = new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
        try {
            Command.named(arguments, Surroundings.ofProcess(errors)).run(writer);
            writer.flush();
            if (out.checkError()) {
                throw Failure.of("the output could not be written: the disk is full, or its reader has ended");
            }
            return Command.OK;
        } catch (Failure e) {
            writer.flush();
            errors.println("heapspan: " + e.getMessage());
            return e.exitCode;
        } finally {
            writer.flush();
        }
    }
}
