package org.heapspan.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.heapspan.exchange.ServerStatus;
import org.heapspan.image.format.PrintableText;

/** Shows what a server knows of a key, or of itself. */
final class HeapStat implements Command {
    private static final int NAME_WIDTH = 14;

    private final HeapServer server;
    private final boolean json;
    private final String key;

    HeapStat(Options options) throws Failure {
        server = new HeapServer(options);
        json = options.flag("--json");
        key = options.optionalArgument();
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        server.use(heap -> {
            Map<String, Object> facts = key.isEmpty()
                    ? asMap(heap.status())
                    : HeapList.asMap(
                            heap.find(key).orElseThrow(() -> Failure.of("key '" + key + "' has not been committed")));
            if (json) {
                Json.write(out, facts, 0);
                out.println();
            } else {
                facts.forEach((name, value) ->
                        out.println(Text.left(name, NAME_WIDTH) + "  " + PrintableText.of(String.valueOf(value))));
            }
        });
    }

    private static Map<String, Object> asMap(ServerStatus status) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("version", status.version());
        map.put("upSeconds", status.upTime().toSeconds());
        map.put("directory", status.directory());
        map.put("capacityBytes", status.capacityBytes());
        map.put("usedBytes", status.usedBytes());
        map.put("keys", status.keys());
        map.put("groups", status.groups());
        map.put("sessions", status.sessions());
        map.put("connections", status.connections());
        return map;
    }
}
