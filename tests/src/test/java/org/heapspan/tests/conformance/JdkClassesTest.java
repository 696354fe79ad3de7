package org.heapspan.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.junit.jupiter.api.Test;

/** An object of each public class of the JDK's base module arrives as it was, in both modes and encodings, or is refused by its name. */
final class JdkClassesTest {

    /** As in Java serialization: a transient field that is no cache, a hook that refuses, a view that is a collection of its own. */
    private static final Set<String> AS_JAVA_DOES = Set.of(
            "java.lang.annotation.AnnotationTypeMismatchException",
            "java.util.EventObject",
            "java.util.InvalidPropertiesFormatException",
            "java.util.TreeSet.headSet(.)");

    private static Map<String, UnaryOperator<Object>> routes() {
        Map<String, UnaryOperator<Object>> routes = new LinkedHashMap<>();
        for (Mode mode : Mode.values()) {
            Heapspan heapspan = Heapspan.builder().mode(mode).allow("*").build();
            routes.put(mode + " compact", object -> heapspan.decode(heapspan.encode(object), Object.class));
            routes.put(
                    mode + " raw",
                    object -> heapspan.decodeTrusted(heapspan.encode(object, Encoding.RAW), Object.class));
        }
        return routes;
    }

    @Test
    void everyObjectArrivesAsItWasOrIsRefusedByName() {
        Map<String, List<String>> faults = new TreeMap<>();
        int arrived = 0;
        for (ConformanceCase each : ClassCases.made()) {
            if (each.name().startsWith("scala.")) {
                continue;
            }
            for (Map.Entry<String, UnaryOperator<Object>> route : routes().entrySet()) {
                String fault = fault(each, route.getValue());
                if (fault == null) {
                    arrived++;
                } else if (!fault.isEmpty()) {
                    faults.computeIfAbsent(each.name(), name -> new ArrayList<>())
                            .add(route.getKey() + ": " + fault);
                }
            }
        }
        faults.keySet().removeAll(AS_JAVA_DOES);
        assertThat(faults).isEmpty();
        assertThat(arrived).as("objects that arrived").isGreaterThan(2000);
    }

    /** What is wrong; empty if the object was refused by the name of its class and with its path, null if it arrived. */
    private static String fault(ConformanceCase each, UnaryOperator<Object> route) {
        try {
            Object sample = each.build().build();
            try {
                each.verify().verify(route.apply(sample));
                return null;
            } catch (HeapspanException e) {
                boolean named = e.category() == Category.CLASS_REFUSED
                        && String.valueOf(e.getMessage()).startsWith("root");
                return named ? "" : e.toString();
            }
        } catch (Exception | AssertionError e) {
            return e.toString();
        }
    }
}
