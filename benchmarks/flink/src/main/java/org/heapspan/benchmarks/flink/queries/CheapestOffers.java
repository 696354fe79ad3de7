package org.heapspan.benchmarks.flink.queries;

import java.io.IOException;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.heapspan.benchmarks.flink.queries.Rows.Offer;
import org.heapspan.benchmarks.flink.queries.Rows.Supplier;

/** Who sells each part at the least price in each region: TPC-H 2, for all parts and regions. */
final class CheapestOffers {
    private CheapestOffers() {}

    static DataStream<String> of(Tables tables) throws IOException {
        Nations nations = tables.nations();
        return tables.suppliers()
                .keyBy(Supplier::key, Types.LONG)
                .connect(tables.offers().keyBy(Offer::supplierKey, Types.LONG))
                .process(
                        tables.join(RowKind.SUPPLIER, RowKind.OFFER, (supplier, offer) -> offer.with(supplier)),
                        tables.type(RowKind.OFFER_OF_SUPPLIER))
                .keyBy(offer -> nations.region(offer.supplier().nation()) + "|" + offer.part(), Types.STRING)
                .reduce(CheapestOffers::cheaper)
                .map(offer -> row(offer, nations.region(offer.supplier().nation())))
                .returns(Types.STRING);
    }

    private static Offer cheaper(Offer first, Offer second) {
        boolean takeFirst = first.cents() < second.cents()
                || first.cents() == second.cents() && first.supplierKey() < second.supplierKey();
        return takeFirst ? first : second;
    }

    private static String row(Offer offer, String region) {
        return region + "|" + offer.part() + "|" + offer.cents() + "|"
                + offer.supplier().name();
    }
}
