package org.heapspan.exchange;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.stream.IntStream;
import org.heapspan.exchange.transport.Endpoint;

/** Finds out which of several servers this one is. */
final class OwnPlace {
    private OwnPlace() {}

    /**
     * Returns the number of a server in a list.
     *
     * @param own where it listens
     * @throws IllegalArgumentException if it is not in the list, or could be several of them
     */
    static int among(List<Endpoint> all, Endpoint own) throws IOException {
        if (all.contains(own)) {
            return all.indexOf(own);
        }
        List<Integer> found = IntStream.range(0, all.size())
                .filter(i -> isOwn(all.get(i), own))
                .boxed()
                .toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException("this server listens at " + own + ", which is "
                    + (found.isEmpty() ? "none" : "several") + " of " + all
                    + "; let --host and --port be one of them");
        }
        return found.get(0);
    }

    private static boolean isOwn(Endpoint each, Endpoint own) {
        if (each.isInProcess() || own.isInProcess() || each.port() != own.port()) {
            return false;
        }
        try {
            InetAddress address = InetAddress.getByName(each.host());
            InetAddress listening = InetAddress.getByName(own.host());
            return listening.isAnyLocalAddress()
                    ? address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null
                    : address.equals(listening);
        } catch (IOException e) {
            // A name that is not known here is that of another host.
            return false;
        }
    }
}
