package org.heapspan.benchmarks.giraph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LeastMemoryTest {
    /** The sizes that are tried between 256 and 1024 MB if so much suffices. */
    private static List<Integer> tried(int enoughMegabytes) throws Exception {
        List<Integer> tried = new ArrayList<>();
        LeastMemory.search(256, 1024, 32, megabytes -> {
            tried.add(megabytes);
            return megabytes >= enoughMegabytes;
        });
        return tried;
    }

    @Test
    void theLeastSizeAndOneStepLessAreTried() throws Exception {
        assertThat(tried(500)).startsWith(1024).contains(512, 480).hasSizeLessThan(8);
        assertThat(tried(1024)).contains(1024, 992);
        assertThat(tried(1)).endsWith(288);
    }

    @Test
    void nothingElseIsTriedIfTheMostIsTooLittle() throws Exception {
        assertThat(tried(1025)).containsExactly(1024);
    }

    @Test
    void aLimitIsRequired() {
        assertThatThrownBy(() -> LeastMemory.search(256, 0, 32, megabytes -> true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("--memory=0 is too little for --least=32; expected at least 288");
    }
}
