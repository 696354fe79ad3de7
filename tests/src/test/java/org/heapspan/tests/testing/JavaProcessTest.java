package org.heapspan.tests.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class JavaProcessTest {
    private static final String SUREFIRE = "surefire.test.class.path";

    /** A JVM would find files of other tests in the present folder, which an empty entry names. */
    @Test
    void processesGetNoEmptyEntry() {
        String former = System.getProperty(SUREFIRE);
        System.setProperty(SUREFIRE, String.join(File.pathSeparator, "a", "", "b", ""));
        try {
            assertThat(JavaProcess.testClassPath()).isEqualTo("a" + File.pathSeparator + "b");
        } finally {
            if (former == null) {
                System.clearProperty(SUREFIRE);
            } else {
                System.setProperty(SUREFIRE, former);
            }
        }
    }

    @Test
    void processesGetTheClassesOfTheTests() throws Exception {
        String own = getClass().getName().replace('.', '/') + ".class";
        assertThat(Stream.of(JavaProcess.testClassPath().split(File.pathSeparator, -1))
                        .map(Path::of))
                .anyMatch(entry -> Files.exists(entry.resolve(own)));
    }
}
