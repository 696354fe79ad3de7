package org.heapspan.exchange.peers;

import java.time.Duration;
import java.util.List;
import org.heapspan.exchange.client.ClientSettings;
import org.heapspan.exchange.transport.Endpoint;

/**
 * The servers that replicate their keys with this one.
 *
 * @param places of all, the same everywhere
 * @param self the place of this one among them
 * @param client how others are reached; its server is of no meaning
 * @param forced whether bytes are forced to the device before they are confirmed
 * @param election how long a leader may be silent until others elect another one
 * @param changesOfSnapshot after as many changes a snapshot of all keys is written
 */
public record PeerSettings(
        List<Endpoint> places,
        int self,
        ClientSettings client,
        boolean forced,
        Duration election,
        int changesOfSnapshot) {
    /** Takes a copy. */
    public PeerSettings {
        places = List.copyOf(places);
    }
}
