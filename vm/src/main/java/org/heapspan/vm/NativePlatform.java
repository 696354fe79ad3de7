package org.heapspan.vm;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a native library must be built for to work in this process.
 *
 * @param system the operating system, as property {@code os.name} has it
 * @param processor the instruction set, as property {@code os.arch} has it
 * @param musl whether the C library is musl, whose JVMs are not tested
 */
record NativePlatform(String system, String processor, boolean musl) {
    /**
     * Programs for musl name this file as their loader (JEP 386). Where it is missing there are none, which is all that most processes
     * have to find out.
     */
    private static final String MUSL_LOADER = "/lib/ld-musl-x86_64.so.1";

    /** That of the running JVM. */
    static NativePlatform current() {
        return new NativePlatform(
                System.getProperty("os.name", "unknown"), System.getProperty("os.arch", "unknown"), currentIsMusl());
    }

    /** Where the jar has a library for it, below {@code META-INF/native}; {@code null} where it has none. */
    @Nullable
    String folder() {
        boolean x86 = processor.equals("amd64") || processor.equals("x86_64");
        return x86 && system.equals("Linux") && !musl ? "linux-x86_64" : null;
    }

    /** In words, for findings. */
    String describe() {
        return system + " on " + processor + (musl ? " with musl" : "");
    }

    /** A system with glibc may have musl's loader too (Debian's package musl): what counts is what this process runs on. */
    private static boolean currentIsMusl() {
        if (!new File(MUSL_LOADER).exists()) {
            return false;
        }
        // In this encoding every file name can be read.
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1)) {
            return !haveGlibc(mappings);
        } catch (IOException e) {
            return true; // The portable engine is right on both.
        }
    }

    /**
     * Whether glibc is among the files that a process has mapped, one a line as in {@code /proc/self/maps}: as {@code libc.so.6} or,
     * before glibc 2.34, by a name with its version.
     */
    static boolean haveGlibc(Stream<String> mappings) {
        return mappings.map(line -> line.substring(line.lastIndexOf('/') + 1))
                .anyMatch(name -> name.startsWith("libc.so.6") || name.startsWith("libc-2."));
    }
}
