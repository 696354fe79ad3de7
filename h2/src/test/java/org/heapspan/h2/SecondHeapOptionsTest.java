package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Options have the defaults that the documentation names and refuse what makes no heap. */
@Tag("once")
final class SecondHeapOptionsTest {
    private static final SecondHeapOptions OPTIONS = SecondHeapOptions.capacity(1 << 30);

    @TempDir
    Path directory;

    @Test
    void defaults() {
        assertThat(OPTIONS.capacityBytes()).isEqualTo(1 << 30);
        assertThat(OPTIONS.regionBytes()).isEqualTo(16 << 20);
        assertThat(OPTIONS.groupBytes()).isEqualTo(128 << 10);
        assertThat(OPTIONS.writeBuffers()).isEqualTo(8);
        assertThat(OPTIONS.highThreshold()).isEqualTo(0.85);
        assertThat(OPTIONS.lowThreshold()).isEqualTo(0.5);
        assertThat(OPTIONS.keptBytes()).isZero();
        assertThat(OPTIONS.encryptionKeyBits()).isZero();
    }

    @Test
    void eachChangeKeepsTheOthers() {
        SecondHeapOptions changed = OPTIONS.withRegionBytes(2 << 20)
                .withGroupBytes(64 << 10)
                .withWriteBuffers(3)
                .withKept(5)
                .withEncryption(192)
                .withThresholds(0.7, 0.6);
        assertThat(changed.capacityBytes()).isEqualTo(1 << 30);
        assertThat(changed.regionBytes()).isEqualTo(2 << 20);
        assertThat(changed.groupBytes()).isEqualTo(64 << 10);
        assertThat(changed.writeBuffers()).isEqualTo(3);
        assertThat(changed.keptBytes()).isEqualTo(5);
        assertThat(changed.encryptionKeyBits()).isEqualTo(192);
        assertThat(changed.highThreshold()).isEqualTo(0.7);
        assertThat(changed.lowThreshold()).isEqualTo(0.6);
        assertThat(changed.withoutThresholds().highThreshold()).isZero();
    }

    @Test
    void wrongValuesAreRefused() {
        assertThatThrownBy(() -> SecondHeapOptions.capacity(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withRegionBytes(3 << 20)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withRegionBytes(512 << 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withGroupBytes(1 << 20)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withWriteBuffers(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withEncryption(64)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withKept(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withThresholds(0.5, 0.6)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OPTIONS.withThresholds(Double.NaN, 0)).isInstanceOf(IllegalArgumentException.class);
        SecondHeapOptions lessThanARegion = SecondHeapOptions.capacity(1 << 20);
        assertThatThrownBy(() -> SecondHeap.open(directory, lessThanARegion))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16777216");
    }
}
