package org.heapspan.examples.flink;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.heapspan.flink.HeapspanTypeInfoFactory;

/** 10: Apache Flink. Records of an annotated class are object images, in shuffles and in state. */
public final class Example10Orders {
    private static final int CUSTOMERS = 4;

    private Example10Orders() {}

    /** For Flink this is no POJO. Without the annotation, Kryo would write it. */
    @TypeInfo(HeapspanTypeInfoFactory.class)
    static final class Order {
        private final String customer;
        private final List<Item> items;

        Order(String customer, List<Item> items) {
            this.customer = customer;
            this.items = items;
        }

        String customer() {
            return customer;
        }

        /** All items of two orders. */
        Order with(Order other) {
            List<Item> all = new ArrayList<>(items);
            all.addAll(other.items);
            return new Order(customer, all);
        }

        @Override
        public String toString() {
            return customer + ": " + items.size() + " items, "
                    + items.stream().mapToLong(Item::cents).sum() + " cents";
        }
    }

    record Item(String name, long cents) {}

    private static Order orderOf(long number) {
        return new Order(
                "customer " + number % CUSTOMERS, List.of(new Item("pen", number), new Item("ink " + number, 200)));
    }

    /**
     * Runs the job.
     *
     * @param arguments the number of orders; 1000 if there is none
     * @throws Exception if the job fails
     */
    public static void main(String[] arguments) throws Exception {
        long count = arguments.length == 0 ? 1000 : Long.parseLong(arguments[0]);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        environment.setParallelism(2);
        DataStream<Order> orders = environment
                .fromSequence(1, count)
                .map(Example10Orders::orderOf)
                .returns(Order.class)
                .keyBy(Order::customer)
                .reduce(Order::with);
        List<Order> results = new ArrayList<>();
        try (CloseableIterator<Order> iterator = orders.executeAndCollect("orders")) {
            iterator.forEachRemaining(results::add);
        }
        results.sort(Comparator.comparing(Order::customer));
        results.forEach(System.out::println);
        System.out.println("type: " + orders.getType());
    }
}
