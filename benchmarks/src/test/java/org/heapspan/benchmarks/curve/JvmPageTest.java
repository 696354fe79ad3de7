package org.heapspan.benchmarks.curve;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.heapspan.benchmarks.Publication.Rendered;
import org.heapspan.benchmarks.RunNote;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page of several JVMs says. */
@Tag("once")
final class JvmPageTest {
    private static final String FIRST = "100 100 100 100 100 100 100";
    private static final String SECOND = "90 130 130 130 130 130 900";

    @TempDir
    Path folder;

    @Test
    void theSpreadIsThatOfTheMediansOfJvms() throws IOException {
        CurveFigures figures = new CurveFigures(new RunNote());
        for (String nanos : new String[] {FIRST, SECOND}) {
            figures.add("points", "heapspan", "10\t1\t80\t" + nanos + "\t" + FIRST);
            figures.add("points", "fory", "10\t1\t80\t" + FIRST + "\t" + FIRST);
        }
        JvmReport.OfJvms all = new JvmReport.OfJvms();
        all.jvms.put("JDK 25, G1", figures);
        // Half of the windows took 100, one 90, six 130 or more: the median of all is 100.
        assertThat(JvmPage.write(all, folder).tables())
                .contains("### JDK 25, G1\n")
                .contains("| 10 | 10.0 | ±15 % | 1.00x | 10.0 | ±0 % | 1.00x |\n");
    }

    @Test
    void aPeerThatTakesLessIsBold() throws IOException {
        CurveFigures figures = new CurveFigures(new RunNote());
        figures.add("points", "heapspan", "1\t1\t80\t" + FIRST + "\t" + FIRST);
        figures.add("points", "fory", "1\t1\t80\t" + FIRST.replace("100", "50") + "\t" + FIRST.replace("100", "200"));
        JvmReport.OfJvms all = new JvmReport.OfJvms();
        all.jvms.put("JDK 17, Parallel", figures);
        assertThat(JvmPage.write(all, folder).tables())
                .contains("| 1 | 100.0 | ±0 % | **0.50x** | 100.0 | ±0 % | 2.00x |\n");
    }

    @Test
    void thePlotHasAPanelForEachJvm() throws IOException {
        JvmReport.OfJvms all = new JvmReport.OfJvms();
        for (String jvm : new String[] {"JDK 25, G1", "JDK 17, Parallel"}) {
            CurveFigures figures = new CurveFigures(new RunNote());
            figures.add("points", "heapspan", "1\t1\t80\t" + FIRST + "\t" + FIRST);
            figures.add("points", "heapspan", "10\t1\t80\t" + FIRST + "\t" + FIRST);
            all.jvms.put(jvm, figures);
        }
        Rendered page = JvmPage.write(all, folder);
        assertThat(page.plots()).containsExactly(folder.resolve("curves-jvms.svg"));
        assertThat(Files.readString(page.plots().get(0)))
                .contains("Point[], JDK 25, G1", "Point[], JDK 17, Parallel", "<polyline");
    }
}
