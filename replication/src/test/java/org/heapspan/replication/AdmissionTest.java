package org.heapspan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with an empty folder becomes a member when it cannot do harm any more, and not before. */
@Tag("once")
final class AdmissionTest {
    private static final TermIndex NOTHING = TermIndex.INITIAL_VALUE;
    private static final Standing EMPTY = new Standing(false, List.of(), 0, NOTHING);

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("consensus.member");
    }

    private Admission open(boolean isEmpty, int serverCount) throws IOException {
        return Admission.open(file, isEmpty, serverCount, Duration.ZERO, Duration.ZERO);
    }

    private static Standing newcomer() {
        return new Standing(false, List.of(UUID.randomUUID()), 0, NOTHING);
    }

    private static Standing member(long term, long lastTerm, long lastIndex) {
        return new Standing(true, List.of(), term, TermIndex.valueOf(lastTerm, lastIndex));
    }

    private static Standing with(long term, long lastTerm, long lastIndex) {
        return new Standing(false, List.of(), term, TermIndex.valueOf(lastTerm, lastIndex));
    }

    @Test
    void aGroupBeginsWhenAllAreNewcomers() throws IOException {
        Admission first = open(true, 3);
        Standing second = newcomer();
        Standing third = newcomer();
        first.hear(List.of(), EMPTY);
        first.hear(List.of(second), EMPTY);
        assertThat(first.isMember()).isFalse();
        assertThat(first.mayFollow(1)).isFalse();
        UUID own = first.standing(0, NOTHING).folders().get(0);
        first.hear(List.of(second, third), EMPTY);
        assertThat(first.isMember()).isTrue();
        assertThat(first.mayFollow(1)).isTrue();
        assertThat(first.standing(0, NOTHING).folders())
                .containsExactly(own, second.folders().get(0), third.folders().get(0));
        assertThat(open(false, 3).standing(7, NOTHING))
                .isEqualTo(new Standing(true, first.standing(0, NOTHING).folders(), 7, NOTHING));
    }

    @Test
    void aNewcomerHearsThatItWasThereWhenTheGroupBegan() throws IOException {
        Admission late = open(true, 3);
        UUID own = late.standing(0, NOTHING).folders().get(0);
        Standing other = new Standing(true, List.of(UUID.randomUUID()), 4, TermIndex.valueOf(4, 20));
        late.hear(List.of(other), EMPTY);
        assertThat(late.isMember()).isFalse();
        // It was stopped meanwhile, and has the same folder.
        Admission again = open(true, 3);
        again.hear(List.of(new Standing(true, List.of(own, UUID.randomUUID()), 4, TermIndex.valueOf(4, 20))), EMPTY);
        assertThat(again.isMember()).isTrue();
    }

    @Test
    void whoLostItsFolderNeedsWhatEnoughMembersHave() throws IOException {
        Admission lost = open(true, 3);
        lost.hear(List.of(member(5, 5, 30), newcomer()), EMPTY);
        assertThat(lost.mayFollow(9)).isFalse();
        lost.hear(List.of(member(5, 5, 30), member(6, 4, 90)), EMPTY);
        assertThat(lost.isMember()).isFalse();
        // A leader of an earlier term may be one that has lost the lead to a vote of this server.
        assertThat(lost.mayFollow(5)).isFalse();
        assertThat(lost.mayFollow(6)).isTrue();
        lost.hear(List.of(member(6, 6, 31), member(6, 6, 31)), with(6, 5, 29));
        assertThat(lost.isMember()).isFalse();
        lost.hear(List.of(), with(6, 5, 30));
        assertThat(lost.isMember()).isTrue();
    }

    @Test
    void whoGetsSomethingIsNoFounder() throws IOException {
        Admission lost = open(true, 3);
        lost.hear(List.of(newcomer(), newcomer()), with(2, 2, 5));
        assertThat(lost.isMember()).isFalse();
        // One of the others has followed a leader.
        lost.hear(List.of(newcomer(), with(1, 0, -1)), EMPTY);
        assertThat(lost.isMember()).isFalse();
    }

    @Test
    void ofFiveServersThreeMembersAreNeeded() throws IOException {
        Admission lost = open(true, 5);
        lost.hear(List.of(member(2, 2, 9), member(2, 2, 9), newcomer(), newcomer()), EMPTY);
        assertThat(lost.mayFollow(9)).isFalse();
        lost.hear(List.of(member(2, 2, 9), member(2, 2, 9), member(2, 2, 9), newcomer()), EMPTY);
        assertThat(lost.mayFollow(2)).isTrue();
    }

    @Test
    void electionsOfTheFormerLifeMustHaveEnded() throws IOException {
        Admission lost = Admission.open(file, true, 3, Duration.ofDays(1), Duration.ZERO);
        lost.hear(List.of(member(1, 1, 1), member(1, 1, 1)), with(1, 1, 1));
        assertThat(lost.mayFollow(1)).isTrue();
        assertThat(lost.isMember()).isFalse();
    }

    @Test
    void onlyAnEmptyFolderMakesANewcomer() throws IOException {
        assertThat(open(false, 3).isMember()).isTrue();
        // Its folder is lost, and the file beside it is not.
        Admission lost = open(true, 3);
        assertThat(lost.isMember()).isFalse();
        UUID own = lost.standing(0, NOTHING).folders().get(0);
        // It is stopped before it has everything.
        Admission again = open(false, 3);
        assertThat(again.isMember()).isFalse();
        assertThat(again.standing(0, NOTHING).folders()).containsExactly(own);
        for (String damage : List.of("", "\n", "newcomer\n", "someone\n", "member\nx\n", "newcomer\nx\n", "\u00ff")) {
            Files.writeString(file, damage, StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> open(false, 3))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("damaged")
                    .hasMessageContaining("it has the lines " + damage.lines().toList())
                    .hasMessageContaining("delete it and the folder beside it");
        }
        // Nothing that was confirmed is in an empty folder, so it does no harm whatever the file says.
        Files.writeString(file, "");
        assertThat(open(true, 3).isMember()).isFalse();
        // A group that has begun before there was such a file goes on.
        Files.delete(file);
        assertThat(open(false, 3).isMember()).isTrue();
    }

    @Test
    void whatOthersSayIsReadOrRefused() throws IOException {
        Standing said = new Standing(true, List.of(new UUID(1, 2), new UUID(3, 4)), 7, TermIndex.valueOf(6, 40));
        byte[] bytes = said.write();
        assertThat(Standing.read(bytes)).isEqualTo(said);
        for (int length = 0; length < bytes.length; length++) {
            byte[] some = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> Standing.read(some))
                    .isInstanceOf(IOException.class)
                    .hasMessage("what a server says of itself ends after %d bytes", length);
        }
        byte[] many = bytes.clone();
        many[25] = 100;
        assertThatThrownBy(() -> Standing.read(many)).hasMessageContaining("100 folders");
    }
}
