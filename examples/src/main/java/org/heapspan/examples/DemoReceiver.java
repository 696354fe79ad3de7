package org.heapspan.examples;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The other JVM of the demo: decodes what comes and compares it with the data that it read, or made up, itself. */
final class DemoReceiver {
    static final int END = -1;

    private DemoReceiver() {}

    /** Connects to the port that the first argument names. */
    public static void main(String[] arguments) {
        try {
            serve(Integer.parseInt(arguments[0]));
        } catch (IOException e) {
            System.err.println("demo, second JVM: " + e.getMessage());
            System.exit(1);
        }
    }

    private static void serve(int port) throws IOException {
        List<DemoLibrary> libraries = DemoLibrary.all();
        DemoData.Everything expected = DemoData.find().everything();
        int expectedAccounts = distinctAccounts(expected);
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
            socket.setTcpNoDelay(true);
            out.writeUTF("JVM " + ProcessHandle.current().pid());
            out.flush();
            for (int number = in.readInt(); number != END; number = in.readInt()) {
                boolean compare = in.readBoolean();
                byte[] bytes = new byte[in.readInt()];
                in.readFully(bytes);
                long start = System.nanoTime();
                Object copy = null;
                String verdict = "";
                try {
                    copy = libraries.get(number).decode(bytes);
                } catch (Exception | StackOverflowError | LinkageError e) {
                    verdict = "failed: " + e;
                }
                long nanos = System.nanoTime() - start;
                if (compare && copy != null) {
                    verdict = compare(expected, expectedAccounts, copy);
                }
                out.writeLong(nanos);
                out.writeUTF(verdict);
                out.flush();
            }
        }
    }

    private static String compare(DemoData.Everything expected, int expectedAccounts, Object copy) {
        if (!expected.equals(copy)) {
            return "NOT EQUAL";
        }
        int accounts = distinctAccounts((DemoData.Everything) copy);
        return accounts == expectedAccounts
                ? "equal, sharing kept"
                : "equal, but " + accounts + " accounts instead of " + expectedAccounts;
    }

    /** How many account objects there are; each is referred to from many places. */
    static int distinctAccounts(DemoData.Everything everything) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (DemoData.Event event : everything.events()) {
            collect(event.payload(), seen);
        }
        seen.removeIf(object -> !(object instanceof DemoData.Account));
        return seen.size();
    }

    private static void collect(Object object, Set<Object> seen) {
        if (object instanceof Map<?, ?> map) {
            map.values().forEach(value -> collect(value, seen));
        } else if (object instanceof Collection<?> collection) {
            collection.forEach(element -> collect(element, seen));
        } else if (object instanceof DemoData.Repository repository && seen.add(repository)) {
            collect(repository.more(), seen);
            collect(repository.owner(), seen);
        } else if (object instanceof DemoData.Account) {
            seen.add(object);
        }
    }
}
