package org.heapspan.cli;

import org.heapspan.image.format.PrintableText;

/** Ends a command with one line on the error stream. */
final class Failure extends Exception {
    private static final long serialVersionUID = 1L;

    final int exitCode;

    private Failure(int exitCode, String message) {
        super(PrintableText.of(message));
        this.exitCode = exitCode;
    }

    /** The command could not do its work. */
    static Failure of(String message) {
        return new Failure(Command.FAILED, message);
    }

    /** The command line cannot be understood. */
    static Failure ofUsage(String message) {
        return new Failure(Command.WRONG_USAGE, message + "; heapspan help says more");
    }
}
