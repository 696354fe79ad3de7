package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Images that refer to objects outside of them. */
@Tag("once")
@SuppressWarnings({"serial", "ArrayRecordComponent"})
class ObjectLinksTest {
    /** Something large that many refer to. */
    static final class Index implements Serializable {
        long[] keys = {3, 1, 2};
        String name = "index";
    }

    static class Table implements Serializable {
        int rows;
        Index index;
        Object any;
        int[] numbers;
        Table other;

        Table(int rows, Index index) {
            this.rows = rows;
            this.index = index;
        }
    }

    static final class Wider extends Table {
        String more = "more";
        Index second;

        Wider(Index index) {
            super(7, index);
            second = index;
        }
    }

    record View(Index index, int[] selection) implements Serializable {}

    /** Fields of a name, and objects in the order in which they were seen. */
    private static final class Kept implements ObjectLinks {
        final IdentityHashMap<Object, Long> numbers = new IdentityHashMap<>();
        final List<Object> objects = new ArrayList<>();
        final List<String> names;
        Optional<Object> declined = Optional.empty();

        Kept(String... names) {
            this.names = List.of(names);
        }

        @Override
        public boolean isLinked(Field field) {
            assertThat(field.getType().isPrimitive()).isFalse();
            assertThat(field.getType()).isNotEqualTo(String.class);
            return names.contains(field.getName());
        }

        @Override
        public synchronized long numberOf(Object object) {
            if (declined.isPresent() && declined.get() == object) {
                return NONE;
            }
            return numbers.computeIfAbsent(object, added -> {
                objects.add(added);
                return (long) objects.size() - 1;
            });
        }

        @Override
        public synchronized Object objectOf(long number) {
            if (number >= objects.size()) {
                throw new HeapspanException(Category.MALFORMED, "nothing is known of object " + number);
            }
            return objects.get((int) number);
        }
    }

    private static byte[] encode(Heapspan heapspan, Encoding encoding, Object... records) {
        GroupWriter writer = heapspan.groupWriter(encoding);
        for (Object each : records) {
            writer.write(each);
        }
        return writer.finish();
    }

    private static Object[] decode(Heapspan heapspan, byte[] group) {
        return heapspan.trustedGroupReader(group).readAll();
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void whatIsLinkedIsTheVeryObject(Encoding encoding) {
        Kept kept = new Kept("index", "second", "numbers");
        Heapspan heapspan = Heapspan.builder().links(kept).build();
        Index index = new Index();
        Table table = new Table(5, index);
        table.any = new Object[] {"one", table, List.of(2)};
        table.numbers = new int[100_000];
        table.other = new Wider(index);
        View view = new View(index, new int[] {4, 5});

        byte[] group = encode(heapspan, encoding, table, view);
        Object[] read = decode(heapspan, group);

        assertThat(group.length).isLessThan(5_000);
        Table copy = (Table) read[0];
        assertThat(copy).isNotSameAs(table);
        assertThat(copy.rows).isEqualTo(5);
        assertThat(copy.index).isSameAs(index);
        assertThat(copy.numbers).isSameAs(table.numbers);
        assertThat((Object[]) copy.any).containsExactly("one", copy, List.of(2));
        assertThat(copy.other).isInstanceOf(Wider.class);
        assertThat(copy.other.index).isSameAs(index);
        assertThat(((Wider) copy.other).second).isSameAs(index);
        assertThat(((Wider) copy.other).more).isEqualTo("more");
        assertThat(((View) read[1]).index()).isSameAs(index);
        assertThat(((View) read[1]).selection()).containsExactly(4, 5);
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void whatIsDeclinedIsCopied(Encoding encoding) {
        Kept kept = new Kept("index");
        Index copied = new Index();
        kept.declined = Optional.of(copied);
        Heapspan heapspan = Heapspan.builder().links(kept).build();
        Table table = new Table(1, copied);
        table.any = copied;
        table.other = new Table(2, null);

        Table copy = (Table) decode(heapspan, encode(heapspan, encoding, table))[0];

        assertThat(copy.index).isNotSameAs(copied).isSameAs(copy.any);
        assertThat(copy.index.keys).containsExactly(3, 1, 2);
        assertThat(copy.other.index).isNull();
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void otherReferencesToALinkedObjectAreCopies(Encoding encoding) {
        Heapspan heapspan = Heapspan.builder().links(new Kept("index")).build();
        Index index = new Index();
        Table table = new Table(1, index);
        table.any = index;

        Table copy = (Table) decode(heapspan, encode(heapspan, encoding, table))[0];

        assertThat(copy.index).isSameAs(index);
        assertThat(copy.any).isInstanceOf(Index.class).isNotSameAs(index);
    }

    /** An element of a set whose hash code needs what it is linked to. */
    static final class Word implements Serializable {
        final Index index;
        final int key;

        Word(Index index, int key) {
            this.index = index;
            this.key = key;
        }

        @Override
        public int hashCode() {
            return (int) index.keys[key];
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Word word && word.index == index && word.key == key;
        }
    }

    static final class Text implements Serializable {
        final List<Word> words;
        final Set<Word> distinct;
        final Optional<Word> first;
        final Map<Word, Word> next = new HashMap<>();

        Text(List<Word> words) {
            this.words = words;
            distinct = Set.copyOf(words);
            first = Optional.of(words.get(0));
            next.put(words.get(1), words.get(2));
        }
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void linkedObjectsAreThereWhenHashCodesAreAskedFor(Encoding encoding) {
        Heapspan heapspan = Heapspan.builder().links(new Kept("index")).build();
        Index index = new Index();
        Text text = new Text(new ArrayList<>(List.of(new Word(index, 0), new Word(index, 1), new Word(index, 2))));

        Text copy = (Text) decode(heapspan, encode(heapspan, encoding, text))[0];

        assertThat(copy.words).isEqualTo(text.words);
        assertThat(copy.distinct).isEqualTo(text.distinct).allMatch(word -> copy.distinct.contains(word));
        assertThat(copy.words).allMatch(word -> copy.distinct.contains(word));
        assertThat(copy.first.orElseThrow()).isSameAs(copy.words.get(0));
        assertThat(copy.next).isEqualTo(text.next).containsKey(copy.words.get(1));
        assertThat(copy.words.get(2).index).isSameAs(index);
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void updatesOfFieldsAreMade(Encoding encoding) throws NoSuchFieldException {
        Index index = new Index();
        Heapspan heapspan = Heapspan.builder()
                .links(new Kept("index"))
                .registerUpdate(Table.class.getDeclaredField("rows"), (table, rows) -> (int) rows + 100)
                .build();

        Table copy = (Table) decode(heapspan, encode(heapspan, encoding, new Table(5, index)))[0];

        assertThat(copy.rows).isEqualTo(105);
        assertThat(copy.index).isSameAs(index);
    }

    @Test
    void aFilterIsNotAskedAboutLinks() {
        Index index = new Index();
        Heapspan heapspan = Heapspan.builder()
                .links(new Kept("index"))
                .filter(ObjectInputFilter.Config.createFilter(Table.class.getName() + ";java.base/*;!*"))
                .build();

        assertThat(heapspan.decode(heapspan.encode(new Table(5, index)), Table.class).index)
                .isSameAs(index);
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void manyLinksOfARecord(Encoding encoding) {
        Heapspan heapspan = Heapspan.builder().links(new Kept("index")).build();
        List<Index> indexes = new ArrayList<>();
        List<Table> tables = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (i % 100 == 0) {
                indexes.add(new Index());
            }
            Table table = new Table(i, indexes.get(i / 100));
            table.numbers = new int[] {i};
            tables.add(table);
        }

        List<?> copies = (List<?>) decode(heapspan, encode(heapspan, encoding, new ArrayList<>(tables)))[0];

        assertThat(copies).hasSameSizeAs(tables);
        for (int i = 0; i < copies.size(); i++) {
            Table copy = (Table) copies.get(i);
            assertThat(copy.index).isSameAs(indexes.get(i / 100));
            assertThat(copy.numbers).containsExactly(i);
        }
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void aLinkOfAnotherClassThanTheFieldIsRefused(Encoding encoding) {
        Kept kept = new Kept("index");
        Heapspan heapspan = Heapspan.builder().links(kept).build();
        byte[] group = encode(heapspan, encoding, new Table(1, new Index()));
        kept.objects.set(0, "not an index");

        assertThatThrownBy(() -> decode(heapspan, group)).isInstanceOf(HeapspanException.class);
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void withoutLinksTheImageCannotBeRead(Encoding encoding) {
        byte[] group = encode(Heapspan.builder().links(new Kept("index")).build(), encoding, new Table(1, new Index()));

        assertThatThrownBy(() -> decode(Heapspan.create(), group))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.USAGE))
                .hasMessageContaining("object 0 outside of it")
                .hasMessageContaining("HeapspanBuilder.links");
    }

    @Test
    void instancesWithoutLinksAreAsTheyWere() {
        Index index = new Index();
        Heapspan plain = Heapspan.create();

        Table copy = (Table) decode(plain, encode(plain, Encoding.RAW, new Table(1, index)))[0];

        assertThat(copy.index).isNotSameAs(index);
        assertThat(copy.index.keys).containsExactly(3, 1, 2);
    }

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void linksMayEncodeAndDecodeOtherImages(Encoding encoding) {
        IdentityHashMap<Object, Long> numbers = new IdentityHashMap<>();
        List<byte[]> images = new ArrayList<>();
        Heapspan[] self = new Heapspan[1];
        self[0] = Heapspan.builder()
                .links(new ObjectLinks() {
                    @Override
                    public boolean isLinked(Field field) {
                        return field.getName().equals("other");
                    }

                    @Override
                    public long numberOf(Object object) {
                        Long known = numbers.get(object);
                        if (known == null) {
                            // What it refers to is linked itself, and comes first.
                            byte[] image = encode(self[0], encoding, object);
                            known = (long) images.size();
                            images.add(image);
                            numbers.put(object, known);
                        }
                        return known;
                    }

                    @Override
                    public Object objectOf(long number) {
                        return decode(self[0], images.get((int) number))[0];
                    }
                })
                .build();
        Table chain = null;
        for (int i = 0; i < 5; i++) {
            Table holder = new Table(i, new Index());
            holder.other = chain;
            chain = holder;
        }

        Table copy = (Table) decode(self[0], encode(self[0], encoding, chain))[0];

        assertThat(images).hasSize(4);
        for (int i = 4; i >= 0; i--) {
            assertThat(copy.rows).isEqualTo(i);
            copy = copy.other;
        }
        assertThat(copy).isNull();
    }
}
