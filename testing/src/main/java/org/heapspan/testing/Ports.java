package org.heapspan.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports for servers that are started later, or are away for a while. The system gives none of them to a connection or to a server that takes any
 * port, because they are not among those that it chooses from. No other process of tests gets them either: as long as this one runs, it holds the UDP
 * port of the same number as a sign. Thread-safe.
 */
public final class Ports {
    private static final Path CHOSEN_BY_SYSTEM = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int DEFAULT_FIRST_CHOSEN = 32_768;
    private static final int FIRST = 16_384;
    private static final int LEAST_PORTS = 1_000;
    private static final int MOST_ATTEMPTS = 1_000;
    private static final List<DatagramSocket> SIGNS = new ArrayList<>();

    private Ports() {}

    /** A port that nobody uses, and that this process gets once. */
    public static int take() throws IOException {
        int limit = limit();
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, limit);
            if (claim(port)) {
                return port;
            }
        }
        throw new IOException("no port between " + FIRST + " and " + limit + " is free after " + MOST_ATTEMPTS
                + " attempts; the last processes of tests may not have ended");
    }

    /** Several of them. */
    public static List<Integer> take(int count) throws IOException {
        List<Integer> ports = new ArrayList<>();
        while (ports.size() < count) {
            ports.add(take());
        }
        return ports;
    }

    /** The first port that the system chooses. One that chooses from nearly all ports rarely takes one of these. */
    private static int limit() throws IOException {
        if (!Files.exists(CHOSEN_BY_SYSTEM)) {
            return DEFAULT_FIRST_CHOSEN;
        }
        // Such a file must be read at once. Files.readString gets one character.
        try (BufferedReader range = Files.newBufferedReader(CHOSEN_BY_SYSTEM)) {
            int chosen = Integer.parseInt(range.readLine().split("\\s+", -1)[0]);
            return chosen - FIRST < LEAST_PORTS ? DEFAULT_FIRST_CHOSEN : chosen;
        }
    }

    private static boolean claim(int port) throws IOException {
        DatagramSocket sign = new DatagramSocket(null);
        boolean claimed = false;
        try {
            sign.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            claimed = isFree(port);
        } catch (SocketException e) {
            // Another process holds it.
            return false;
        } finally {
            if (!claimed) {
                sign.close();
            }
        }
        if (claimed) {
            synchronized (SIGNS) {
                SIGNS.add(sign);
            }
        }
        return claimed;
    }

    /** Whether a server can listen there, at all addresses. */
    private static boolean isFree(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(port)) {
            return server.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}
