package org.heapspan.benchmarks.flink.queries;

import java.time.LocalDate;
import org.apache.flink.api.java.tuple.Tuple16;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.api.java.tuple.Tuple7;
import org.apache.flink.api.java.tuple.Tuple8;
import org.apache.flink.api.java.tuple.Tuple9;

/** Rows as tuples of Flink. Joined rows are a tuple of tuples. */
// Nobody keeps them. Flink's tuples override a generic method of their superclass.
@SuppressWarnings({"serial", "unchecked"})
final class TupleRows {
    private TupleRows() {}

    /** What a customer bought of a part. */
    public static class LineItem
            extends Tuple16<
                    Long,
                    Long,
                    Long,
                    Integer,
                    Integer,
                    Long,
                    Integer,
                    Integer,
                    String,
                    String,
                    LocalDate,
                    LocalDate,
                    LocalDate,
                    String,
                    String,
                    String>
            implements Rows.LineItem {
        public LineItem() {}

        private LineItem(RowReader row) {
            super(
                    row.number(),
                    row.number(),
                    row.number(),
                    (int) row.number(),
                    (int) row.number(),
                    row.number(),
                    (int) row.number(),
                    (int) row.number(),
                    row.text(),
                    row.text(),
                    row.date(),
                    row.date(),
                    row.date(),
                    row.text(),
                    row.text(),
                    row.text());
        }

        static LineItem read(RowReader row) {
            return new LineItem(row);
        }

        @Override
        public long order() {
            return f0;
        }

        @Override
        public int quantity() {
            return f4;
        }

        @Override
        public long cents() {
            return f5;
        }

        @Override
        public int discountPercent() {
            return f6;
        }

        @Override
        public int taxPercent() {
            return f7;
        }

        @Override
        public String returnFlag() {
            return f8;
        }

        @Override
        public String status() {
            return f9;
        }

        @Override
        public LocalDate shipped() {
            return f10;
        }

        @Override
        public LocalDate committed() {
            return f11;
        }

        @Override
        public LocalDate received() {
            return f12;
        }
    }

    /** An order. */
    public static class Order extends Tuple9<Long, Long, String, Long, LocalDate, String, String, Integer, String>
            implements Rows.Order {
        public Order() {}

        private Order(RowReader row) {
            super(
                    row.number(),
                    row.number(),
                    row.text(),
                    row.number(),
                    row.date(),
                    row.text(),
                    row.text(),
                    (int) row.number(),
                    row.text());
        }

        static Order read(RowReader row) {
            return new Order(row);
        }

        @Override
        public long key() {
            return f0;
        }

        @Override
        public long customerKey() {
            return f1;
        }

        @Override
        public String status() {
            return f2;
        }

        @Override
        public LocalDate date() {
            return f4;
        }

        @Override
        public int shipPriority() {
            return f7;
        }

        @Override
        public void setStatus(String status) {
            f2 = status;
        }

        @Override
        public OrderOfCustomer with(Rows.Customer customer) {
            OrderOfCustomer both = new OrderOfCustomer();
            both.f0 = this;
            both.f1 = (Customer) customer;
            return both;
        }

        @Override
        public Customer customer() {
            throw new IllegalStateException("this order has not been joined with its customer");
        }

        @Override
        public Sale sale(long revenue) {
            Sale sale = new Sale();
            sale.f0 = this;
            sale.f1 = revenue;
            return sale;
        }
    }

    /** A customer. */
    public static class Customer extends Tuple8<Long, String, String, Integer, String, Long, String, String>
            implements Rows.Customer {
        public Customer() {}

        private Customer(RowReader row) {
            super(
                    row.number(),
                    row.text(),
                    row.text(),
                    (int) row.number(),
                    row.text(),
                    row.number(),
                    row.text(),
                    row.text());
        }

        static Customer read(RowReader row) {
            return new Customer(row);
        }

        @Override
        public long key() {
            return f0;
        }

        @Override
        public String name() {
            return f1;
        }

        @Override
        public String address() {
            return f2;
        }

        @Override
        public int nation() {
            return f3;
        }

        @Override
        public String phone() {
            return f4;
        }

        @Override
        public long balanceCents() {
            return f5;
        }

        @Override
        public String segment() {
            return f6;
        }

        @Override
        public String comment() {
            return f7;
        }
    }

    /** Who sells parts. */
    public static class Supplier extends Tuple7<Long, String, String, Integer, String, Long, String>
            implements Rows.Supplier {
        public Supplier() {}

        private Supplier(RowReader row) {
            super(row.number(), row.text(), row.text(), (int) row.number(), row.text(), row.number(), row.text());
        }

        static Supplier read(RowReader row) {
            return new Supplier(row);
        }

        @Override
        public long key() {
            return f0;
        }

        @Override
        public String name() {
            return f1;
        }

        @Override
        public int nation() {
            return f3;
        }
    }

    /** What a part costs at a supplier. */
    public static class Offer extends Tuple5<Long, Long, Integer, Long, String> implements Rows.Offer {
        public Offer() {}

        private Offer(RowReader row) {
            super(row.number(), row.number(), (int) row.number(), row.number(), row.text());
        }

        static Offer read(RowReader row) {
            return new Offer(row);
        }

        @Override
        public long part() {
            return f0;
        }

        @Override
        public long supplierKey() {
            return f1;
        }

        @Override
        public long cents() {
            return f3;
        }

        @Override
        public OfferOfSupplier with(Rows.Supplier supplier) {
            OfferOfSupplier both = new OfferOfSupplier();
            both.f0 = this;
            both.f1 = (Supplier) supplier;
            return both;
        }

        @Override
        public Supplier supplier() {
            throw new IllegalStateException("this offer has not been joined with its supplier");
        }
    }

    /** An order and its customer. */
    public static class OrderOfCustomer extends Tuple2<Order, Customer> implements Rows.Order {
        public OrderOfCustomer() {}

        @Override
        public long key() {
            return f0.key();
        }

        @Override
        public long customerKey() {
            return f0.customerKey();
        }

        @Override
        public String status() {
            return f0.status();
        }

        @Override
        public LocalDate date() {
            return f0.date();
        }

        @Override
        public int shipPriority() {
            return f0.shipPriority();
        }

        @Override
        public void setStatus(String status) {
            f0.setStatus(status);
        }

        @Override
        public OrderOfCustomer with(Rows.Customer customer) {
            f1 = (Customer) customer;
            return this;
        }

        @Override
        public Customer customer() {
            return f1;
        }

        @Override
        public SaleToCustomer sale(long revenue) {
            SaleToCustomer sale = new SaleToCustomer();
            sale.f0 = this;
            sale.f1 = revenue;
            return sale;
        }
    }

    /** An offer and its supplier. */
    public static class OfferOfSupplier extends Tuple2<Offer, Supplier> implements Rows.Offer {
        public OfferOfSupplier() {}

        @Override
        public long part() {
            return f0.part();
        }

        @Override
        public long supplierKey() {
            return f0.supplierKey();
        }

        @Override
        public long cents() {
            return f0.cents();
        }

        @Override
        public OfferOfSupplier with(Rows.Supplier supplier) {
            f1 = (Supplier) supplier;
            return this;
        }

        @Override
        public Supplier supplier() {
            return f1;
        }
    }

    /** An order, and what items of it brought. */
    public static class Sale extends Tuple2<Order, Long> implements Rows.Sale {
        public Sale() {}

        @Override
        public Order order() {
            return f0;
        }

        @Override
        public long revenue() {
            return f1;
        }

        @Override
        public Sale plus(Rows.Sale other) {
            f1 += other.revenue();
            return this;
        }

        @Override
        public SaleToCustomer with(Rows.Customer customer) {
            return f0.with(customer).sale(f1);
        }
    }

    /** An order with its customer, and what items of it brought. */
    public static class SaleToCustomer extends Tuple2<OrderOfCustomer, Long> implements Rows.Sale {
        public SaleToCustomer() {}

        @Override
        public OrderOfCustomer order() {
            return f0;
        }

        @Override
        public long revenue() {
            return f1;
        }

        @Override
        public SaleToCustomer plus(Rows.Sale other) {
            f1 += other.revenue();
            return this;
        }

        @Override
        public SaleToCustomer with(Rows.Customer customer) {
            return f0.with(customer).sale(f1);
        }
    }
}
