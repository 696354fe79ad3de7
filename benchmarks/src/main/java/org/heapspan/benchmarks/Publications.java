package org.heapspan.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.heapspan.benchmarks.curve.CurveReport;
import org.heapspan.benchmarks.curve.JvmReport;
import org.heapspan.benchmarks.exchange.ExchangeReport;
import org.heapspan.benchmarks.graph.GraphFigures;
import org.heapspan.benchmarks.secondheap.SecondHeapReport;
import org.heapspan.benchmarks.transfer.TransferReport;

/** All sections of the documentation that show figures, but those of Spark, which {@code benchmarks/spark} knows. */
public final class Publications {
    private Publications() {}

    /** In the order of the benchmarks. */
    public static List<Publication> all() {
        List<Publication> all = new ArrayList<>(CodecReport.PUBLICATIONS);
        all.add(StartUpReport.PUBLICATION);
        all.add(StreamReport.PUBLICATION);
        all.add(CurveReport.PUBLICATION);
        all.add(JvmReport.PUBLICATION);
        all.add(TransferReport.PUBLICATION);
        all.add(SecondHeapReport.PUBLICATION);
        all.add(SecondHeapReport.ENCRYPTED);
        all.add(ExchangeReport.PUBLICATION);
        all.add(FlinkFigures.PUBLICATION);
        all.add(FlinkQueryFigures.PUBLICATION);
        all.add(FlinkQueryFigures.TUPLES);
        all.add(FlinkQueryFigures.DATES);
        all.add(FlinkQueryFigures.LARGE);
        all.add(FlinkQueryFigures.GROUPS);
        all.add(GraphFigures.PUBLICATION);
        return all;
    }
}
