package org.heapspan.cli;

import java.io.PrintWriter;

/** Prints the version. */
final class Version implements Command {
    @Override
    public void run(PrintWriter out) {
        out.println("heapspan " + text() + " (Java " + System.getProperty("java.version") + ")");
    }

    static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "of an unpacked build" : version;
    }
}
