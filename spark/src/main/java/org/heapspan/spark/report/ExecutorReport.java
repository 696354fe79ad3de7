package org.heapspan.spark.report;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.spark.settings.Version;
import org.heapspan.vm.Finding;
import org.heapspan.vm.VirtualMachine;

/**
 * What an executor says of itself when it has started. Sent to the driver by Spark's plug-in messages, that is by Java serialization,
 * as an array of texts: reading records takes the JVM dozens of method handles, which it makes when an application starts.
 *
 * @param executorId number of the executor, {@code driver} in local mode
 * @param host where it runs
 * @param version of Heapspan
 * @param serializer class name of Spark's serializer there
 * @param facts what the JVM, the engines and the parts that each JVM has by itself are
 */
public record ExecutorReport(String executorId, String host, String version, String serializer, List<Fact> facts)
        implements Serializable {

    /** The state of what a JVM has not told. */
    public static final String UNKNOWN = "unknown";

    private static final int OWN_TEXTS = 4;
    private static final int TEXTS_OF_FACT = 3;

    /**
     * One fact about a JVM; see {@link Finding}.
     *
     * @param subject what was looked at
     * @param state how it is
     * @param why the reason
     */
    public record Fact(String subject, String state, String why) {}

    private Object writeReplace() {
        List<String> texts = new ArrayList<>(List.of(executorId, host, version, serializer));
        for (Fact fact : facts) {
            texts.addAll(List.of(fact.subject, fact.state, fact.why));
        }
        return new Sent(texts.toArray(new String[0]));
    }

    private static final class Sent implements Serializable {
        private static final long serialVersionUID = 1L;

        /** Of this class, and behind that of each fact. */
        private final String[] texts;

        Sent(String[] texts) {
            this.texts = texts;
        }

        private Object readResolve() {
            List<Fact> facts = new ArrayList<>();
            for (int i = OWN_TEXTS; i + 2 < texts.length; i += TEXTS_OF_FACT) {
                facts.add(new Fact(texts[i], texts[i + 1], texts[i + 2]));
            }
            return new ExecutorReport(texts[0], texts[1], texts[2], texts[3], List.copyOf(facts));
        }
    }

    /**
     * Finds out what this JVM is. It does not open the direct engine, which takes longer than everything else and which only raw images need.
     *
     * @param parts which are on or off in this JVM, whatever they are in others
     */
    public static ExecutorReport of(String executorId, String host, Object serializer, Part... parts) {
        List<Fact> facts = new ArrayList<>();
        for (Finding finding : VirtualMachine.current().findingsSoFar()) {
            facts.add(new Fact(finding.subject(), finding.state(), finding.why()));
        }
        for (Part part : parts) {
            facts.add(part.fact());
        }
        return new ExecutorReport(
                executorId, host, Version.text(), serializer.getClass().getName(), List.copyOf(facts));
    }

    /** Whether native code makes objects there. */
    public boolean isDirectEngineOn() {
        return fact("direct engine").state().equals("on");
    }

    /** The fact about a subject. */
    public Fact fact(String subject) {
        for (Fact fact : facts) {
            if (fact.subject().equals(subject)) {
                return fact;
            }
        }
        return new Fact(subject, UNKNOWN, "");
    }

    /** The state of a subject, with its reason. */
    public String state(String subject) {
        Fact fact = fact(subject);
        return fact.why().isEmpty() ? fact.state() : fact.state() + " (" + fact.why() + ")";
    }
}
