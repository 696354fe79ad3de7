package org.heapspan.benchmarks.flink;

import java.util.List;

/** Kinds of records that are measured. */
enum RecordKind {
    NUMBERS("numbers", Records.Reading.class),
    LINE_ITEM("line item", Records.LineItem.class),
    ORDER("order with items", Records.Order.class);

    private final String title;
    private final Class<?> type;

    RecordKind(String title, Class<?> type) {
        this.title = title;
        this.type = type;
    }

    String title() {
        return title;
    }

    Class<?> type() {
        return type;
    }

    List<?> records() {
        return switch (this) {
            case NUMBERS -> Records.readings();
            case LINE_ITEM -> Records.lineItems();
            case ORDER -> Records.orders();
        };
    }
}
