package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import java.time.LocalDate;
import org.apache.flink.streaming.api.datastream.DataStream;

/**
 * The queries that the papers measure on Flink: those of Skyway (5.3, table 3) and those of ZCOT (6.4), which are queries of TPC-H with the
 * parameters that its specification names for their validation. {@code answers.py} has the same in SQL.
 */
enum Query {
    QA("items shipped until 120 days before the last") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return PricingSummary.of(tables, LAST_DAY.minusDays(120));
        }
    },
    QB("cheapest supplier of each part in each region") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return CheapestOffers.of(tables);
        }
    },
    QC("all pending orders") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return ShippingPriority.of(tables, "", PENDING, Top.ALL);
        }
    },
    QD("late orders of the quarters of a year") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return LateOrders.of(tables, 1993);
        }
    },
    QE("all returned items") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return ReturnedItems.of(tables, FIRST_DAY, LAST_DAY, Top.ALL);
        }
    },
    Q1("pricing summary") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return PricingSummary.of(tables, LAST_DAY.minusDays(90));
        }
    },
    Q3("shipping priority") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return ShippingPriority.of(tables, "BUILDING", PENDING, 10);
        }
    },
    Q6("revenue forecast") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return RevenueForecast.of(tables, 1994);
        }
    },
    Q10("returned items of a quarter") {
        @Override
        DataStream<String> on(Tables tables) throws IOException {
            return ReturnedItems.of(tables, LocalDate.of(1993, 10, 1), LocalDate.of(1994, 1, 1), 20);
        }
    };

    private static final LocalDate FIRST_DAY = LocalDate.of(1992, 1, 1);
    private static final LocalDate LAST_DAY = LocalDate.of(1998, 12, 1);
    private static final LocalDate PENDING = LocalDate.of(1995, 3, 15);

    private final String title;

    Query(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** The query as a stream of the rows of its result. */
    abstract DataStream<String> on(Tables tables) throws IOException;
}
