package org.heapspan.vm;

import org.jspecify.annotations.Nullable;

/** Instructions that native code may use; numbers as in {@code native/src/carving/relocation.h}. */
enum CpuPath {
    SCALAR("scalar"),
    AVX2("avx2"),
    AVX512("avx512");

    /** Name of the property that forbids what is beyond a path. */
    static final String PROPERTY = "heapspan.cpu";

    private final String propertyValue;

    CpuPath(String propertyValue) {
        this.propertyValue = propertyValue;
    }

    String propertyValue() {
        return propertyValue;
    }

    int number() {
        return switch (this) {
            case SCALAR -> 0;
            case AVX2 -> 1;
            case AVX512 -> 2;
        };
    }

    static CpuPath of(long number) {
        return number == 2 ? AVX512 : number == 1 ? AVX2 : SCALAR;
    }

    /** The path that a value of {@link #PROPERTY} allows at most; all without one, {@code null} for an unknown value. */
    static @Nullable CpuPath limit(@Nullable String value) {
        if (value == null) {
            return AVX512;
        }
        for (CpuPath path : values()) {
            if (path.propertyValue.equals(value)) {
                return path;
            }
        }
        return null;
    }
}
