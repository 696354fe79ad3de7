package org.heapspan.benchmarks.curve;

import java.util.Arrays;
import java.util.List;
import org.heapspan.benchmarks.PublishOptions;
import org.heapspan.benchmarks.data.SizedSet;
import org.heapspan.benchmarks.peer.Peers;

/** The options that {@link CurveReport} and {@link JvmReport} both have, with the defaults that each gives them. */
final class CurveOptions {
    private final PublishOptions output = new PublishOptions();
    private List<String> sets;
    private List<String> peers;
    private int most;
    private int forks;
    private long windowMillis = 100;

    CurveOptions(List<String> sets, List<String> peers, int most, int forks) {
        this.sets = sets;
        this.peers = peers;
        this.most = most;
        this.forks = forks;
    }

    /** Uses an option; false if it is none of these. */
    boolean takes(String name, String value) {
        switch (name) {
            case "--sets" -> {
                sets = Arrays.asList(value.split(",", -1));
                sets.forEach(set -> new SizedSet(set, 1));
            }
            case "--peers" -> {
                peers = Arrays.asList(value.split(",", -1));
                peers.forEach(Peers::family);
            }
            case "--most" -> most = Integer.parseInt(value);
            case "--forks" -> forks = Integer.parseInt(value);
            case "--window" -> windowMillis = Long.parseLong(value);
            default -> {
                return output.takes(name);
            }
        }
        return true;
    }

    List<String> sets() {
        return sets;
    }

    List<String> peers() {
        return peers;
    }

    /** Elements of an object; fewer where elements are large. */
    int most() {
        return most;
    }

    /** JVMs for each figure. */
    int forks() {
        return forks;
    }

    long windowMillis() {
        return windowMillis;
    }

    PublishOptions output() {
        return output;
    }
}
