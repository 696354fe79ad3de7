package org.heapspan.benchmarks.flink.queries;

import java.util.List;

/**
 * A kind of rows.
 *
 * @param objects its class if rows are objects
 * @param tuples its class if rows are tuples
 * @param nested classes of the tuples in such a tuple
 * @param <T> how queries see it
 */
record RowKind<T>(Class<? extends T> objects, Class<? extends T> tuples, List<Class<?>> nested) {
    static final RowKind<Rows.LineItem> LINE_ITEM = new RowKind<>(ObjectRows.LineItem.class, TupleRows.LineItem.class);

    static final RowKind<Rows.Order> ORDER = new RowKind<>(ObjectRows.Order.class, TupleRows.Order.class);

    static final RowKind<Rows.Customer> CUSTOMER = new RowKind<>(ObjectRows.Customer.class, TupleRows.Customer.class);

    static final RowKind<Rows.Supplier> SUPPLIER = new RowKind<>(ObjectRows.Supplier.class, TupleRows.Supplier.class);

    static final RowKind<Rows.Offer> OFFER = new RowKind<>(ObjectRows.Offer.class, TupleRows.Offer.class);

    static final RowKind<Rows.Order> ORDER_OF_CUSTOMER = new RowKind<>(
            ObjectRows.Order.class, TupleRows.OrderOfCustomer.class, TupleRows.Order.class, TupleRows.Customer.class);

    static final RowKind<Rows.Offer> OFFER_OF_SUPPLIER = new RowKind<>(
            ObjectRows.Offer.class, TupleRows.OfferOfSupplier.class, TupleRows.Offer.class, TupleRows.Supplier.class);

    static final RowKind<Rows.Sale> SALE =
            new RowKind<>(ObjectRows.Sale.class, TupleRows.Sale.class, TupleRows.Order.class);

    static final RowKind<Rows.Sale> SALE_TO_CUSTOMER = new RowKind<>(
            ObjectRows.Sale.class,
            TupleRows.SaleToCustomer.class,
            TupleRows.OrderOfCustomer.class,
            TupleRows.Order.class,
            TupleRows.Customer.class);

    private RowKind(Class<? extends T> objects, Class<? extends T> tuples, Class<?>... nested) {
        this(objects, tuples, List.of(nested));
    }
}
