package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where a raw image cannot be read, the message recommends the compact encoding only if that can be. */
@Tag("once")
public final class RawEvolutionAdviceTest {
    enum Constant {
        ONE
    }

    interface Role {}

    abstract static class Incomplete implements Serializable {}

    public static final class Outside implements Externalizable {
        public Outside() {}

        @Override
        public void writeExternal(ObjectOutput output) {}

        @Override
        public void readExternal(ObjectInput input) {}
    }

    static final class WithMethod implements Serializable {
        int number;

        private void readObject(ObjectInputStream input) throws IOException, ClassNotFoundException {
            input.defaultReadObject();
        }
    }

    @Test
    void recommendsOnlyWhatWorks() throws Exception {
        Map<Class<?>, Boolean> advised = new LinkedHashMap<>();
        for (Class<?> here :
                new Class<?>[] {Constant.class, Role.class, Incomplete.class, Outside.class, WithMethod.class}) {
            // There it is a plain class of the same name.
            GeneratedClass there = new GeneratedClass(here.getName(), Map.of("number", "I"));
            Object original = new GeneratedClass.Loader(there).newInstance(there.name());
            Heapspan heapspan = Heapspan.create();
            byte[] raw = heapspan.encode(original, Encoding.RAW);
            HeapspanException refusal =
                    catchThrowableOfType(HeapspanException.class, () -> heapspan.decodeTrusted(raw, Object.class));
            assertThat(refusal).as(here.getSimpleName()).isNotNull();
            assertThat(refusal.category()).isEqualTo(Category.EVOLUTION);
            assertThat(refusal).hasMessageContaining("same version on both sides");
            boolean compactWorks = catchThrowableOfType(
                            HeapspanException.class,
                            () -> heapspan.decodeTrusted(heapspan.encode(original), Object.class))
                    == null;
            assertThat(refusal.getMessage().contains("compact"))
                    .as(refusal.getMessage())
                    .isEqualTo(compactWorks);
            advised.put(here, compactWorks);
        }
        assertThat(advised).containsEntry(WithMethod.class, true).containsEntry(Constant.class, false);
    }
}
