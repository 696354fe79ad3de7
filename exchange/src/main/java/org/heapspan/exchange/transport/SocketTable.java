package org.heapspan.exchange.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The sockets of this host and their users, as {@code /proc/net/tcp} and {@code /proc/net/tcp6} of Linux list them (proc_pid_net(5)): addresses are
 * words of 32 bits in the byte order of the machine, ports are hexadecimal.
 */
final class SocketTable {
    private static final List<Path> FILES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    /** What a socket has that no process has open any more; its user is not known either. */
    private static final String NO_INODE = "0";

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int USER = 7;
    private static final int INODE = 9;

    /** The list is read in pieces, and sockets come and go meanwhile, so one may be passed over. */
    private static final int ATTEMPTS = 5;

    private static final long PAUSE_MILLIS = 10;

    private SocketTable() {}

    /** Whether this system has such lists. */
    static boolean isAvailable() {
        return Files.isReadable(FILES.get(0));
    }

    /** Whether a socket of the user of this process has this address, and is connected to the other one. */
    static boolean isOfThisUser(InetSocketAddress address, InetSocketAddress connectedTo) throws IOException {
        String user = String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            for (Path file : FILES) {
                if (!Files.isReadable(file)) {
                    continue;
                }
                try (Stream<String> lines = Files.lines(file)) {
                    List<String> users = lines.map(line -> line.strip().split("\\s+"))
                            .filter(columns -> columns.length > INODE
                                    && !columns[INODE].equals(NO_INODE)
                                    && isAddress(columns[LOCAL], address)
                                    && isAddress(columns[REMOTE], connectedTo))
                            .map(columns -> columns[USER])
                            .toList();
                    if (!users.isEmpty()) {
                        return users.stream().allMatch(user::equals);
                    }
                }
            }
            pause();
        }
        return false;
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isAddress(String text, InetSocketAddress address) {
        int colon = text.indexOf(':');
        if (colon <= 0 || HexFormat.fromHexDigits(text, colon + 1, text.length()) != address.getPort()) {
            return false;
        }
        byte[] words = HexFormat.of().parseHex(text, 0, colon);
        byte[] bytes = new byte[words.length];
        for (int i = 0; i < bytes.length; i++) {
            // Linux on x86-64 and AArch64 is little endian.
            bytes[i] = words[i - i % Integer.BYTES + Integer.BYTES - 1 - i % Integer.BYTES];
        }
        try {
            // IPv4 within IPv6 becomes IPv4.
            return InetAddress.getByAddress(bytes).equals(address.getAddress());
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
