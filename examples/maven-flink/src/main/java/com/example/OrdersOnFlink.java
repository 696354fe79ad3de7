package com.example;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.heapspan.flink.HeapspanTypeInfoFactory;

/** Collects the orders of each customer. Heapspan serializes the records. */
public class OrdersOnFlink {
    /** Flink would give this class to Kryo, because its fields are final. */
    @TypeInfo(HeapspanTypeInfoFactory.class)
    public static class Orders {
        final String customer;
        final List<Long> numbers;

        Orders(String customer, List<Long> numbers) {
            this.customer = customer;
            this.numbers = numbers;
        }

        Orders and(Orders others) {
            List<Long> all = new ArrayList<>(numbers);
            all.addAll(others.numbers);
            return new Orders(customer, all);
        }
    }

    public static void main(String[] arguments) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        environment.setParallelism(1);
        DataStream<Orders> orders = environment
                .fromSequence(1, 5)
                .map(number -> new Orders("Ada", List.of(number)))
                .returns(Orders.class)
                .keyBy(order -> order.customer)
                .reduce(Orders::and);
        System.out.println("type: " + orders.getType());
        try (CloseableIterator<Orders> results = orders.executeAndCollect()) {
            results.forEachRemaining(each -> System.out.println("orders of " + each.customer + ": " + each.numbers));
        }
    }
}
