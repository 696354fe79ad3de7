package org.heapspan.benchmarks.flink;

import java.util.List;

/** Kinds of records that are measured. */
enum RecordKind {
    NUMBERS("numbers", Records.Reading.class),
    NUMBERS_IN_GROUPS("numbers, 50 in a record", Records.Reading[].class),
    LINE_ITEM("line item", Records.LineItem.class),
    LINE_ITEMS_IN_GROUPS("line item, 50 in a record", Records.LineItem[].class),
    ORDER("order with items", Records.Order.class),
    NUMBERS_AS_TUPLE("numbers as a tuple", Records.ReadingTuple.class),
    LINE_ITEM_AS_TUPLE("line item as a tuple", Records.LineItemTuple.class);

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
            case NUMBERS_IN_GROUPS -> Records.groups(Records.readings(), new Records.Reading[0]);
            case LINE_ITEM -> Records.lineItems();
            case LINE_ITEMS_IN_GROUPS -> Records.groups(Records.lineItems(), new Records.LineItem[0]);
            case ORDER -> Records.orders();
            case NUMBERS_AS_TUPLE ->
                Records.readings().stream().map(Records.ReadingTuple::of).toList();
            case LINE_ITEM_AS_TUPLE ->
                Records.lineItems().stream().map(Records.LineItemTuple::of).toList();
        };
    }
}
