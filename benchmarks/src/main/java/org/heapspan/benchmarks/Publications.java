package org.heapspan.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.benchmarks.curve.CurveReport;
import org.heapspan.benchmarks.secondheap.SecondHeapReport;
import org.heapspan.benchmarks.spark.CacheReport;
import org.heapspan.benchmarks.spark.SparkReport;
import org.heapspan.benchmarks.transfer.TransferReport;

/** All sections of the documentation that show figures. */
final class Publications {
    private Publications() {}

    static List<Publication> all() {
        List<Publication> all = new ArrayList<>(CodecReport.PUBLICATIONS);
        all.add(StartUpReport.PUBLICATION);
        all.add(StreamReport.PUBLICATION);
        all.add(CurveReport.PUBLICATION);
        all.add(TransferReport.PUBLICATION);
        all.add(SecondHeapReport.PUBLICATION);
        all.add(SecondHeapReport.ENCRYPTED);
        all.add(SparkReport.PUBLICATION);
        all.add(CacheReport.PUBLICATION);
        return all;
    }
}
