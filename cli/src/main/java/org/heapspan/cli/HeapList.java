package org.heapspan.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.exchange.KeyInfo;
import org.heapspan.image.format.PrintableText;

/** Lists the keys of a server. */
final class HeapList implements Command {
    private static final int SIZE_WIDTH = 12;
    private static final int VERSION_WIDTH = 8;

    private final HeapServer server;
    private final boolean json;
    private final String prefix;

    HeapList(Options options) throws Failure {
        server = new HeapServer(options);
        json = options.flag("--json");
        prefix = options.optionalArgument();
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        server.use(heap -> {
            List<KeyInfo> keys = heap.list(prefix);
            if (json) {
                List<Map<String, Object>> maps = new ArrayList<>();
                keys.forEach(key -> maps.add(asMap(key)));
                Json.write(out, maps, 0);
                out.println();
                return;
            }
            out.println(Text.right("size", SIZE_WIDTH) + Text.right("version", VERSION_WIDTH + 1) + "  key");
            for (KeyInfo key : keys) {
                out.println(Text.right(Text.bytes(key.sizeBytes()), SIZE_WIDTH)
                        + Text.right(Long.toString(key.version()), VERSION_WIDTH + 1) + "  "
                        + PrintableText.of(key.key()));
            }
        });
    }

    static Map<String, Object> asMap(KeyInfo key) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("key", key.key());
        map.put("version", key.version());
        map.put("address", "0x" + Long.toHexString(key.address()));
        map.put("sizeBytes", key.sizeBytes());
        map.put("encoding", key.encoding().name());
        map.put("type", key.typeName());
        map.put("committed", key.committed().toString());
        map.put("leases", key.leases());
        return map;
    }
}
