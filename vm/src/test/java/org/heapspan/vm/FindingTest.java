package org.heapspan.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FindingTest {
    @Test
    void isAtItsBestWhenNothingIsLeftToDo() {
        assertThat(new Finding("collector", "G1", "", "").atItsBest()).isTrue();
        assertThat(new Finding("collector", "ZGC", "", "use G1").atItsBest()).isFalse();
        assertThatThrownBy(() -> new Finding("collector", "G1", "", null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void everyFindingOfThisJvmSaysSomething() {
        assertThat(VirtualMachine.current().findings()).isNotEmpty().allSatisfy(finding -> {
            assertThat(finding.subject()).isNotBlank();
            assertThat(finding.state()).isNotBlank();
        });
    }
}
