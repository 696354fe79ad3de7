package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ObjectStreamException;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.heapspan.vm.VirtualMachine;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Readers of groups share what they work with; none may notice another. */
@Tag("once")
@SuppressWarnings("serial")
class GroupReaderTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    record Point(int x, Object any) implements Serializable {}

    private static byte[] group(Encoding encoding, int first, int count) {
        GroupWriter writer = HEAPSPAN.groupWriter(encoding);
        for (int i = first; i < first + count; i++) {
            writer.write(record(i));
        }
        return writer.finish();
    }

    /** Of kinds that the direct engine makes, and in raw images each thirteenth with a side object. */
    private static Object record(int i) {
        return i % 5 == 0 ? null : new Point(i, i % 13 == 0 ? Optional.of("text " + i) : "text " + i);
    }

    private static List<Object> records(int first, int count) {
        List<Object> records = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            records.add(record(i));
        }
        return records;
    }

    private static GroupReader open(Encoding encoding, byte[] group) {
        return encoding == Encoding.RAW ? HEAPSPAN.trustedGroupReader(group) : HEAPSPAN.groupReader(group);
    }

    private static List<Encoding> encodings() {
        return VirtualMachine.current().memory() == null ? List.of(Encoding.COMPACT) : List.of(Encoding.values());
    }

    @Test
    void readsTheRestAtOnceFromAnyRecord() {
        for (Encoding encoding : encodings()) {
            for (int count : new int[] {0, 1, 2, 12, 13, 14, 1000, 30_000}) {
                byte[] group = group(encoding, 1, count);
                for (int read : new int[] {0, 1, 2, count / 2, count - 1, count}) {
                    if (read < 0 || read > count) {
                        continue;
                    }
                    GroupReader reader = open(encoding, group);
                    for (int i = 0; i < read; i++) {
                        assertThat(reader.next()).isEqualTo(record(1 + i));
                    }
                    Object[] rest = reader.readAll();
                    assertThat(rest.getClass()).isEqualTo(Object[].class);
                    assertThat(Arrays.asList(rest))
                            .as("%s, %s of %s", encoding, read, count)
                            .isEqualTo(records(1 + read, count - read));
                    assertThat(reader.hasNext()).isFalse();
                    assertThat(reader.readAll()).isEmpty();
                    assertThatThrownBy(reader::next).isInstanceOf(NoSuchElementException.class);
                }
            }
        }
    }

    @Test
    void givesAwayArraysThatItDoesNotUseAgain() {
        for (Encoding encoding : encodings()) {
            byte[] group = group(encoding, 1, 12);
            Object[] first = open(encoding, group).readAll();
            Object[] second = open(encoding, group).readAll();
            assertThat(first).isNotSameAs(second);
            Arrays.fill(first, null);
            assertThat(Arrays.asList(second)).isEqualTo(records(1, 12));
        }
    }

    @Test
    void manyReadersOfAThreadDoNotDisturbEachOther() {
        for (Encoding encoding : encodings()) {
            List<GroupReader> readers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                readers.add(open(encoding, group(encoding, 100 * i, 50 + i)));
            }
            for (int record = 0; record < 80; record++) {
                for (int i = 0; i < readers.size(); i++) {
                    GroupReader reader = readers.get(i);
                    assertThat(reader.hasNext()).isEqualTo(record < 50 + i);
                    if (reader.hasNext()) {
                        assertThat(reader.next()).isEqualTo(record(100 * i + record));
                        // Others come and go.
                        assertThat(open(encoding, group(encoding, 7, 3)).readAll())
                                .containsExactly(records(7, 3).toArray());
                    }
                }
            }
        }
    }

    /** Reads a group of its own while it is read. */
    static final class Nesting implements Serializable {
        byte[] group;
        transient Object[] read;

        private Object readResolve() throws ObjectStreamException {
            read = HEAPSPAN.groupReader(group).readAll();
            return this;
        }
    }

    @Test
    void hooksMayReadGroups() {
        GroupWriter writer = HEAPSPAN.groupWriter();
        for (int i = 0; i < 30; i++) {
            Nesting nesting = new Nesting();
            nesting.group = group(Encoding.COMPACT, i, 10);
            writer.write(nesting);
        }
        Object[] records = HEAPSPAN.groupReader(writer.finish()).readAll();
        for (int i = 0; i < 30; i++) {
            assertThat(Arrays.asList(((Nesting) records[i]).read)).isEqualTo(records(i, 10));
        }
    }

    static final class Failing implements Serializable {
        int number;

        private Object readResolve() {
            throw new IllegalStateException("as wanted");
        }
    }

    @Test
    void groupsAfterOneThatFailsAreReadAsEver() {
        for (Encoding encoding : encodings()) {
            GroupWriter writer = HEAPSPAN.groupWriter(encoding);
            writer.write(record(1));
            writer.write(new Failing());
            writer.write(record(2));
            byte[] failing = writer.finish();
            byte[] damaged = group(encoding, 1, 20);
            damaged[damaged.length - 3] ^= 0x10;
            byte[] good = group(encoding, 1, 20);
            for (int i = 0; i < 20; i++) {
                GroupReader reader = open(encoding, failing);
                assertThatThrownBy(reader::readAll).isInstanceOf(HeapspanException.class);
                assertThatThrownBy(reader::readAll).isInstanceOf(HeapspanException.class);
                assertThatThrownBy(() -> open(encoding, damaged).readAll()).isInstanceOf(HeapspanException.class);
                assertThat(Arrays.asList(open(encoding, good).readAll())).isEqualTo(records(1, 20));
            }
        }
    }

    @Test
    void anEndedReaderLetsGoOfItsRecords() throws Exception {
        Assumptions.assumeTrue(VirtualMachine.current().memory() != null, "needs raw memory");
        for (Encoding encoding : encodings()) {
            GroupReader reader = open(encoding, group(encoding, 1, 50));
            List<WeakReference<Object>> gone = new ArrayList<>();
            while (reader.hasNext()) {
                gone.add(new WeakReference<>(reader.next()));
            }
            // What the next group's reader works with must not hold them either.
            GroupReader next = open(encoding, group(encoding, 1, 3));
            assertThat(next.next()).isEqualTo(record(1));
            reader = null;
            for (int i = 0; i < 50 && gone.stream().anyMatch(each -> each.get() != null); i++) {
                System.gc();
                Thread.sleep(10);
            }
            assertThat(gone).allMatch(each -> each.get() == null);
            assertThat(next.next()).isEqualTo(record(2));
        }
    }
}
