package org.heapspan.benchmarks.curve;

import static org.assertj.core.api.Assertions.assertThat;

import org.heapspan.benchmarks.RunNote;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the tables of several JVMs say. */
@Tag("once")
final class JvmTablesTest {
    private static final String FIRST = "100 100 100 100 100 100 100";
    private static final String SECOND = "90 130 130 130 130 130 900";

    @Test
    void theSpreadIsThatOfTheMediansOfJvms() {
        CurveFigures figures = new CurveFigures(new RunNote());
        for (String nanos : new String[] {FIRST, SECOND}) {
            figures.add("points", "heapspan", "10\t1\t80\t" + nanos + "\t" + FIRST);
            figures.add("points", "fory", "10\t1\t80\t" + FIRST + "\t" + FIRST);
        }
        JvmReport.OfJvms all = new JvmReport.OfJvms();
        all.jvms.put("JDK 25, G1", figures);
        // Half of the windows took 100, one 90, six 130 or more: the median of all is 100.
        assertThat(JvmTables.of(all))
                .contains("### JDK 25, G1\n")
                .contains("| 10 | 10.0 | ±15 % | 1.00x | 10.0 | ±0 % | 1.00x |\n");
    }

    @Test
    void aPeerThatTakesLessIsBold() {
        CurveFigures figures = new CurveFigures(new RunNote());
        figures.add("points", "heapspan", "1\t1\t80\t" + FIRST + "\t" + FIRST);
        figures.add("points", "fory", "1\t1\t80\t" + FIRST.replace("100", "50") + "\t" + FIRST.replace("100", "200"));
        JvmReport.OfJvms all = new JvmReport.OfJvms();
        all.jvms.put("JDK 17, Parallel", figures);
        assertThat(JvmTables.of(all)).contains("| 1 | 100.0 | ±0 % | **0.50x** | 100.0 | ±0 % | 2.00x |\n");
    }
}
