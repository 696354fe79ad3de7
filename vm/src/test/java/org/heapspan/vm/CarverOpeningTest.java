package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;

import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.JavaProcess.Jdk;
import org.heapspan.testing.JavaProcess.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever goes wrong while the direct engine is opened, only it is off. */
final class CarverOpeningTest {
    /** Asks for the carver where the gate fails. */
    static final class GateThatFails {
        public static void main(String[] arguments) throws Exception {
            DirectEngineGate.close(() -> {
                throw new IllegalStateException("nobody to ask");
            });
            System.out.println("carver=" + (VirtualMachine.current().carver() != null));
            VirtualMachineReport.main(arguments);
        }
    }

    /** Asks for the carver where the stack ends. */
    static final class EndOfTheStack {
        private static void descend(int frames) {
            if (frames == 0) {
                return;
            }
            try {
                descend(frames - 1);
            } catch (StackOverflowError e) {
                // Again and again on the way up, until there is stack enough.
                if (VirtualMachine.current().carver() == null) {
                    throw e;
                }
            }
        }

        public static void main(String[] arguments) throws Exception {
            VirtualMachine.current();
            Thread thread = new Thread(null, () -> descend(1 << 30), "small", 256 << 10);
            thread.setUncaughtExceptionHandler(
                    (ignored, e) -> System.out.println("thrown=" + e.getClass().getName()));
            thread.start();
            thread.join();
            // A carver or none, but no error; more cannot be asked of a JVM some of whose own classes may be broken
            // now.
            boolean carves = VirtualMachine.current().carver() != null;
            System.out.println("carver=" + carves);
        }
    }

    /** Prints the state of the direct engine before and after something needs it. */
    static final class FindingsSoFar {
        private static String state() {
            return VirtualMachine.current().findingsSoFar().stream()
                    .filter(finding -> finding.subject().equals("direct engine"))
                    .map(Finding::state)
                    .findFirst()
                    .orElse("missing");
        }

        public static void main(String[] arguments) {
            System.out.println("before=" + state());
            System.out.println("carver=" + (VirtualMachine.current().carver() != null));
            System.out.println("after=" + state());
        }
    }

    @ParameterizedTest
    @EnumSource
    void findingsSoFarOpenNothing(Jdk jdk) throws Exception {
        Result result = JavaProcess.of(jdk, FindingsSoFar.class).run().succeeded();
        assertThat(result.value("before")).isEqualTo(Finding.UNUSED);
        assertThat(result.value("carver")).isEqualTo("true");
        assertThat(result.value("after")).isEqualTo("on");
    }

    @Test
    void findingsSoFarSayThatTheDirectEngineIsSwitchedOff() throws Exception {
        Result result = JavaProcess.of(FindingsSoFar.class)
                .options("-Dheapspan.direct=false")
                .run()
                .succeeded();
        assertThat(result.value("before")).isEqualTo("off");
        assertThat(result.value("after")).isEqualTo("off");
    }

    @ParameterizedTest
    @EnumSource
    void aGateThatFailsLeavesItOff(Jdk jdk) throws Exception {
        Result result = JavaProcess.of(jdk, GateThatFails.class).run().succeeded();
        assertThat(result.value("carver")).isEqualTo("false");
        assertThat(result.values("finding"))
                .anyMatch(finding ->
                        finding.startsWith("direct engine|off|java.lang.IllegalStateException: nobody to ask|"));
        assertThat(result.value("roundTrip")).isEqualTo("ok");
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfAStackBreaksNothing(Jdk jdk) throws Exception {
        Result result = JavaProcess.of(jdk, EndOfTheStack.class)
                .options(JavaProcess.BOTH_COMPILERS)
                .run()
                .succeeded();
        assertThat(result.value("carver")).isIn("true", "false");
    }
}
