package org.heapspan.cli;

import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
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

    /** What an exception says. The message of some is only the name of a file. */
    static String reason(Exception e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied: " + e.getMessage();
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or folder: " + e.getMessage();
        }
        return String.valueOf(e.getMessage());
    }

    /** The command line cannot be understood. */
    static Failure ofUsage(String message) {
        return new Failure(Command.WRONG_USAGE, message + "; heapspan help says more");
    }
}
