package org.heapspan.cli;

import java.io.PrintWriter;

/** Removes a key from a server. */
final class HeapRemove implements Command {
    private final HeapServer server;
    private final String key;

    HeapRemove(Options options) throws Failure {
        server = new HeapServer(options);
        key = options.argument("the KEY to remove");
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        server.use(heap -> {
            if (!heap.remove(key)) {
                throw Failure.of("key '" + key + "' has not been committed");
            }
        });
    }
}
