package org.heapspan.tests.conformance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.tests.conformance.PairRun.Outcome;
import org.heapspan.tests.conformance.PairRun.Verdict;

/** What each serializer does with an object of each class, as tables of {@code docs/fidelity.md}. */
final class ClassComparison {

    /** Serializers by their names here, with those on the page. */
    static final Map<String, String> COLUMNS = columns();

    private static Map<String, String> columns() {
        Map<String, String> columns = new LinkedHashMap<>();
        columns.put("java", "Java");
        columns.put("spark-kryo", "Kryo in Spark");
        columns.put("kryo", "Kryo 5");
        columns.put("fory", "Fory");
        columns.put("heapspan", "Heapspan");
        return columns;
    }

    /** What came of an object. */
    enum Result {
        /** It arrived and behaves as one that was made there. */
        YES("yes"),
        /** An exception said that it cannot be. */
        NO("no"),
        /** Something arrived that behaves otherwise. */
        WRONG("wrong");

        private final String shown;

        Result(String shown) {
            this.shown = shown;
        }
    }

    /** By object, in the order of {@link #COLUMNS}. */
    private final Map<String, List<Result>> results = new TreeMap<>();

    private final int withoutSample;

    ClassComparison(Map<String, Map<String, Verdict>> verdictsByCodec, int withoutSample) {
        this.withoutSample = withoutSample;
        for (String codec : COLUMNS.keySet()) {
            verdictsByCodec
                    .get(codec)
                    .forEach((name, verdict) -> results.computeIfAbsent(name, key -> new ArrayList<>())
                            .add(result(verdict)));
        }
    }

    private static Result result(Verdict verdict) {
        if (verdict.arrived()) {
            return Result.YES;
        }
        boolean arrivedWrong =
                verdict.outcome() == Outcome.FAILED && verdict.detail().startsWith("WRONG");
        return arrivedWrong ? Result.WRONG : Result.NO;
    }

    Result of(String codec, String name) {
        return results.get(name).get(List.copyOf(COLUMNS.keySet()).indexOf(codec));
    }

    Iterable<String> names() {
        return results.keySet();
    }

    /** Whether an object that does not arrive by Heapspan has a row of its own, because the serializers differ. */
    boolean needsReason(String name) {
        return of("heapspan", name) != Result.YES && differs(name);
    }

    private boolean differs(String name) {
        return results.get(name).stream().distinct().count() > 1;
    }

    private static String packageOf(String name) {
        // Packages begin with small letters, classes do not.
        int end = 0;
        while (Character.isLowerCase(name.charAt(end))) {
            end = name.indexOf('.', end) + 1;
        }
        return name.substring(0, end - 1);
    }

    private static String withinPackage(String name) {
        return name.substring(packageOf(name).length() + 1).replace('$', '.');
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        text.append("Tried: ")
                .append(results.size())
                .append(" objects. ")
                .append(withoutSample)
                .append(
                        " more classes have no public constructor or factory that plain arguments satisfy, or no instances.\n\n");
        text.append("| Package | Objects |");
        COLUMNS.values().forEach(column -> text.append(' ').append(column).append(" |"));
        text.append("\n|---|---|").append("---|".repeat(COLUMNS.size())).append('\n');
        byPackage().forEach((packageName, names) -> {
            text.append("| `")
                    .append(packageName)
                    .append("` | ")
                    .append(names.size())
                    .append(" |");
            for (String codec : COLUMNS.keySet()) {
                text.append(' ')
                        .append(names.stream()
                                .filter(name -> of(codec, name) == Result.YES)
                                .count())
                        .append(" |");
            }
            text.append('\n');
        });
        text.append("| all | ").append(results.size()).append(" |");
        for (String codec : COLUMNS.keySet()) {
            text.append(' ')
                    .append(results.keySet().stream()
                            .filter(name -> of(codec, name) == Result.YES)
                            .count())
                    .append(" |");
        }
        text.append("\n\nWhere they differ (\"wrong\": an object arrives that behaves otherwise):\n\n| Objects |");
        COLUMNS.values().forEach(column -> text.append(' ').append(column).append(" |"));
        text.append(" Why not with Heapspan |\n|---|")
                .append("---|".repeat(COLUMNS.size() + 1))
                .append('\n');
        byPackage().forEach((packageName, names) -> {
            Map<String, List<String>> rows = new TreeMap<>();
            for (String name : names) {
                List<Result> row = results.get(name);
                if (differs(name)) {
                    StringBuilder cells = new StringBuilder();
                    row.forEach(result -> cells.append(' ').append(result.shown).append(" |"));
                    String why = needsReason(name) ? ReasonsToRefuse.of(name) : "-";
                    cells.append(' ').append(why == null ? "?" : why).append(" |");
                    rows.computeIfAbsent(cells.toString(), key -> new ArrayList<>())
                            .add(withinPackage(name));
                }
            }
            rows.forEach((cells, objects) -> text.append("| `")
                    .append(packageName)
                    .append("`: ")
                    .append(String.join(", ", objects))
                    .append(" |")
                    .append(cells)
                    .append('\n'));
        });
        return text.toString();
    }

    private Map<String, List<String>> byPackage() {
        Map<String, List<String>> byPackage = new TreeMap<>();
        for (String name : results.keySet()) {
            byPackage.computeIfAbsent(packageOf(name), key -> new ArrayList<>()).add(name);
        }
        return byPackage;
    }
}
