package org.heapspan.exchange.transport;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Where a server is: {@code heapspan://host:port}, or {@code heapspan-local://name} for one in this JVM.
 *
 * @param scheme one of the two
 * @param host host name, address (IPv6 without brackets), or the name
 * @param port 0 to 65535; 0 to listen at a free port, and in this JVM
 */
public record Endpoint(String scheme, String host, int port) {
    private static final String TCP = "heapspan";
    private static final String IN_PROCESS = "heapspan-local";
    private static final String SCHEME_END = "://";
    private static final int MOST_PORT = 65_535;

    /** A place in the network. */
    public static Endpoint tcp(String host, int port) {
        if (port < 0 || port > MOST_PORT) {
            throw new IllegalArgumentException("port is " + port + ", expected 0 to " + MOST_PORT);
        }
        return new Endpoint(TCP, host, port);
    }

    /** A place in this JVM. */
    public static Endpoint inProcess(String name) {
        return new Endpoint(IN_PROCESS, name, 0);
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Endpoint parse(String text) {
        try {
            URI uri = new URI(text);
            String host = uri.getHost();
            boolean plain = isEmpty(uri.getPath()) && uri.getQuery() == null && uri.getFragment() == null;
            if (plain && uri.getUserInfo() == null && host != null) {
                if (TCP.equals(uri.getScheme()) && uri.getPort() > 0 && uri.getPort() <= MOST_PORT) {
                    return tcp(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, uri.getPort());
                }
                if (IN_PROCESS.equals(uri.getScheme()) && uri.getPort() < 0) {
                    return inProcess(host);
                }
            }
        } catch (URISyntaxException e) {
            // The message below says what is expected.
        }
        throw new IllegalArgumentException("'" + text + "' is no address of a server, expected heapspan://HOST:PORT or "
                + "heapspan-local://NAME");
    }

    /**
     * Reads the text form of several servers that replicate their keys: {@code heapspan://a:7077,b:7077,c:7077}. The scheme may be missing.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static List<Endpoint> parseAll(String text) {
        int schemeEnd = text.indexOf(SCHEME_END);
        String scheme = schemeEnd < 0 ? TCP : text.substring(0, schemeEnd);
        String places = schemeEnd < 0 ? text : text.substring(schemeEnd + SCHEME_END.length());
        List<Endpoint> all = Arrays.stream(places.split(",", -1))
                .map(place -> parse(scheme + SCHEME_END + place))
                .toList();
        if (Set.copyOf(all).size() != all.size()) {
            throw new IllegalArgumentException("'" + text + "' names a server twice");
        }
        return all;
    }

    private static boolean isEmpty(String path) {
        return path == null || path.isEmpty();
    }

    /** Whether it is in this JVM. */
    public boolean isInProcess() {
        return scheme.equals(IN_PROCESS);
    }

    @Override
    public String toString() {
        if (isInProcess()) {
            return scheme + "://" + host;
        }
        return scheme + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
