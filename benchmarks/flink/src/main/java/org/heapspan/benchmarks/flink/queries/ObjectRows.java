package org.heapspan.benchmarks.flink.queries;

import java.time.LocalDate;

/** Rows as objects, which are POJOs for Flink. A row has a reference to the row that it was joined with, and null before. */
final class ObjectRows {
    private ObjectRows() {}

    /** What a customer bought of a part. */
    public static class LineItem implements Rows.LineItem {
        public long order;
        public long part;
        public long supplier;
        public int number;
        public int quantity;
        public long cents;
        public int discountPercent;
        public int taxPercent;
        public String returnFlag = "";
        public String status = "";
        public LocalDate shipped = LocalDate.EPOCH;
        public LocalDate committed = LocalDate.EPOCH;
        public LocalDate received = LocalDate.EPOCH;
        public String instruction = "";
        public String mode = "";
        public String comment = "";

        public LineItem() {}

        static LineItem read(RowReader row) {
            LineItem read = new LineItem();
            read.order = row.number();
            read.part = row.number();
            read.supplier = row.number();
            read.number = (int) row.number();
            read.quantity = (int) row.number();
            read.cents = row.number();
            read.discountPercent = (int) row.number();
            read.taxPercent = (int) row.number();
            read.returnFlag = row.text();
            read.status = row.text();
            read.shipped = row.date();
            read.committed = row.date();
            read.received = row.date();
            read.instruction = row.text();
            read.mode = row.text();
            read.comment = row.text();
            return read;
        }

        @Override
        public long order() {
            return order;
        }

        @Override
        public int quantity() {
            return quantity;
        }

        @Override
        public long cents() {
            return cents;
        }

        @Override
        public int discountPercent() {
            return discountPercent;
        }

        @Override
        public int taxPercent() {
            return taxPercent;
        }

        @Override
        public String returnFlag() {
            return returnFlag;
        }

        @Override
        public String status() {
            return status;
        }

        @Override
        public LocalDate shipped() {
            return shipped;
        }

        @Override
        public LocalDate committed() {
            return committed;
        }

        @Override
        public LocalDate received() {
            return received;
        }
    }

    /** An order. */
    public static class Order implements Rows.Order {
        public long key;
        public long customerKey;
        public String status = "";
        public long totalCents;
        public LocalDate date = LocalDate.EPOCH;
        public String priority = "";
        public String clerk = "";
        public int shipPriority;
        public String comment = "";
        public Customer customer;

        public Order() {}

        static Order read(RowReader row) {
            Order read = new Order();
            read.key = row.number();
            read.customerKey = row.number();
            read.status = row.text();
            read.totalCents = row.number();
            read.date = row.date();
            read.priority = row.text();
            read.clerk = row.text();
            read.shipPriority = (int) row.number();
            read.comment = row.text();
            return read;
        }

        @Override
        public long key() {
            return key;
        }

        @Override
        public long customerKey() {
            return customerKey;
        }

        @Override
        public String status() {
            return status;
        }

        @Override
        public LocalDate date() {
            return date;
        }

        @Override
        public int shipPriority() {
            return shipPriority;
        }

        @Override
        public Customer customer() {
            return customer;
        }

        @Override
        public void setStatus(String status) {
            this.status = status;
        }

        @Override
        public Order with(Rows.Customer its) {
            customer = (Customer) its;
            return this;
        }

        @Override
        public Sale sale(long revenue) {
            Sale sale = new Sale();
            sale.order = this;
            sale.revenue = revenue;
            return sale;
        }
    }

    /** A customer. */
    public static class Customer implements Rows.Customer {
        public long key;
        public String name = "";
        public String address = "";
        public int nation;
        public String phone = "";
        public long balanceCents;
        public String segment = "";
        public String comment = "";

        public Customer() {}

        static Customer read(RowReader row) {
            Customer read = new Customer();
            read.key = row.number();
            read.name = row.text();
            read.address = row.text();
            read.nation = (int) row.number();
            read.phone = row.text();
            read.balanceCents = row.number();
            read.segment = row.text();
            read.comment = row.text();
            return read;
        }

        @Override
        public long key() {
            return key;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public int nation() {
            return nation;
        }

        @Override
        public String phone() {
            return phone;
        }

        @Override
        public long balanceCents() {
            return balanceCents;
        }

        @Override
        public String segment() {
            return segment;
        }

        @Override
        public String comment() {
            return comment;
        }
    }

    /** Who sells parts. */
    public static class Supplier implements Rows.Supplier {
        public long key;
        public String name = "";
        public String address = "";
        public int nation;
        public String phone = "";
        public long balanceCents;
        public String comment = "";

        public Supplier() {}

        static Supplier read(RowReader row) {
            Supplier read = new Supplier();
            read.key = row.number();
            read.name = row.text();
            read.address = row.text();
            read.nation = (int) row.number();
            read.phone = row.text();
            read.balanceCents = row.number();
            read.comment = row.text();
            return read;
        }

        @Override
        public long key() {
            return key;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int nation() {
            return nation;
        }
    }

    /** What a part costs at a supplier. */
    public static class Offer implements Rows.Offer {
        public long part;
        public long supplierKey;
        public int available;
        public long cents;
        public String comment = "";
        public Supplier supplier;

        public Offer() {}

        static Offer read(RowReader row) {
            Offer read = new Offer();
            read.part = row.number();
            read.supplierKey = row.number();
            read.available = (int) row.number();
            read.cents = row.number();
            read.comment = row.text();
            return read;
        }

        @Override
        public long part() {
            return part;
        }

        @Override
        public long supplierKey() {
            return supplierKey;
        }

        @Override
        public long cents() {
            return cents;
        }

        @Override
        public Supplier supplier() {
            return supplier;
        }

        @Override
        public Offer with(Rows.Supplier its) {
            supplier = (Supplier) its;
            return this;
        }
    }

    /** What items of an order brought, in hundredths of a cent. */
    public static class Sale implements Rows.Sale {
        public Order order = new Order();
        public long revenue;

        public Sale() {}

        @Override
        public Order order() {
            return order;
        }

        @Override
        public long revenue() {
            return revenue;
        }

        @Override
        public Sale plus(Rows.Sale other) {
            revenue += other.revenue();
            return this;
        }

        @Override
        public Sale with(Rows.Customer customer) {
            order.with(customer);
            return this;
        }
    }
}
