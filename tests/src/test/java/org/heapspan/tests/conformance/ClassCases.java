package org.heapspan.tests.conformance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.tests.conformance.ClassSamples.Maker;

/** A case for each class of which there is a sample: what arrives must be like a sample that the receiver makes itself. */
final class ClassCases {

    private static Map<String, ConformanceCase> byName;

    private ClassCases() {}

    /** Those of which this JVM can make an object. */
    static List<ConformanceCase> made() {
        List<ConformanceCase> made = new ArrayList<>();
        for (ConformanceCase each : all().values()) {
            try {
                if (each.build().build() != null) {
                    made.add(each);
                }
            } catch (Exception olderJdk) {
                // There is no such object here.
            }
        }
        return made;
    }

    /** All cases, by the names of the samples. */
    static synchronized Map<String, ConformanceCase> all() {
        if (byName == null) {
            byName = new LinkedHashMap<>();
            CaseList cases = new CaseList();
            Map<String, Maker> makers = new TreeMap<>(ClassSamples.all());
            makers.putAll(ScalaSamples.all());
            makers.forEach((name, maker) -> cases.arrivesOrRefused(
                            name, maker::make, received -> Likeness.check(maker.make(), received))
                    .allAllowed());
            for (ConformanceCase each : cases.cases()) {
                byName.put(each.name(), each);
            }
        }
        return byName;
    }
}
