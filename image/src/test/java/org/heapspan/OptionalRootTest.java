package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An Optional has no identity and takes no number; what it holds, where it is the root, has numbers from 0 on. */
@Tag("once")
final class OptionalRootTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    /** A list with objects that occur twice. */
    private static Optional<List<Object>> shared(Object... more) {
        Object first = new int[] {1};
        Object second = new int[] {2};
        List<Object> list = new ArrayList<>(List.of(first, second, first, second));
        list.addAll(List.of(more));
        return Optional.of(list);
    }

    private static void assertShared(@Nullable Object copy) {
        assertThat(copy)
                .isInstanceOfSatisfying(
                        Optional.class,
                        optional -> assertThat(optional.get()).isInstanceOfSatisfying(List.class, list -> {
                            assertThat(list.get(0)).isEqualTo(new int[] {1}).isSameAs(list.get(2));
                            assertThat(list.get(1)).isEqualTo(new int[] {2}).isSameAs(list.get(3));
                        }));
    }

    @ParameterizedTest
    @EnumSource
    void ofAnImage(Encoding encoding) {
        assertShared(HEAPSPAN.decodeTrusted(HEAPSPAN.encode(shared(), encoding), Object.class));
        assertShared(HEAPSPAN.decodeTrusted(HEAPSPAN.encode(shared(hooks()), encoding), Object.class));
    }

    /** Has writeObject, so that the writer numbers objects in another way. */
    private static Object hooks() {
        return Locale.ROOT;
    }

    @Test
    void ofACopy() {
        assertShared(HEAPSPAN.copy(shared()));
        assertShared(HEAPSPAN.copy(shared(hooks())));
    }

    @ParameterizedTest
    @EnumSource
    void ofARecord(IdentityScope scope) {
        GroupWriter writer = HEAPSPAN.groupWriter(scope);
        writer.write(shared());
        writer.write(shared(hooks()));
        GroupReader reader = HEAPSPAN.groupReader(writer.finish());
        assertShared(reader.next());
        assertShared(reader.next());
    }

    @Test
    void ofAnObjectStream() throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new HeapspanObjectOutputStream(bytes)) {
            stream.writeObject(shared());
            stream.writeObject(shared(hooks()));
        }
        try (ObjectInputStream stream = new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertShared(stream.readObject());
            assertShared(stream.readObject());
        }
    }
}
