package org.heapspan.spark.direct;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class CircuitBreakerTest {
    private static final String CRASHED = "Command exited with code 134";

    private final CircuitBreaker breaker = new CircuitBreaker();

    @Test
    void executorsThatStartAfterACrashGetNoDirectEngineWhateverTheirHost() {
        breaker.started("0", "red");
        breaker.started("1", "blue");
        assertThat(breaker.veto("0", "red")).isNull();
        assertThat(breaker.veto("1", "blue")).isNull();
        breaker.ended("0", CRASHED);
        for (String host : new String[] {"red", "blue", "green"}) {
            assertThat(breaker.veto("of " + host, host))
                    .as(host)
                    .contains("executor 0 on red died by SIGABRT while its direct engine was on")
                    .contains("spark.heapspan.circuitBreaker");
        }
        assertThat(breaker.trip()).satisfies(trip -> {
            assertThat(trip.host()).isEqualTo("red");
            assertThat(trip.executorId()).isEqualTo("0");
            assertThat(trip.signal()).isEqualTo("SIGABRT");
        });
    }

    @Test
    void theVetoStaysHoweverOthersEnd() {
        breaker.started("0", "red");
        breaker.ended("0", CRASHED);
        breaker.started("1", "blue");
        breaker.reported("1", false);
        breaker.ended("1", "Executor killed by driver.");
        assertThat(breaker.veto("2", "green")).isNotNull();
    }

    @Test
    void theHostIsTheOneTheSchedulerKnows() {
        breaker.started("0", "red.example");
        assertThat(breaker.veto("0", "red")).isNull();
        breaker.ended("0", CRASHED);
        assertThat(breaker.veto("1", "blue")).contains("executor 0 on red.example died");
    }

    @Test
    void anExecutorMayCrashBeforeTheListenerHasHeardOfIt() {
        assertThat(breaker.veto("0", "red")).isNull();
        breaker.ended("0", CRASHED);
        assertThat(breaker.veto("1", "blue")).contains("executor 0 on red died");
    }

    @Test
    void deathsWithTheDirectEngineOffDoNotCount() {
        breaker.started("0", "red");
        breaker.reported("0", false);
        breaker.ended("0", CRASHED);
        assertThat(breaker.trip()).isNull();
        assertThat(breaker.veto("1", "red")).isNull();
        breaker.reported("1", true);
        breaker.ended("1", CRASHED);
        assertThat(breaker.trip()).isNotNull();
    }

    @Test
    void executorsThatBeginToUseTheDirectEngineLaterCount() {
        breaker.started("0", "red");
        breaker.reported("0", false);
        assertThat(breaker.veto("0", "red")).isNull();
        breaker.ended("0", CRASHED);
        assertThat(breaker.veto("1", "blue")).contains("executor 0 on red died");
    }

    @Test
    void otherEndsDoNotCount() {
        breaker.started("0", "red");
        breaker.ended("0", "Command exited with code 137");
        assertThat(breaker.trip()).isNull();
        assertThat(breaker.veto("1", "red")).isNull();
    }

    @Test
    void theFirstCrashIsTheOneThatIsTold() {
        breaker.started("0", "red");
        breaker.started("1", "blue");
        breaker.ended("0", CRASHED);
        breaker.ended("1", "Command exited with code 139");
        assertThat(breaker.veto("2", "blue")).contains("executor 0 on red died by SIGABRT");
    }

    @ParameterizedTest
    @CsvSource({
        "Command exited with code 134, SIGABRT",
        "Command exited with code 139, SIGSEGV",
        "Command exited with code 135, SIGBUS",
        "Container marked as failed: container_1 on host: h. Exit status: 134. Diagnostics: none, SIGABRT",
        "Container exited with a non-zero exit code 132, SIGILL",
        "The executor with id 3 exited with exit code 139(SIGSEGV: segmentation fault)., SIGSEGV",
        "Exit status: 1. A fatal error has been detected: SIGSEGV (0xb), SIGSEGV",
    })
    void crashesAreRecognised(String reason, String signal) {
        assertThat(CrashSignal.of(reason)).isEqualTo(signal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Command exited with code 137",
                "Command exited with code 143",
                "Command exited with code 1",
                "Command exited with code 52",
                "Executor heartbeat timed out after 134000 ms",
                "Executor 134 was decommissioned",
                "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues.",
                "Executor killed by driver.",
                "Worker shutting down",
            })
    void otherEndsAreNone(String reason) {
        assertThat(CrashSignal.of(reason)).isNull();
    }
}
