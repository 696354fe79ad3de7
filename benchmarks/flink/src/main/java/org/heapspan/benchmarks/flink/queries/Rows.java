package org.heapspan.benchmarks.flink.queries;

import java.time.LocalDate;

/**
 * Rows of TPC-H as queries see them. Money is in cents, discounts and taxes are in percent, so that sums are exact. {@link ObjectRows} and
 * {@link TupleRows} are the two forms of rows, each with all columns.
 */
final class Rows {
    private Rows() {}

    /** What a customer bought of a part. */
    interface LineItem {
        long order();

        int quantity();

        long cents();

        int discountPercent();

        int taxPercent();

        String returnFlag();

        String status();

        LocalDate shipped();

        LocalDate committed();

        LocalDate received();

        /** The price less the discount, in hundredths of a cent. */
        default long revenue() {
            return cents() * (100 - discountPercent());
        }

        default String flags() {
            return returnFlag() + "|" + status();
        }
    }

    /** An order. */
    interface Order {
        long key();

        long customerKey();

        String status();

        LocalDate date();

        int shipPriority();

        void setStatus(String status);

        /** This order with its customer. */
        Order with(Customer customer);

        /** The customer; only of an order that has got one. */
        Customer customer();

        /** This order with what an item of it brought. */
        Sale sale(long revenue);

        default int quarter() {
            return (date().getMonthValue() + 2) / 3;
        }
    }

    /** A customer. */
    interface Customer {
        long key();

        String name();

        String address();

        int nation();

        String phone();

        long balanceCents();

        String segment();

        String comment();
    }

    /** Who sells parts. */
    interface Supplier {
        long key();

        String name();

        int nation();
    }

    /** What a part costs at a supplier. */
    interface Offer {
        long part();

        long supplierKey();

        long cents();

        /** This offer with its supplier. */
        Offer with(Supplier supplier);

        /** The supplier; only of an offer that has got one. */
        Supplier supplier();
    }

    /** What items of an order brought, in hundredths of a cent. */
    interface Sale {
        Order order();

        long revenue();

        /** This one, with what another one of the same key brought. */
        Sale plus(Sale other);

        /** This one, with the customer of the order. */
        Sale with(Customer customer);
    }
}
