package org.heapspan.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.heapspan.exchange.ExchangeServer;
import org.heapspan.exchange.ExchangeServerOptions;
import org.jspecify.annotations.Nullable;

/** Deletes what servers have left that were killed. */
final class HeapClean implements Command {
    private final @Nullable String directory;

    HeapClean(Options options) throws Failure {
        directory = options.value("--dir");
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        ExchangeServerOptions options = ExchangeServerOptions.port(0);
        try {
            Path folder = directory == null ? options.directory() : HeapServer.path(directory);
            int servers = ExchangeServer.clean(options.withDirectory(folder));
            out.println(
                    servers == 0
                            ? "no killed server has left files in " + folder
                            : "deleted the files of " + servers + (servers == 1 ? " killed server" : " killed servers")
                                    + " in " + folder);
        } catch (IOException e) {
            throw Failure.of(Failure.reason(e));
        }
    }
}
