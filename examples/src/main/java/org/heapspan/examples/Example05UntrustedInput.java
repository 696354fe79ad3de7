package org.heapspan.examples;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;

/** 05: bytes from outside. An allow-list decides before a class is loaded; limits decide before memory is allocated. */
public final class Example05UntrustedInput {
    private Example05UntrustedInput() {}

    record Message(String text) implements Serializable {}

    record Surprise(String command) implements Serializable {}

    /** Runs the example. */
    public static void main(String[] arguments) {
        Heapspan sender = Heapspan.create();
        Heapspan receiver = Heapspan.builder()
                .allow(Message.class.getName())
                .maxBytes(1 << 20)
                .maxObjects(10_000)
                .maxArrayLength(1_000)
                .build();

        System.out.println("welcome:  " + receiver.decode(sender.encode(new Message("hello")), Object.class));

        show("class:    ", receiver, sender.encode(new Surprise("rm")));

        List<Message> many = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            many.add(new Message("m" + i));
        }
        show("length:   ", receiver, sender.encode(many));

        byte[] altered = sender.encode(new Message("hello"));
        altered[altered.length - 2] ^= 0x20;
        show("altered:  ", receiver, altered);

        byte[] cut = java.util.Arrays.copyOf(altered, altered.length - 3);
        show("cut off:  ", receiver, cut);
    }

    private static void show(String what, Heapspan receiver, byte[] bytes) {
        try {
            System.out.println(what + receiver.decode(bytes, Object.class));
        } catch (HeapspanException e) {
            System.out.println(what + e.category() + ": " + e.getMessage());
        }
    }
}
