package com.example;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.heapspan.Heapspan;

/** Two orders of one customer become bytes and come back. */
public final class Orders {
    private Orders() {}

    static final class Customer implements Serializable {
        private static final long serialVersionUID = 1L;

        final String name;

        Customer(String name) {
            this.name = name;
        }
    }

    static final class Order implements Serializable {
        private static final long serialVersionUID = 1L;

        final int number;
        final Customer customer;

        Order(int number, Customer customer) {
            this.number = number;
            this.customer = customer;
        }
    }

    /** Prints what came back. */
    public static void main(String[] arguments) {
        Customer ada = new Customer("Ada");
        Heapspan heapspan = Heapspan.create();
        byte[] bytes = heapspan.encode(Arrays.asList(new Order(1, ada), new Order(2, ada)));
        List<?> copies = heapspan.decode(bytes, List.class);

        Order first = (Order) copies.get(0);
        Order second = (Order) copies.get(1);
        System.out.println("bytes: " + bytes.length);
        System.out.println("orders: " + first.number + " and " + second.number + " of " + second.customer.name);
        System.out.println("still one customer: " + (first.customer == second.customer));
    }
}
