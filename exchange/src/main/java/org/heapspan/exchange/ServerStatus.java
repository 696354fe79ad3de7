package org.heapspan.exchange;

import java.time.Duration;
import org.heapspan.exchange.wire.Reply;

/**
 * What a server has at one time.
 *
 * @param capacityBytes that all groups may take
 * @param usedBytes that groups take, in whole pages
 * @param groups committed and reserved
 * @param keys committed keys
 * @param sessions clients
 * @param connections of these clients
 * @param upTime since the start
 * @param directory where its files are
 * @param version of Heapspan there
 */
public record ServerStatus(
        long capacityBytes,
        long usedBytes,
        int groups,
        int keys,
        int sessions,
        int connections,
        Duration upTime,
        String directory,
        String version) {
    static ServerStatus of(Reply.Status status) {
        return new ServerStatus(
                status.capacityBytes(),
                status.usedBytes(),
                status.groups(),
                status.keys(),
                status.sessions(),
                status.connections(),
                Duration.ofMillis(status.upMillis()),
                status.directory(),
                status.version());
    }
}
