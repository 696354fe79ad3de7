package org.heapspan.cli;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Classes of the sample graphs; public, because libraries that generate code need that. */
public final class BenchData {
    private BenchData() {}

    /** A person who buys. */
    public record Customer(long id, String name, String email, Instant since) implements Serializable {}

    /** What somebody bought. */
    public record Line(String product, int quantity, double price) implements Serializable {}

    /** How far an order has come. */
    public enum State {
        PLACED,
        PAID,
        SENT
    }

    /** Customers are shared by orders. */
    public record Order(long number, Customer customer, State state, List<Line> lines, Map<String, String> notes)
            implements Serializable {}

    /** A place in the plane. */
    public record Point(double x, double y) implements Serializable {}
}
