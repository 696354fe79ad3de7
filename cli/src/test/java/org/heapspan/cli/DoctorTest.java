package org.heapspan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor finds in JVMs that are not at their best, each one of its own: why, and what to do. */
final class DoctorTest {
    @TempDir
    Path folder;

    private record Result(int exitCode, String output, String errors) {
        /** The line of a subject that is not at its best, and the line with the remedy. */
        String complaint(String subject) {
            List<String> lines = output.lines().toList();
            for (int i = 0; i + 1 < lines.size(); i++) {
                if (lines.get(i).startsWith("  !!  " + subject)) {
                    return lines.get(i) + "\n" + lines.get(i + 1).strip();
                }
            }
            throw new AssertionError("nothing is wrong with " + subject + " in " + this);
        }
    }

    private Result doctor(String... options) throws IOException, InterruptedException {
        return doctor(Map.of(), options);
    }

    private Result doctor(Map<String, String> environment, String... options) throws IOException, InterruptedException {
        JavaProcess.Result result = JavaProcess.of(Main.class)
                .options(options)
                .environment(environment)
                .arguments("doctor")
                .run();
        return new Result(result.exitCode(), result.output(), result.errors());
    }

    @Test
    void aCollectorThatMovesObjectsAnyTime() throws Exception {
        Result result = doctor("-XX:+UseZGC");

        assertThat(result.exitCode()).as("%s", result).isZero();
        assertThat(result.complaint("collector")).contains("objects can move at any time", "-> ", "-XX:+UseG1GC");
        assertThat(result.complaint("direct engine"))
                .contains("off (", "moves objects while the program runs", "-> use -XX:+UseG1GC");
        assertThat(result.output()).contains("not at their best").doesNotContain("All points are at their best");
    }

    @Test
    void checkedJni() throws Exception {
        Result result = doctor("-Xcheck:jni");

        if (Runtime.version().feature() < 22) {
            assertThat(result.complaint("direct engine")).contains("copies", "-> remove -Xcheck:jni");
        } else {
            assertThat(result.output()).containsPattern("ok  direct engine +on");
        }
    }

    @Test
    void theKillSwitch() throws Exception {
        Result result = doctor("-Dheapspan.direct=false");

        assertThat(result.complaint("direct engine"))
                .contains("off (switched off by -Dheapspan.direct=false)", "-> remove it");
        assertThat(result.output()).containsPattern("ok  engine +portable");
    }

    @Test
    void theKillSwitchInTheEnvironment() throws Exception {
        Map<String, String> environment = Map.of("HEAPSPAN_DIRECT", "false");

        assertThat(doctor(environment).complaint("direct engine"))
                .contains("off (switched off by environment HEAPSPAN_DIRECT=false)", "-> remove it");
        assertThat(doctor(environment, "-Dheapspan.direct=true").output())
                .as("the property wins")
                .containsPattern("ok  direct engine +on");
    }

    @Test
    void howLongWindowsAre() throws Exception {
        // 600 images, of which a collection may come between some.
        assertThat(doctor("-XX:+UseSerialGC").output())
                .containsPattern("ok  windows +[56][0-9][0-9] \\(longest [0-9]+ [num]s, [0-9]+ from ");
        assertThat(doctor("-Dheapspan.direct=false").output()).doesNotContain("windows");
    }

    @Test
    void valuesThatAreNone() throws Exception {
        assertThat(doctor("-Dheapspan.direct=maybe").complaint("direct engine"))
                .contains("-Dheapspan.direct=maybe is not true, false or force", "-> correct or remove it");
        assertThat(doctor("-Dheapspan.cpu=mmx").complaint("direct engine"))
                .contains("-Dheapspan.cpu=mmx is not scalar, avx2 or avx512", "-> correct or remove it");
        Result access = doctor("-Dheapspan.access=magic");
        assertThat(access.exitCode()).isEqualTo(1);
        assertThat(access.errors())
                .contains("'magic'", "expected native, unsafe or reflection")
                .hasLineCount(1);
    }

    @Test
    void aJvmThatIsNotTested() throws Exception {
        // Another JIT compiler is asked for; there is none, but then nothing is compiled that far.
        Result result = doctor("-XX:TieredStopAtLevel=1", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseJVMCICompiler");

        assertThat(result.complaint("direct engine"))
                .contains(
                        "a JIT compiler other than HotSpot's is not tested",
                        "-> -Dheapspan.direct=force tries it all the same");
    }

    @Test
    void aForcedMeansOfAccess() throws Exception {
        Result result = doctor("-Dheapspan.access=unsafe");

        assertThat(result.complaint("means of access")).contains("SUN_UNSAFE", "-> remove -Dheapspan.access");
        assertThat(result.complaint("direct engine")).contains("needs the native library");
    }

    /** The remedy comes from the cause, whatever words a path contains. */
    @Test
    void aNativeLibraryThatCannotBeLoaded() throws Exception {
        Path text = Files.writeString(folder.resolve("platform resource.so"), "not a library");

        assertThat(doctor("-Dheapspan.native.library=" + text).complaint("native library"))
                .contains("UnsatisfiedLinkError", "-> correct or remove -Dheapspan.native.library=" + text);
        assertThat(doctor("-Dheapspan.native.library=none").complaint("native library"))
                .contains("kept out by", "-> remove -Dheapspan.native.library=none");
    }
}
