package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.heapspan.testing.JavaProcess.Jdk;
import org.heapspan.testing.JavaProcess.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The layout of heaps under the flags that change it, seen alike by both means that look into the heap. */
@Tag("once")
class HeapLayoutTest {
    /** What the flags make of a heap; array bases are those of bytes, longs and references, which cover all rules. */
    private record Expected(int reference, int alignment, int header, int bytes, int longs, int references) {}

    private static final Expected USUAL = new Expected(4, 8, 12, 16, 16, 16);

    static Stream<Arguments> flags() {
        return Stream.of(
                Arguments.of(Jdk.JDK_17, "", USUAL),
                Arguments.of(Jdk.JDK_25, "", USUAL),
                Arguments.of(Jdk.JDK_17, "-Xmx40g -XX:-AlwaysPreTouch", new Expected(8, 8, 12, 16, 16, 16)),
                Arguments.of(Jdk.JDK_17, "-XX:-UseCompressedOops", new Expected(8, 8, 12, 16, 16, 16)),
                Arguments.of(Jdk.JDK_25, "-XX:-UseCompressedOops", new Expected(8, 8, 12, 16, 16, 16)),
                Arguments.of(Jdk.JDK_17, "-XX:ObjectAlignmentInBytes=16", new Expected(4, 16, 12, 16, 16, 16)),
                Arguments.of(Jdk.JDK_25, "-XX:ObjectAlignmentInBytes=16", new Expected(4, 16, 12, 16, 16, 16)),
                Arguments.of(Jdk.JDK_17, "-XX:-UseCompressedClassPointers", new Expected(4, 8, 16, 24, 24, 24)),
                // JDK-8139457 (JDK 23) lets short elements begin right behind the length.
                Arguments.of(Jdk.JDK_25, "-XX:-UseCompressedClassPointers", new Expected(4, 8, 16, 20, 24, 20)),
                Arguments.of(Jdk.JDK_25, "-XX:+UseCompactObjectHeaders", new Expected(4, 8, 8, 12, 16, 12)),
                Arguments.of(
                        Jdk.JDK_25,
                        "-XX:+UseCompactObjectHeaders -XX:-UseCompressedOops",
                        new Expected(8, 8, 8, 12, 16, 16)),
                Arguments.of(Jdk.JDK_17, "-Xmx64m", USUAL),
                Arguments.of(Jdk.JDK_25, "-Xmx64m", USUAL));
    }

    @ParameterizedTest
    @MethodSource("flags")
    void seesTheLayoutTheFlagsMake(Jdk jdk, String flags, Expected expected) throws Exception {
        Result byLibrary = report(jdk, flags, "-Dheapspan.access=native");
        assertThat(byLibrary.value("means")).isEqualTo("NATIVE_LIBRARY");
        assertThat(byLibrary.value("facts")).startsWith("HotSpotFacts[");
        assertThat(byLibrary.value("roundTrip")).isEqualTo("ok");
        assertThat(byLibrary.value("layout"))
                .contains("referenceSizeBytes=" + expected.reference() + ",")
                .contains("objectAlignmentBytes=" + expected.alignment() + ",")
                .contains("objectHeaderSizeBytes=" + expected.header() + ",")
                .contains(" byteArrayBaseOffset=" + expected.bytes() + ",")
                .contains(" longArrayBaseOffset=" + expected.longs() + ",")
                .contains(" referenceArrayBaseOffset=" + expected.references() + ",")
                .contains("compactHeaders=" + (expected.header() == 8) + ",");

        Result byUnsafe = report(jdk, flags, "-Dheapspan.access=unsafe");
        assertThat(byUnsafe.value("means")).isEqualTo("SUN_UNSAFE");
        assertThat(byUnsafe.value("roundTrip")).isEqualTo("ok");
        assertThat(byUnsafe.value("layout")).isEqualTo(byLibrary.value("layout"));
        assertThat(byUnsafe.value("fingerprint")).isEqualTo(byLibrary.value("fingerprint"));
    }

    static Stream<Arguments> collectors() {
        return Stream.of(Jdk.values())
                .flatMap(jdk -> Stream.of(
                        Arguments.of(jdk, "-XX:+UseG1GC", Collector.G1),
                        Arguments.of(jdk, "-XX:+UseParallelGC", Collector.PARALLEL),
                        Arguments.of(jdk, "-XX:+UseSerialGC", Collector.SERIAL),
                        Arguments.of(jdk, "-XX:+UnlockExperimentalVMOptions -XX:+UseEpsilonGC", Collector.EPSILON),
                        Arguments.of(jdk, "-XX:+UseZGC", Collector.Z),
                        Arguments.of(jdk, "-XX:+UseShenandoahGC", Collector.SHENANDOAH)));
    }

    @ParameterizedTest
    @MethodSource("collectors")
    void knowsTheCollector(Jdk jdk, String flags, Collector expected) throws Exception {
        Result byLibrary = report(jdk, flags, "-Xmx128m");
        assertThat(byLibrary.value("means")).isEqualTo("NATIVE_LIBRARY");
        assertThat(byLibrary.value("facts")).contains("collector=" + expected + ",");
        assertThat(byLibrary.value("collector")).isEqualTo(expected.name());
        assertThat(byLibrary.value("roundTrip")).isEqualTo("ok");
        assertThat(byLibrary.value("counter")).isEqualTo(String.valueOf(expected.movesOnlyInPauses()));

        Result byManagement = report(jdk, flags, "-Xmx128m -Dheapspan.access=reflection");
        assertThat(byManagement.value("collector")).isEqualTo(expected.name());
        assertThat(byManagement.value("movesOnlyInPauses")).isEqualTo(String.valueOf(expected.movesOnlyInPauses()));
        assertThat(byManagement.value("counter")).isEqualTo("false");
    }

    @Test
    void hasAFingerprintThatNeverChanges() {
        assertThat(usual(8, false).fingerprint()).isEqualTo(0x6280d8550e8fe32dL);
        assertThat(usual(16, false).fingerprint()).isNotEqualTo(usual(8, false).fingerprint());
        assertThat(usual(8, true).fingerprint()).isNotEqualTo(usual(8, false).fingerprint());
        assertThat(usual(256, false).fingerprint()).isNotZero();
        assertThat(HeapLayout.UNKNOWN.fingerprint()).isZero();
        assertThatThrownBy(() -> usual(512, false).fingerprint())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("512");
    }

    private static HeapLayout usual(int alignment, boolean compact) {
        return new HeapLayout(4, alignment, 12, 16, 16, 16, 16, 16, 16, 16, 16, 16, compact, ByteOrder.LITTLE_ENDIAN);
    }

    private static Result report(Jdk jdk, String flags, String more) throws Exception {
        return JavaProcess.of(jdk, VirtualMachineReport.class)
                .options(List.of((flags + " " + more).trim().split(" +")))
                .run()
                .succeeded();
    }
}
