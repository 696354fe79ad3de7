package org.heapspan.exchange.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.exchange.metadata.Chunks;
import org.heapspan.exchange.metadata.Overview;
import org.heapspan.exchange.peers.Consensus;
import org.heapspan.exchange.peers.PeerView;
import org.heapspan.exchange.server.Server;
import org.heapspan.exchange.wire.Reply;

/** What the page shows, as JSON. Addresses and numbers of chunks are texts, because JavaScript rounds such long numbers. */
final class PageData {
    /** A page is for people. The command line lists all keys. */
    static final int MOST_ROWS = 500;

    private PageData() {}

    static String of(Server server, TrafficHistory history) {
        Reply.Status status = server.status();
        Overview overview = server.overview(MOST_ROWS);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("url", server.endpoint().toString());
        data.put("version", status.version());
        data.put("folder", status.directory());
        data.put("upMillis", status.upMillis());
        data.put("capacityBytes", status.capacityBytes());
        data.put("usedBytes", status.usedBytes());
        data.put("keys", status.keys());
        data.put("groups", status.groups());
        data.put("clients", status.sessions());
        data.put("connections", status.connections());
        data.put("reserved", overview.reserved());
        data.put("handedOver", overview.handedOver());
        data.put("chunks", overview.chunkCount());
        data.put("joined", String.valueOf(server.origin() == null ? "" : server.origin()));
        data.put("peerRows", peers(server));
        data.put("keeperRows", keepers(overview));
        data.put("clientRows", clients(overview));
        data.put("chunkRows", chunks(overview));
        data.put("keyRows", keys(overview));
        data.put("history", lines(history));
        return JsonText.of(data);
    }

    private static List<Map<String, Object>> peers(Server server) {
        return server.peers().stream()
                .map(peer -> Map.<String, Object>of(
                        "place", peer.place(),
                        "role", peer.leads() ? "leads" : "",
                        "state", state(peer),
                        "silentMillis", peer.silentMillis()))
                .toList();
    }

    private static String state(PeerView peer) {
        if (peer.isSelf()) {
            return "self";
        }
        return peer.silentMillis() == Consensus.UNKNOWN ? "unknown" : peer.isReachable() ? "reachable" : "silent";
    }

    private static List<Map<String, Object>> keepers(Overview overview) {
        return overview.keepers().stream()
                .map(keeper -> Map.<String, Object>of(
                        "place", keeper.place(),
                        "connections", keeper.connections(),
                        "copies", keeper.copies(),
                        "bytes", keeper.bytes()))
                .toList();
    }

    private static List<Map<String, Object>> clients(Overview overview) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Overview.Client client : overview.clients()) {
            rows.add(Map.of(
                    "address", client.address(),
                    "way", client.writesInPlace() ? "shared memory" : "connection",
                    "connections", client.connections(),
                    "leases", client.leases(),
                    "heldBytes", client.heldBytes(),
                    "ageMillis", client.ageMillis()));
        }
        return rows;
    }

    private static List<Map<String, Object>> chunks(Overview overview) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Overview.Chunk chunk : overview.chunks()) {
            rows.add(Map.of(
                    "number", Long.toHexString(chunk.number()),
                    "place", new Chunks(overview.chunkBytes()).isOverflow(chunk.number()) ? "overflow" : "memory",
                    "groups", chunk.groups(),
                    "bytes", chunk.bytes(),
                    "length", overview.chunkBytes()));
        }
        return rows;
    }

    private static List<Map<String, Object>> keys(Overview overview) {
        return overview.keys().stream()
                .map(key -> Map.<String, Object>of(
                        "key", key.key(),
                        "type", key.group().typeName(),
                        "bytes", key.group().sizeBytes(),
                        "version", key.group().version(),
                        "encoding", key.group().raw() ? "raw" : "compact",
                        "address", "0x" + Long.toHexString(key.group().address()),
                        "leases", key.leases(),
                        "committedMillis", key.committedMillis()))
                .toList();
    }

    private static Map<String, List<Long>> lines(TrafficHistory history) {
        Map<String, List<Long>> lines = new LinkedHashMap<>();
        lines.put("readBytes", history.line(second -> second.added().readBytes()));
        lines.put("writtenBytes", history.line(second -> second.added().writtenBytes()));
        lines.put("connectionBytes", history.line(second -> second.added().connectionBytes()));
        lines.put("requests", history.line(second -> second.added().requests()));
        lines.put("refusals", history.line(second -> second.added().refusals()));
        lines.put("usedBytes", history.line(TrafficHistory.Second::usedBytes));
        return lines;
    }
}
