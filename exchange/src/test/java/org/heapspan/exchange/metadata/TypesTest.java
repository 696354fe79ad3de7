package org.heapspan.exchange.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class TypesTest {
    private static TypeRegistry.Type type(int number, int length) {
        byte[] description = new byte[length];
        description[0] = (byte) number;
        return new TypeRegistry.Type("", description);
    }

    @Test
    void aClientIsToldWhatItDoesNotKnow() throws Exception {
        Types types = new Types();
        Reply.Types first = types.answer(new Request.NumberTypes(0, List.of(type(1, 9), type(2, 9), type(1, 9))));
        assertThat(first.first()).isZero();
        assertThat(first.types()).hasSize(2);
        assertThat(first.more()).isFalse();
        Reply.Types second = types.answer(new Request.NumberTypes(1, List.of(type(3, 9))));
        assertThat(second.registry()).isEqualTo(first.registry());
        assertThat(second.first()).isEqualTo(1);
        assertThat(second.types()).hasSize(2);
        assertThat(types.answer(new Request.NumberTypes(-5, List.of())).types()).hasSize(3);
        Reply.Types beyond = types.answer(new Request.NumberTypes(Integer.MAX_VALUE, List.of()));
        assertThat(beyond.first()).isEqualTo(3);
        assertThat(beyond.types()).isEmpty();
    }

    @Test
    void numberAndBytesAreLimited() throws Exception {
        Types few = new Types(2, 1 << 20);
        assertThat(few.answer(new Request.NumberTypes(0, List.of(type(1, 9), type(2, 9), type(3, 9), type(1, 9))))
                        .types())
                .hasSize(2);
        Types small = new Types(100, 1_000);
        Reply.Types told =
                small.answer(new Request.NumberTypes(0, List.of(type(1, 600), type(2, 600), type(3, 400), type(4, 1))));
        assertThat(told.types()).extracting(each -> each.description().length).containsExactly(600, 400);
    }

    @Test
    void whatSeveralServersShareIsTakenDownBeforeItIsTold() throws Exception {
        List<TypeRegistry.Type> taken = new ArrayList<>();
        List<UUID> registries = new ArrayList<>();
        TypeLog log = (registry, types) -> {
            registries.add(registry);
            taken.addAll(types);
        };
        Types first = new Types(null, List.of(), log);
        UUID registry = first.answer(new Request.NumberTypes(0, List.of())).registry();
        first.answer(new Request.NumberTypes(0, List.of()));
        assertThat(registries).containsExactly(registry);
        first.answer(new Request.NumberTypes(0, List.of(type(1, 9), type(2, 9))));
        first.answer(new Request.NumberTypes(0, List.of(type(2, 9), type(3, 9))));
        assertThat(taken).extracting(each -> each.description()[0]).containsExactly((byte) 1, (byte) 2, (byte) 3);

        Types next = new Types(registry, taken, (same, types) -> {
            throw new IOException("another server leads");
        });
        Reply.Types told = next.answer(new Request.NumberTypes(0, List.of(type(3, 9))));
        assertThat(told.registry()).isEqualTo(registry);
        assertThat(told.types()).hasSize(3);
        assertThatThrownBy(() -> next.answer(new Request.NumberTypes(0, List.of(type(4, 9)))))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.code()).isEqualTo(RefusalCode.NOT_LEADER));
    }
}
