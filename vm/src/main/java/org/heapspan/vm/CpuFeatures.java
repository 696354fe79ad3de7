package org.heapspan.vm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Vector instructions of the processor, usable by native code and by the JIT compiler.
 *
 * @param avx2 256-bit integer vectors
 * @param avx512 512-bit vectors: AVX-512 F, BW, DQ and VL together
 */
public record CpuFeatures(boolean avx2, boolean avx512) {
    // Bits of native/src/vm/cpu_features.h.
    private static final int AVX2_BIT = 1;
    private static final int AVX512_BIT = 2;

    static CpuFeatures ofBits(int bits) {
        return new CpuFeatures((bits & AVX2_BIT) != 0, (bits & AVX512_BIT) != 0);
    }

    /** What Linux reports; neither, where {@code /proc/cpuinfo} cannot be read. */
    static CpuFeatures ofProcCpuinfo() {
        try (BufferedReader lines = Files.newBufferedReader(Path.of("/proc/cpuinfo"), StandardCharsets.US_ASCII)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("flags")) {
                    return ofFlags(line);
                }
            }
        } catch (IOException e) {
            // Not Linux, or not readable: the scalar path is right everywhere.
        }
        return new CpuFeatures(false, false);
    }

    private static CpuFeatures ofFlags(String line) {
        String flags = line.replace('\t', ' ').concat(" ");
        return new CpuFeatures(
                flags.contains(" avx2 "),
                flags.contains(" avx512f ")
                        && flags.contains(" avx512bw ")
                        && flags.contains(" avx512dq ")
                        && flags.contains(" avx512vl "));
    }
}
