package org.heapspan.examples;

import java.io.Serializable;
import java.util.List;
import org.heapspan.Heapspan;

/** 01: an object becomes bytes and comes back, with sharing and cycles as they were. No registration, no schema. */
public final class Example01EncodeAndDecode {
    private Example01EncodeAndDecode() {}

    static final class Person implements Serializable {
        private static final long serialVersionUID = 1L;

        final String name;
        Person friend;

        Person(String name) {
            this.name = name;
        }
    }

    /** Runs the example. */
    public static void main(String[] arguments) {
        Person ada = new Person("Ada");
        Person bob = new Person("Bob");
        ada.friend = bob;
        bob.friend = ada;

        Heapspan heapspan = Heapspan.create();
        byte[] bytes = heapspan.encode(List.of(ada, bob, ada));
        List<?> copy = heapspan.decode(bytes, List.class);

        Person adaCopy = (Person) copy.get(0);
        System.out.println("bytes:                       " + bytes.length);
        System.out.println("name of the copy:            " + adaCopy.name);
        System.out.println("a friend's friend is itself: " + (adaCopy.friend.friend == adaCopy));
        System.out.println("first and third are one:     " + (copy.get(0) == copy.get(2)));
        System.out.println("copy and original are two:   " + (adaCopy != ada));
    }
}
