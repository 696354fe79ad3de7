package org.heapspan.exchange.transport;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Connections within this JVM. Listeners have names. */
public final class InProcessTransport implements Transport {
    private static final ConcurrentHashMap<String, InProcessListener> LISTENERS = new ConcurrentHashMap<>();

    @Override
    public Link connect(Endpoint server, Deadline deadline) throws IOException {
        InProcessListener listener = LISTENERS.get(server.host());
        if (listener == null) {
            throw new ConnectException("no server of this JVM has the name '" + server.host() + "'");
        }
        return listener.connect();
    }

    @Override
    public LinkListener listen(Endpoint place) throws IOException {
        InProcessListener listener = new InProcessListener(place);
        if (LISTENERS.putIfAbsent(place.host(), listener) != null) {
            throw new BindException("another server of this JVM has the name '" + place.host() + "'");
        }
        return listener;
    }

    private static final class InProcessListener implements LinkListener {
        private final Endpoint endpoint;
        private final BlockingQueue<InProcessLink> waiting = new LinkedBlockingQueue<>();
        private final InProcessLink end;

        InProcessListener(Endpoint endpoint) {
            this.endpoint = endpoint;
            end = new InProcessLink(endpoint.toString(), new BytePipe(), new BytePipe());
        }

        Link connect() {
            BytePipe requests = new BytePipe();
            BytePipe replies = new BytePipe();
            waiting.add(new InProcessLink("a client in this JVM", requests, replies));
            return new InProcessLink(endpoint.toString(), replies, requests);
        }

        @Override
        public Link accept() throws IOException {
            try {
                InProcessLink next = waiting.take();
                if (next == end) {
                    throw new AsynchronousCloseException();
                }
                return next;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AsynchronousCloseException();
            }
        }

        @Override
        public Endpoint endpoint() {
            return endpoint;
        }

        @Override
        public void close() {
            LISTENERS.remove(endpoint.host(), this);
            waiting.forEach(InProcessLink::close);
            waiting.add(end);
        }
    }

    private static final class InProcessLink implements Link {
        private final String peer;
        private final BytePipe incoming;
        private final BytePipe outgoing;

        InProcessLink(String peer, BytePipe incoming, BytePipe outgoing) {
            this.peer = peer;
            this.incoming = incoming;
            this.outgoing = outgoing;
        }

        @Override
        public String peer() {
            return peer;
        }

        @Override
        public boolean isOfThisUser() {
            return true;
        }

        @Override
        public int readSome(ByteBuffer target, Deadline deadline) throws IOException {
            return incoming.read(target, deadline, "reading from " + peer);
        }

        @Override
        public void write(ByteBuffer source, Deadline deadline) throws IOException {
            outgoing.write(source, deadline, "writing to " + peer);
        }

        @Override
        public boolean isSilent() {
            return incoming.isEmptyAndOpen();
        }

        @Override
        public void close() {
            incoming.close();
            outgoing.close();
        }
    }
}
