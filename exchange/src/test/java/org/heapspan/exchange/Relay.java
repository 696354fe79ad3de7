package org.heapspan.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A relay that keeps what it hears, and changes what it is told to. */
final class Relay implements AutoCloseable {
    private static final byte[] POLYNOMIAL = ByteBuffer.allocate(Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(1 | 0x82F63B78L << 1)
            .array();

    final ByteArrayOutputStream heard = new ByteArrayOutputStream();
    volatile String changed = "";
    volatile long pauseMillis;

    /** Whether what the server says is lost. */
    volatile boolean losesReplies;

    /** Whether what clients say is lost. */
    volatile boolean losesRequests;

    /** How many bytes the server may say. The rest waits. */
    volatile long mostReplyBytes = Long.MAX_VALUE;

    /** Whether connections end as soon as their server says something. */
    volatile boolean cuts;

    /** Whether clients do not hear that the server has closed a connection. */
    volatile boolean hidesEnds;

    /** What befalls a connection whose server says {@link #faultAt}. */
    enum Fault {
        CUT,
        DAMAGE
    }

    /** Where a fault is; nowhere if it is empty. */
    volatile String faultAt = "";

    volatile Fault fault = Fault.CUT;

    /** How many faults there were. */
    final AtomicInteger faults = new AtomicInteger();

    private final AtomicLong replyBytes = new AtomicLong();
    private final ServerSocket listener;
    private final int port;

    Relay(String url) throws IOException {
        port = Integer.parseInt(url.substring(url.lastIndexOf(':') + 1));
        listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    String url() {
        return "heapspan://127.0.0.1:" + listener.getLocalPort();
    }

    /** A client that reaches the server through this. On a busy machine the first greeting may take longer than it waits. */
    GlobalHeap connect(GlobalHeapOptions options) throws Exception {
        return Place.connectAtLast(url(), options);
    }

    /** How many bytes the server has said. */
    long replyBytes() {
        return replyBytes.get();
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                daemon(() -> copy(client, server, false));
                daemon(() -> copy(server, client, true));
            }
        } catch (IOException e) {
            return;
        }
    }

    private void copy(Socket from, Socket to, boolean replies) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[8192];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                change(buffer, count);
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
                synchronized (heard) {
                    heard.write(buffer, 0, count);
                }
                while (replies && replyBytes.get() > mostReplyBytes && !cuts) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                if (replies && (cuts || isCut(buffer, count))) {
                    return;
                }
                replyBytes.addAndGet(replies ? count : 0);
                if (!(replies ? losesReplies : losesRequests)) {
                    out.write(buffer, 0, count);
                }
            }
            while (replies && hidesEnds) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        } catch (IOException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Damages bytes if they are to be damaged. */
    private boolean isCut(byte[] buffer, int count) {
        int at = faultAt.isEmpty() ? -1 : new String(buffer, 0, count, ISO_8859_1).indexOf(faultAt);
        if (at < 0) {
            return false;
        }
        faults.incrementAndGet();
        buffer[at]++;
        return fault == Fault.CUT;
    }

    private void change(byte[] buffer, int count) {
        if (!changed.isEmpty()) {
            int at = new String(buffer, 0, count, ISO_8859_1).indexOf(changed);
            for (int i = 0; at >= 0 && i < POLYNOMIAL.length; i++) {
                buffer[at + 8 + i] ^= POLYNOMIAL[i];
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
