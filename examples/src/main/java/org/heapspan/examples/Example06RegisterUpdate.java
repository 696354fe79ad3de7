package org.heapspan.examples;

import java.io.Serializable;
import org.heapspan.Heapspan;

/** 06: fields that must be made anew where the object arrives, such as the name of the host or a connection. */
public final class Example06RegisterUpdate {
    private Example06RegisterUpdate() {}

    static final class Task implements Serializable {
        private static final long serialVersionUID = 1L;

        final String name;
        String runsOn;
        int hops;

        Task(String name, String runsOn) {
            this.name = name;
            this.runsOn = runsOn;
        }
    }

    /** Runs the example. */
    public static void main(String[] arguments) throws NoSuchFieldException {
        Heapspan receiver = Heapspan.builder()
                .registerUpdate(Task.class.getDeclaredField("runsOn"), (task, sent) -> "receiver, sent by " + sent)
                .registerUpdate(Task.class.getDeclaredField("hops"), (task, sent) -> (Integer) sent + 1)
                .build();

        byte[] bytes = Heapspan.create().encode(new Task("count words", "sender"));
        Task task = receiver.decode(bytes, Task.class);

        System.out.println("name:   " + task.name);
        System.out.println("runsOn: " + task.runsOn);
        System.out.println("hops:   " + task.hops);
    }
}
