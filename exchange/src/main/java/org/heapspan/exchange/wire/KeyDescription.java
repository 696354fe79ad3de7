package org.heapspan.exchange.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * What a server knows of a key.
 *
 * @param key the key
 * @param group its group; the version is that of the key
 * @param committedMillis when it was committed, in milliseconds since 1970
 * @param leases how often clients use the group now
 */
public record KeyDescription(String key, GroupDescription group, long committedMillis, int leases) {
    private static final int LEAST_BYTES = 45;

    static void writeAll(BodyWriter body, List<KeyDescription> keys) {
        body.number(keys.size());
        for (KeyDescription each : keys) {
            body.text(each.key);
            each.group.write(body);
            body.number(each.committedMillis);
            body.number(each.leases);
        }
    }

    static List<KeyDescription> readAll(BodyReader body) throws MalformedFrameException {
        int count = body.count(LEAST_BYTES);
        List<KeyDescription> keys = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            keys.add(new KeyDescription(body.text(), GroupDescription.read(body), body.longNumber(), body.number()));
        }
        return keys;
    }
}
