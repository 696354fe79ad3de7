package org.heapspan.tests.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Scanner;
import org.heapspan.testing.Ports;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class PortsTest {
    private static final int COUNT = 200;

    /** As long as a server is away, a connection of another process must not get its port. */
    @Test
    void theSystemGivesThemToNobody() throws Exception {
        int first;
        try (Scanner range = new Scanner(Path.of("/proc/sys/net/ipv4/ip_local_port_range"), US_ASCII)) {
            first = range.nextInt();
        }
        assumeTrue(first >= 20_000, "does not apply: the system chooses from nearly all ports");
        assertThat(Ports.take(COUNT)).allMatch(port -> port < first);
    }

    /** Tests of several processes run at the same time. */
    @Test
    void eachIsTakenOnce() throws Exception {
        List<Integer> ports = Ports.take(COUNT);
        assertThat(ports).doesNotHaveDuplicates();
        for (int port : ports) {
            try (DatagramSocket sign = new DatagramSocket(null)) {
                assertThatThrownBy(() -> sign.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
                        .isInstanceOf(BindException.class);
            }
        }
    }

    @Test
    void aServerCanListenAtThem() throws Exception {
        for (int port : Ports.take(COUNT)) {
            try (ServerSocket server = new ServerSocket(port)) {
                assertThat(server.getLocalPort()).isEqualTo(port);
            }
        }
    }
}
