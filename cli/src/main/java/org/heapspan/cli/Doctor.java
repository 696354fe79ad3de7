package org.heapspan.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.image.engine.ImageEngine;
import org.heapspan.vm.AccessMeans;
import org.heapspan.vm.Finding;
import org.heapspan.vm.VirtualMachine;

/** Says what Heapspan finds in this JVM and, for all that is not at its best, why and what to do. */
final class Doctor implements Command {
    private static final Finding SWITCHES = new Finding(
            "switches",
            "-Dheapspan.direct=false",
            "switches the direct engine off, as does HEAPSPAN_DIRECT=false in the environment; docs/configuration.md"
                    + " has all keys",
            "");

    private final boolean json;

    Doctor(Options options) throws Failure {
        json = options.flag("--json");
        options.finish();
    }

    @Override
    public void run(PrintWriter out) throws Failure {
        List<Finding> findings;
        try {
            VirtualMachine machine = VirtualMachine.current();
            WindowTrial.run();
            findings = new ArrayList<>(machine.findings());
            findings.add(engine(machine, findings));
            findings.addAll(ImageEngine.findings());
            findings.add(SWITCHES);
        } catch (IllegalArgumentException e) {
            throw Failure.of(String.valueOf(e.getMessage()));
        }
        if (json) {
            Json.write(out, Map.of("version", Version.text(), "findings", asMaps(findings)), 0);
            out.println();
        } else {
            print(out, findings);
        }
    }

    /** How images become objects. */
    private static Finding engine(VirtualMachine machine, List<Finding> findings) {
        if (machine.means() == AccessMeans.REFLECTION) {
            return new Finding(
                    "engine",
                    "portable, by reflection",
                    "there is no raw memory: fields are read and written one by one, and some classes are refused",
                    "see \"means of access\" above");
        }
        boolean direct = findings.stream()
                .anyMatch(f -> f.subject().equals("direct engine") && f.state().equals("on"));
        return direct
                ? new Finding("engine", "direct and portable", "native code for raw images, generated Java for all", "")
                : new Finding("engine", "portable", "generated Java", "");
    }

    private static List<Map<String, Object>> asMaps(List<Finding> findings) {
        List<Map<String, Object>> maps = new ArrayList<>();
        for (Finding finding : findings) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("subject", finding.subject());
            map.put("state", finding.state());
            map.put("why", finding.why());
            map.put("whatToDo", finding.whatToDo());
            map.put("atItsBest", finding.atItsBest());
            maps.add(map);
        }
        return maps;
    }

    private static void print(PrintWriter out, List<Finding> findings) {
        out.println("Heapspan " + Version.text() + " on this JVM");
        out.println();
        int width = findings.stream().mapToInt(f -> f.subject().length()).max().orElse(0);
        int remedies = 0;
        for (Finding finding : findings) {
            out.println((finding.atItsBest() ? "  ok  " : "  !!  ")
                    + Text.left(finding.subject(), width)
                    + "  "
                    + finding.state()
                    + (finding.why().isEmpty() ? "" : " (" + finding.why() + ")"));
            if (!finding.atItsBest()) {
                remedies++;
                out.println("      " + " ".repeat(width) + "  -> " + finding.whatToDo());
            }
        }
        out.println();
        out.println(
                remedies == 0
                        ? "All points are at their best."
                        : remedies + (remedies == 1 ? " point is" : " points are")
                                + " not at their best; Heapspan works without them.");
    }
}
