package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Test;

/** Objects with a finalizer, which may free what their fields stand for. */
@SuppressWarnings({"deprecation", "removal", "Finalize"})
class FinalizerTest {
    private static final Heapspan SERIAL = Heapspan.create();
    private static final Heapspan CLONE = Heapspan.builder().mode(Mode.CLONE).build();

    static class Matrix {
        long address = 5;

        @Override
        protected void finalize() {}
    }

    static final class Picture extends Matrix {}

    static final class Model implements Serializable {
        private static final long serialVersionUID = 1L;

        transient long address = 5;
        int size = 6;

        @Override
        protected void finalize() {}
    }

    /** No finalizer, only its name. */
    static final class Race {
        int laps = 7;

        boolean finalize(int lap) {
            return lap == laps;
        }
    }

    private static void isRefused(Heapspan heapspan, Object object) {
        assertThatThrownBy(() -> heapspan.encode(object))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.CLASS_REFUSED))
                .hasMessageContaining("finalizer");
    }

    @Test
    void objectsThatAreNotSerializableAreRefused() {
        isRefused(SERIAL, new Matrix());
        isRefused(SERIAL, new Picture());
        isRefused(CLONE, new Picture());
    }

    @Test
    void serializableObjectsAreCopiedWithoutTheirTransientFieldsOnly() {
        Model copy = SERIAL.copy(new Model());
        assertThat(copy.size).isEqualTo(6);
        assertThat(copy.address).isZero();
        isRefused(CLONE, new Model());
    }

    @Test
    void otherMethodsOfThatNameAreNoFinalizers() {
        Race copy = SERIAL.decodeTrusted(SERIAL.encode(new Race()), Race.class);
        assertThat(copy.laps).isEqualTo(7);
        assertThat(copy.finalize(7)).isTrue();
    }
}
