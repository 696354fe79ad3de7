package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Serializable;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys that go into their container as soon as they are read, and whose methods throw. */
@Tag("once")
final class ThrowingKeyTest {
    private static boolean throwing;

    /** What the compiler of Scala makes of an object; any object of it may have a hash code of its own. */
    static final class Single$ implements Serializable {

        public static final Single$ MODULE$ = new Single$();

        @Override
        public int hashCode() {
            if (throwing) {
                throw new UnsupportedOperationException("no hash code");
            }
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    @AfterEach
    void reset() {
        throwing = false;
    }

    private static void assertRefused(Object container) {
        Heapspan heapspan = Heapspan.create();
        byte[] image = heapspan.encode(container);
        assertThat(heapspan.decode(image, Object.class)).isEqualTo(container);
        throwing = true;
        assertThatThrownBy(() -> heapspan.decode(image, Object.class))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.HOOK))
                .hasMessageContaining("no hash code");
        throwing = false;
    }

    @Test
    void aKeyOfAMapFails() {
        Map<Object, Object> map = new HashMap<>();
        map.put(Single$.MODULE$, "value");
        assertRefused(map);
    }

    @Test
    void anElementOfASetFails() {
        Collection<Object> set = new HashSet<>(List.of(Single$.MODULE$));
        assertRefused(set);
        assertRefused(Set.of(Single$.MODULE$, 1, 2));
    }
}
