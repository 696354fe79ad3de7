package org.heapspan.exchange.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.heapspan.exchange.keeper.CrashingFiles.Crash;
import org.heapspan.exchange.keeper.CrashingFiles.Left;
import org.heapspan.exchange.wire.GroupDescription;
import org.heapspan.exchange.wire.KeyRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("once")
final class KeyJournalTest {
    private static final String FILE = KeyJournal.FILE;

    private static KeyRecord key(String name, long version) {
        GroupDescription group = new GroupDescription(4096 * (version + 1), 10, 5, false, "java.lang.String", version);
        return new KeyRecord(name, group, 1_000_000, 100);
    }

    /** What a journal has been told, and how far it has got. */
    private static final class History {
        final List<Map<String, KeyRecord>> states = new ArrayList<>();
        private final Map<String, KeyRecord> now = new TreeMap<>();
        int written;
        int forced;

        History() {
            states.add(Map.of());
        }

        /** The next change of a sequence that puts, replaces and removes a few keys. */
        void change(KeyJournal journal) throws IOException {
            int number = states.size();
            String name = "key" + number % 4;
            KeyRecord former = now.get(name);
            KeyRecord record = number % 7 == 0 ? new KeyRecord(name, null, 0, 0) : key(name, number);
            Map<String, KeyRecord> next = new TreeMap<>(now);
            if (record.group() == null) {
                next.remove(name);
            } else {
                next.put(name, record);
            }
            states.add(next);
            long change = journal.add(record, former);
            now.clear();
            now.putAll(next);
            written = number;
            if (number % 3 == 0) {
                journal.force(change);
                forced = number;
            }
        }

        /** Changes that come while the journal is written anew. */
        Collection<KeyRecord> liveAndChanged(KeyJournal journal) {
            List<KeyRecord> live = List.copyOf(now.values());
            try {
                change(journal);
                change(journal);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
            return live;
        }
    }

    private static void live(CrashingFiles files, History history) throws IOException {
        try (KeyJournal journal = KeyJournal.open(files)) {
            assertThat(journal.kept()).isEmpty();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 8; i++) {
                    history.change(journal);
                }
                journal.compact(() -> history.liveAndChanged(journal));
                // It forces all that is there.
                history.forced = history.written;
                history.change(journal);
            }
        }
    }

    private static Map<String, KeyRecord> kept(CrashingFiles files) throws IOException {
        Map<String, KeyRecord> kept = new TreeMap<>();
        try (KeyJournal journal = KeyJournal.open(files)) {
            journal.kept().forEach(each -> kept.put(each.name(), each));
        }
        return kept;
    }

    /** A process that is killed loses nothing that was written, and a host that crashes nothing that was forced. */
    @ParameterizedTest
    @EnumSource
    void anEndAtAnyStepLosesNothing(Left left) throws IOException {
        int step = 1;
        int ends = 0;
        for (boolean ended = true; ended; step++) {
            CrashingFiles files = new CrashingFiles();
            files.crashAt(step);
            History history = new History();
            ended = false;
            try {
                live(files, history);
            } catch (Crash e) {
                ended = true;
                ends++;
            }
            int first = left == Left.WRITTEN ? history.written : history.forced;
            List<Map<String, KeyRecord>> possible = history.states.subList(first, history.states.size());
            assertThat(possible).as("end at step %d", step).contains(kept(files.after(left)));
            // The next process can end at any step of its start.
            for (int second = 1; ; second++) {
                CrashingFiles next = files.after(left);
                next.crashAt(second);
                try {
                    kept(next);
                    break;
                } catch (Crash e) {
                    assertThat(possible)
                            .as("end at step %d, then at step %d", step, second)
                            .contains(kept(next.after(left)));
                }
            }
        }
        assertThat(ends).isGreaterThan(60);
    }

    @Test
    void aDeviceThatFailsOnceLosesNothingThatWasNotRefused() throws IOException {
        for (int step = 1; ; step++) {
            CrashingFiles files = new CrashingFiles();
            History history = new History();
            KeyJournal journal = KeyJournal.open(files);
            files.failAt(step);
            for (int i = 0; i < 30; i++) {
                int before = history.written;
                try {
                    if (i % 10 == 9) {
                        journal.compact(() -> history.liveAndChanged(journal));
                    } else {
                        history.change(journal);
                    }
                } catch (IOException | java.io.UncheckedIOException e) {
                    assertThat(e).hasStackTraceContaining("the device has failed");
                    // A change that was not added was not made.
                    history.states
                            .subList(history.written + 1, history.states.size())
                            .clear();
                    assertThat(history.written).isBetween(before, before + 2);
                }
            }
            journal.close();
            assertThat(kept(files.after(Left.WRITTEN)))
                    .as("failure of step %d", step)
                    .isEqualTo(history.states.get(history.written));
            if (!files.hasReached(step)) {
                break;
            }
            assertThat(step).isLessThan(1000);
        }
    }

    private static CrashingFiles tenChanges(List<Integer> ends) throws IOException {
        CrashingFiles files = new CrashingFiles();
        try (KeyJournal journal = KeyJournal.open(files)) {
            ends.add(files.content(FILE).length);
            for (int i = 0; i < 10; i++) {
                journal.add(key("key" + i, 1), null);
                ends.add(files.content(FILE).length);
            }
        }
        return files;
    }

    @Test
    void aFileThatIsCutAnywhereHasTheChangesBefore() throws IOException {
        List<Integer> ends = new ArrayList<>();
        byte[] whole = tenChanges(ends).content(FILE);
        for (int length = ends.get(0); length <= whole.length; length++) {
            CrashingFiles files = new CrashingFiles();
            files.setContent(FILE, Arrays.copyOf(whole, length));
            int most = length;
            long expected = ends.stream().filter(end -> end <= most).count() - 1;
            assertThat(kept(files)).as("cut to %d bytes", length).hasSize((int) expected);
            // A file system may have made it longer without the bytes.
            if (ends.contains(length)) {
                files.setContent(FILE, Arrays.copyOf(Arrays.copyOf(whole, length), length + 5000));
                assertThat(kept(files)).as("zeros behind %d bytes", length).hasSize((int) expected);
            }
        }
    }

    @Test
    void anyOtherDamageIsToldAndNothingIsLost() throws IOException {
        List<Integer> ends = new ArrayList<>();
        byte[] whole = tenChanges(ends).content(FILE);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x40;
            CrashingFiles files = new CrashingFiles();
            files.setContent(FILE, damaged);
            int changed = at;
            String expected = at < ends.get(0)
                    ? "keys is no journal of keys of version 1; move its folder away"
                    : "keys is damaged at byte "
                            + ends.stream()
                                    .filter(end -> end <= changed)
                                    .max(Integer::compare)
                                    .orElseThrow() + "; cut it";
            assertThatThrownBy(() -> kept(files))
                    .as("change of byte %d", at)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(expected);
            assertThat(files.content(FILE)).isEqualTo(damaged);
        }
    }

    @Test
    void itGrowsToAMultipleOfWhatIsLive() throws IOException {
        CrashingFiles files = new CrashingFiles();
        try (KeyJournal journal = KeyJournal.open(files)) {
            String name = "n".repeat(4000);
            KeyRecord last = key(name, 1);
            journal.add(last, null);
            for (int i = 2; !journal.isWasteful(); i++) {
                KeyRecord next = key(name, i);
                journal.add(next, last);
                last = next;
            }
            assertThat(files.content(FILE)).hasSizeBetween(KeyJournal.LEAST_BYTES, KeyJournal.LEAST_BYTES + 5000);
            KeyRecord live = last;
            journal.compact(() -> List.of(live));
            assertThat(journal.isWasteful()).isFalse();
            assertThat(files.content(FILE)).hasSizeBetween(4000, 5000);
            // All of this is live, so the file may be longer.
            for (int i = 100; i < 500; i++) {
                journal.add(key(i + name.substring(3), 1), null);
            }
            assertThat(journal.isWasteful()).isFalse();
            // Until it was removed.
            for (int i = 100; i < 500; i++) {
                KeyRecord former = key(i + name.substring(3), 1);
                journal.add(new KeyRecord(former.name(), null, 0, 0), former);
            }
            assertThat(journal.isWasteful()).isTrue();
        }
    }

    /** A device that is full needs the room. After a failure of the last steps the new file may have the name, and the journal is of no more use. */
    @Test
    void aFileThatCouldNotBeWrittenAnewTakesNoRoom() throws IOException {
        int failures = 0;
        while (compactFails(failures + 1)) {
            failures++;
        }
        assertThat(failures).isGreaterThan(4);
    }

    private static boolean compactFails(int step) throws IOException {
        CrashingFiles files = new CrashingFiles();
        try (KeyJournal journal = KeyJournal.open(files)) {
            journal.add(key("k", 1), null);
            files.failAt(step);
            try {
                journal.compact(() -> List.of(key("k", 1)));
                return false;
            } catch (IOException e) {
                assertThat(e).hasMessage("the device has failed");
            }
            try {
                journal.add(key("l", 2), null);
            } catch (IOException e) {
                return true;
            }
            if (files.has(FILE + ".new")) {
                assertThat(files.content(FILE + ".new"))
                        .as("after a failure of step %d", step)
                        .isEmpty();
            }
            return true;
        }
    }
}
