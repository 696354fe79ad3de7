package org.heapspan.testing;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Two network namespaces with addresses of their own and a cable between them: hosts, as far as the network is concerned. Needs root on Linux. */
public final class Hosts implements Closeable {
    private static final String ID = Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);

    /** The address of each host. */
    public static final List<String> ADDRESSES = List.of("10.213.77.1", "10.213.77.2");

    private final List<String> made = new ArrayList<>();

    /** This system does not allow it. The message says why. */
    public static final class UnavailableException extends IOException {
        private static final long serialVersionUID = 1L;

        UnavailableException(String message) {
            super(message);
        }
    }

    /**
     * Makes them.
     *
     * @throws UnavailableException if that is not possible here
     */
    public Hosts() throws IOException, InterruptedException {
        try {
            for (int host = 0; host < ADDRESSES.size(); host++) {
                need("ip", "netns", "add", name(host));
                made.add(name(host));
            }
            need(
                    "ip", "link", "add", cable(0), "netns", name(0), "type", "veth", "peer", "name", cable(1), "netns",
                    name(1));
            for (int host = 0; host < ADDRESSES.size(); host++) {
                need("ip", "-n", name(host), "addr", "add", ADDRESSES.get(host) + "/24", "dev", cable(host));
                need("ip", "-n", name(host), "link", "set", "lo", "up");
                need("ip", "-n", name(host), "link", "set", cable(host), "up");
            }
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private static String name(int host) {
        return "heapspan-" + ID + "-" + host;
    }

    private static String cable(int host) {
        return "hs" + ID + "-" + host;
    }

    private static void need(String... command) throws IOException, InterruptedException {
        String failure = failure(command);
        if (!failure.isEmpty()) {
            throw new UnavailableException(
                    "network namespaces cannot be made here: '" + String.join(" ", command) + "': " + failure);
        }
    }

    /** What a command says when it fails; empty if it does not. */
    static String failure(String... command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return e.toString();
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        int code = process.waitFor();
        return code == 0 ? "" : "exit code " + code + ", " + said;
    }

    /** What runs a command on a host. */
    public List<String> prefix(int host) {
        return List.of("ip", "netns", "exec", name(host));
    }

    /** Pulls the cable out, or puts it in again. */
    public void connect(boolean connected) throws IOException, InterruptedException {
        need("ip", "-n", name(0), "link", "set", cable(0), connected ? "up" : "down");
    }

    /**
     * Delays what a host sends, and loses a part of it.
     *
     * @throws UnavailableException if the system cannot do that
     */
    public void disturb(int host, String delay, String loss) throws IOException, InterruptedException {
        queue(host, "netem", "delay", delay, "loss", loss);
    }

    /**
     * Limits how much a host can send.
     *
     * @param rate as {@code tc} understands it: {@code 1gbit}
     * @throws UnavailableException if the system cannot do that
     */
    public void limit(int host, String rate) throws IOException, InterruptedException {
        queue(host, "tbf", "rate", rate, "burst", "4mb", "latency", "50ms");
    }

    /** Has a host send by a queueing discipline of {@code tc}, with its options. */
    private void queue(int host, String... discipline) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(prefix(host));
        command.addAll(List.of("tc", "qdisc", "add", "dev", cable(host), "root"));
        command.addAll(List.of(discipline));
        String failure = failure(command.toArray(String[]::new));
        if (!failure.isEmpty()) {
            throw new UnavailableException("tc " + discipline[0] + " is not available here: " + failure);
        }
    }

    /** Bytes that a host has received from the other one. */
    public long receivedBytes(int host) throws IOException {
        List<String> command = new ArrayList<>(prefix(host));
        command.addAll(List.of("cat", "/sys/class/net/" + cable(host) + "/statistics/rx_bytes"));
        Process process = new ProcessBuilder(command).start();
        return Long.parseLong(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
    }

    @Override
    public void close() throws IOException {
        for (String name : made) {
            try {
                failure("ip", "netns", "del", name);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
