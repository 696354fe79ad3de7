package org.heapspan.examples;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.heapspan.HeapspanObjectInputStream;
import org.heapspan.HeapspanObjectOutputStream;

/** 02: object streams over a socket. A program that uses Java's object streams changes one constructor on each side. */
public final class Example02ObjectStreams {
    private Example02ObjectStreams() {}

    /** Runs the example. */
    public static void main(String[] arguments) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> send(server));
            try (Socket socket = server.accept();
                    var in = new HeapspanObjectInputStream(socket.getInputStream())) {
                int count = in.readInt();
                Object first = in.readObject();
                System.out.println("announced: " + count);
                System.out.println("object:    " + first);
                System.out.println("the second is the same object: " + (in.readObject() == first));
                System.out.println("text:      " + in.readUTF());
                System.out.println("after reset() it is another:   " + (in.readObject() != first));
            }
            sender.join();
        }
    }

    private static void send(ServerSocket server) {
        try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
                var out = new HeapspanObjectOutputStream(socket.getOutputStream())) {
            List<String> shared = List.of("red", "green", "blue");
            out.writeInt(3);
            out.writeObject(shared);
            out.writeObject(shared);
            out.writeUTF("objects, primitives and texts take turns");
            out.reset();
            out.writeObject(shared);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
