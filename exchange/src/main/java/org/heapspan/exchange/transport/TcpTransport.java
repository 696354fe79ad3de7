package org.heapspan.exchange.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** TCP sockets of the JDK. */
public final class TcpTransport implements Transport {
    private static final int WAITING_CONNECTIONS = 128;

    @Override
    public Link connect(Endpoint server, Deadline deadline) throws IOException {
        InetSocketAddress address = resolved(server);
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            TcpLink link = new TcpLink(channel, server.toString());
            link.connect(address, deadline);
            return link;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public LinkListener listen(Endpoint place) throws IOException {
        InetSocketAddress address = resolved(place);
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            // A server that was just stopped leaves its port in a state that would refuse the next one.
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(address, WAITING_CONNECTIONS);
            return new TcpListener(channel, place.host());
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private static InetSocketAddress resolved(Endpoint endpoint) throws UnknownHostException {
        InetSocketAddress address = new InetSocketAddress(endpoint.host(), endpoint.port());
        if (address.isUnresolved()) {
            throw new UnknownHostException("no address is known for host '" + endpoint.host() + "'");
        }
        return address;
    }

    private static final class TcpListener implements LinkListener {
        private final ServerSocketChannel channel;
        private final Endpoint endpoint;

        TcpListener(ServerSocketChannel channel, String host) throws IOException {
            this.channel = channel;
            endpoint = Endpoint.tcp(host, ((InetSocketAddress) channel.getLocalAddress()).getPort());
        }

        @Override
        public Link accept() throws IOException {
            SocketChannel accepted = channel.accept();
            try {
                accepted.setOption(StandardSocketOptions.TCP_NODELAY, true);
                return new TcpLink(
                        accepted, String.valueOf(accepted.getRemoteAddress()).replaceFirst("^/", ""));
            } catch (IOException | RuntimeException | Error e) {
                accepted.close();
                throw e;
            }
        }

        @Override
        public Endpoint endpoint() {
            return endpoint;
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                // Nothing is promised of a listener that is closed.
                return;
            }
        }
    }
}
