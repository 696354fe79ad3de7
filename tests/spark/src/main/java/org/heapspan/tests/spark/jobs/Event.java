package org.heapspan.tests.spark.jobs;

import java.io.Serializable;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What the jobs are about: an object with others below it. */
public record Event(long id, Kind kind, String user, LocalDate day, List<Item> items, Map<Kind, Integer> counts)
        implements Serializable {
    /** Enum constants travel by name. */
    public enum Kind {
        OPENED,
        CHANGED {
            @Override
            public String toString() {
                return "changed";
            }
        },
        CLOSED
    }

    public record Item(String article, int count, BigDecimal price) implements Serializable {}

    public record User(String name, int region) implements Serializable, Comparable<User> {
        @Override
        public int compareTo(User other) {
            int byRegion = Integer.compare(region, other.region);
            return byRegion != 0 ? byRegion : name.compareTo(other.name);
        }
    }

    /** An object that is changed while records are combined. */
    public static final class Total implements Serializable {
        private long events;
        private BigDecimal sum = BigDecimal.ZERO;
        private final EnumMap<Kind, Integer> kinds = new EnumMap<>(Kind.class);

        public Total add(Event event) {
            events++;
            event.items().forEach(item -> sum = sum.add(item.price()));
            kinds.merge(event.kind(), 1, Integer::sum);
            return this;
        }

        public Total add(Total other) {
            events += other.events;
            sum = sum.add(other.sum);
            other.kinds.forEach((kind, count) -> kinds.merge(kind, count, Integer::sum));
            return this;
        }

        @Override
        public String toString() {
            return events + " " + sum + " " + kinds;
        }
    }

    public static Event number(int number) {
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < number % 4; i++) {
            items.add(new Item("article " + (number + i) % 10, i + 1, BigDecimal.valueOf(number % 1000 + i, 2)));
        }
        Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
        counts.put(Kind.values()[number % 3], number % 7);
        return new Event(
                number,
                Kind.values()[number % 3],
                "user " + number % 101,
                LocalDate.of(2026, 1, 1).plusDays(number % 365),
                items,
                counts);
    }

    public User owner() {
        return new User(user, (int) (id % 101 % 5));
    }
}
