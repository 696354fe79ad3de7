package org.heapspan.benchmarks.flink.queries;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.util.Collector;

/** An order with its items, each of which refers to the order: a graph of objects. No POJO for Flink. */
final class Basket {
    final long order;
    final List<Item> items = new ArrayList<>();

    private Basket(long order) {
        this.order = order;
    }

    /** What was bought of a part. */
    static final class Item {
        final Basket basket;
        final int number;
        final long cents;
        final LocalDate shipped;
        final String comment;

        private Item(Basket basket, ObjectRows.LineItem row) {
            this.basket = basket;
            number = row.number;
            cents = row.cents;
            shipped = row.shipped;
            comment = row.comment;
        }
    }

    /** A hash that depends on all items, and on their references to this basket. */
    long digest() {
        long digest = order;
        for (Item item : items) {
            digest = 31 * (31 * (31 * digest + item.number) + item.cents) + item.shipped.toEpochDay();
            digest = 31 * (31 * digest + item.comment.hashCode()) + item.basket.order;
        }
        return digest;
    }

    /** Puts neighboring items of an order into a basket. An order whose items are in two parts of the file becomes two baskets. */
    static final class Filling implements FlatMapFunction<Long, Basket> {
        private static final long serialVersionUID = 1L;

        private final Scan<ObjectRows.LineItem> scan;

        Filling(Scan<ObjectRows.LineItem> scan) {
            this.scan = scan;
        }

        @Override
        public void flatMap(Long part, Collector<Basket> output) throws Exception {
            Filler filler = new Filler(output);
            scan.flatMap(part, filler);
            filler.close();
        }
    }

    private static final class Filler implements Collector<ObjectRows.LineItem> {
        private final Collector<Basket> output;
        private Basket basket = new Basket(0);

        Filler(Collector<Basket> output) {
            this.output = output;
        }

        @Override
        public void collect(ObjectRows.LineItem row) {
            if (row.order != basket.order) {
                close();
                basket = new Basket(row.order);
            }
            basket.items.add(new Item(basket, row));
        }

        @Override
        public void close() {
            if (!basket.items.isEmpty()) {
                output.collect(basket);
            }
        }
    }
}
