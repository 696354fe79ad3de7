package org.heapspan.benchmarks.flink.queries;

import java.time.LocalDate;

/**
 * Rows of TPC-H as objects, with all their columns. Money is in cents, discounts and taxes are in percent, so that sums are exact. POJOs for
 * Flink. A row has a reference to the row that it was joined with, and null before.
 */
final class Rows {
    private Rows() {}

    /** What a customer bought of a part. */
    public static class LineItem {
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

        /** The price less the discount, in hundredths of a cent. */
        long revenue() {
            return cents * (100 - discountPercent);
        }

        String flags() {
            return returnFlag + "|" + status;
        }
    }

    /** An order. */
    public static class Order {
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

        int quarter() {
            return (date.getMonthValue() + 2) / 3;
        }
    }

    /** A customer. */
    public static class Customer {
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
    }

    /** Who sells parts. */
    public static class Supplier {
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
    }

    /** What a part costs at a supplier. */
    public static class Offer {
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
    }

    /** What items of an order brought, in hundredths of a cent. */
    public static class Sale {
        public Order order = new Order();
        public long revenue;

        public Sale() {}

        static Sale of(Order order, LineItem item) {
            Sale sale = new Sale();
            sale.order = order;
            sale.revenue = item.revenue();
            return sale;
        }

        /** This one, with what another one of the same key brought. */
        Sale plus(Sale other) {
            revenue += other.revenue;
            return this;
        }
    }
}
