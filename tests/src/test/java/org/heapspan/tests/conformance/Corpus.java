package org.heapspan.tests.conformance;

import java.util.List;

/** Every case, in the order of the fidelity page. */
final class Corpus {

    private static final List<ConformanceCase> CASES = collect();

    private Corpus() {}

    static List<ConformanceCase> cases() {
        return CASES;
    }

    static ConformanceCase named(String name) {
        for (ConformanceCase each : CASES) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        ConformanceCase ofClass = ClassCases.all().get(name);
        if (ofClass != null) {
            return ofClass;
        }
        throw new IllegalArgumentException("no case is called " + name);
    }

    private static List<ConformanceCase> collect() {
        CaseList cases = new CaseList();
        ValueCases.addTo(cases);
        CollectionCases.addTo(cases);
        HashContainerCases.addTo(cases);
        SubstituteCases.addTo(cases);
        ClassShapeCases.addTo(cases);
        TransientCases.addTo(cases);
        HookCases.addTo(cases);
        CycleCases.addTo(cases);
        ScalaCases.addTo(cases);
        RefusalCases.addTo(cases);
        EvolutionCases.addTo(cases);
        LargeCases.addTo(cases);
        return List.copyOf(cases.cases());
    }
}
