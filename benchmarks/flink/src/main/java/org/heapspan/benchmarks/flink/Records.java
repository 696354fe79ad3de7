package org.heapspan.benchmarks.flink;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple8;

/** Records to measure. Those of a kind differ, and are the same in each run. */
final class Records {
    static final int COUNT = 1000;

    /** Elements of a group. */
    private static final int GROUP = 50;

    /** All classes of records, for serializers that want to know them. */
    static final List<Class<?>> CLASSES =
            List.of(LineItem.class, Reading.class, Order.class, Customer.class, Item.class, ArrayList.class);

    private Records() {}

    /** Flat: eight fields, two of them strings. A POJO for Flink. */
    public static class LineItem {
        public long orderKey;
        public int lineNumber;
        public double quantity;
        public double price;
        public double discount;
        public int shipDate;
        public String flag = "";
        public String comment = "";

        public LineItem() {}
    }

    /** Numbers only. A POJO for Flink. */
    public static class Reading {
        public int sensor;
        public long timeMillis;
        public double value;

        public Reading() {}
    }

    /** A {@link LineItem} as a tuple of Flink. */
    @SuppressWarnings({"serial", "unchecked"
    }) // Nobody keeps it. Flink's tuples override a generic method of their superclass.
    public static class LineItemTuple extends Tuple8<Long, Integer, Double, Double, Double, Integer, String, String> {
        public LineItemTuple() {}

        static LineItemTuple of(LineItem item) {
            LineItemTuple tuple = new LineItemTuple();
            tuple.f0 = item.orderKey;
            tuple.f1 = item.lineNumber;
            tuple.f2 = item.quantity;
            tuple.f3 = item.price;
            tuple.f4 = item.discount;
            tuple.f5 = item.shipDate;
            tuple.f6 = item.flag;
            tuple.f7 = item.comment;
            return tuple;
        }
    }

    /** A {@link Reading} as a tuple of Flink. */
    @SuppressWarnings({"serial", "unchecked"
    }) // Nobody keeps it. Flink's tuples override a generic method of their superclass.
    public static class ReadingTuple extends Tuple3<Integer, Long, Double> {
        public ReadingTuple() {}

        static ReadingTuple of(Reading reading) {
            ReadingTuple tuple = new ReadingTuple();
            tuple.f0 = reading.sensor;
            tuple.f1 = reading.timeMillis;
            tuple.f2 = reading.value;
            return tuple;
        }
    }

    /** An order with its items, each of which refers to the order: a graph that is a tree for nobody. No POJO for Flink. */
    static final class Order {
        final long key;
        final Customer customer;
        final List<Item> items = new ArrayList<>();

        Order(long key, Customer customer) {
            this.key = key;
            this.customer = customer;
        }
    }

    static final class Customer {
        final String name;
        final String address;

        Customer(String name, String address) {
            this.name = name;
            this.address = address;
        }
    }

    static final class Item {
        final Order order;
        final String part;
        final int quantity;

        Item(Order order, String part, int quantity) {
            this.order = order;
            this.part = part;
            this.quantity = quantity;
        }
    }

    static List<LineItem> lineItems() {
        Random random = new Random(1);
        List<LineItem> made = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            LineItem item = new LineItem();
            item.orderKey = random.nextInt(6_000_000);
            item.lineNumber = 1 + random.nextInt(7);
            item.quantity = 1 + random.nextInt(50);
            item.price = random.nextInt(10_000_000) / 100.0;
            item.discount = random.nextInt(11) / 100.0;
            item.shipDate = 8000 + random.nextInt(2500);
            item.flag = random.nextBoolean() ? "N" : "R";
            item.comment = text(random, 10 + random.nextInt(34));
            made.add(item);
        }
        return made;
    }

    static List<Reading> readings() {
        Random random = new Random(2);
        List<Reading> made = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            Reading reading = new Reading();
            reading.sensor = random.nextInt(500);
            reading.timeMillis = 1_700_000_000_000L + i * 1000L;
            reading.value = random.nextGaussian();
            made.add(reading);
        }
        return made;
    }

    static List<Order> orders() {
        Random random = new Random(3);
        List<Order> made = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            Order order = new Order(
                    random.nextInt(6_000_000), new Customer("Customer#" + random.nextInt(150_000), text(random, 25)));
            int items = 1 + random.nextInt(7);
            for (int item = 0; item < items; item++) {
                order.items.add(new Item(order, "Part#" + random.nextInt(200_000), 1 + random.nextInt(50)));
            }
            made.add(order);
        }
        return made;
    }

    /** The same elements in arrays, which are records. */
    static <T> List<T[]> groups(List<T> elements, T[] array) {
        List<T[]> groups = new ArrayList<>();
        for (int first = 0; first < elements.size(); first += GROUP) {
            groups.add(elements.subList(first, first + GROUP).toArray(array));
        }
        return groups;
    }

    private static String text(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (random.nextInt(6) == 0 ? ' ' : 'a' + random.nextInt(26)));
        }
        return text.toString();
    }
}
