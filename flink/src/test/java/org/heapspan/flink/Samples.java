package org.heapspan.flink;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/** Classes of records for tests. */
public final class Samples {
    private Samples() {}

    /** Flat, and a POJO for Flink. */
    public static class Trade {
        public long id;
        public int amount;
        public double price;
        public boolean open;
        public String symbol = "";

        public Trade() {}

        Trade(long id, int amount, double price, boolean open, String symbol) {
            this.id = id;
            this.amount = amount;
            this.price = price;
            this.open = open;
            this.symbol = symbol;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Trade trade
                    && id == trade.id
                    && amount == trade.amount
                    && price == trade.price
                    && open == trade.open
                    && symbol.equals(trade.symbol);
        }

        @Override
        public int hashCode() {
            return Objects.hash(id, amount, price, open, symbol);
        }
    }

    /** Not known by declarations. */
    public static class SpecialTrade extends Trade {
        public int discount;

        public SpecialTrade() {}

        SpecialTrade(long id, int discount) {
            super(id, 2, 1.5, false, "SPX");
            this.discount = discount;
        }

        @Override
        public boolean equals(Object other) {
            return super.equals(other) && other instanceof SpecialTrade trade && discount == trade.discount;
        }

        @Override
        public int hashCode() {
            return super.hashCode() * 31 + discount;
        }
    }

    /** Declares its subclasses. */
    public sealed interface Shape permits Circle, Square {}

    record Circle(double radius) implements Shape {}

    record Square(int side) implements Shape {}

    enum State {
        NEW,
        PAID {
            @Override
            public String toString() {
                return "paid";
            }
        }
    }

    /** An object graph: no POJO for Flink, and without a constructor that it could call. */
    @TypeInfo(HeapspanTypeInfoFactory.class)
    public static final class Basket {
        final String owner;
        final List<Trade> trades = new ArrayList<>();
        final Map<String, Trade> bySymbol = new HashMap<>();
        Shape shape;
        Trade[] best;
        State state = State.PAID;
        Basket previous;
        transient int cached = 7;

        Basket(String owner) {
            this.owner = owner;
        }

        static Basket sample() {
            Basket basket = new Basket("Ada");
            for (int i = 0; i < 5; i++) {
                Trade trade = new Trade(i, i * 1000, i / 8.0, i % 2 == 0, "SYM" + i);
                basket.trades.add(trade);
                basket.bySymbol.put(trade.symbol, trade);
            }
            basket.shape = new Square(4);
            basket.best = new Trade[] {basket.trades.get(3), null};
            basket.previous = basket;
            return basket;
        }
    }

    /** No key, because of the enum. */
    record Account(long number, String bank, State state) {}

    /** May be a key, though two strings may be one object. */
    record Transfer(String from, String to) {}

    /** Not final, and with two strings. */
    static class Route {
        String from;
        String to;

        Route(String from, String to) {
            this.from = from;
            this.to = to;
        }
    }

    static class Box<T> {
        T content;

        Box(T content) {
            this.content = content;
        }
    }
}
