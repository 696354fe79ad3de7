package org.heapspan.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.heapspan.HeapspanException;
import org.heapspan.flink.Samples.SpecialTrade;
import org.heapspan.flink.Samples.Trade;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HeapspanSerializerSnapshotTest {
    @TempDir
    Path folder;

    private int versions;

    /** A version of a class in a loader of its own. */
    private Class<Object> version(Map<String, String> fields) throws Exception {
        EvolvingClass evolving = EvolvingClass.of(folder.resolve("v" + versions++), "Entry", fields);
        return evolving.in(evolving.newLoader());
    }

    /** What a savepoint would return to a program with a certain class loader. */
    private static <T> TypeSerializerSnapshot<T> restored(TypeSerializer<T> serializer, ClassLoader loader)
            throws IOException {
        DataOutputSerializer target = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(target, serializer.snapshotConfiguration());
        return TypeSerializerSnapshot.readVersionedSnapshot(
                new DataInputDeserializer(target.getCopyOfBuffer()), loader);
    }

    private static <T> TypeSerializerSchemaCompatibility<T> compatibility(
            TypeSerializer<T> now, TypeSerializerSnapshot<T> before) {
        return now.snapshotConfiguration().resolveSchemaCompatibility(before);
    }

    @Test
    void theSameClassesAreCompatible() throws IOException {
        TypeSerializer<Trade> serializer = Bytes.serializer(Trade.class);
        TypeSerializerSnapshot<Trade> before = restored(serializer, getClass().getClassLoader());
        assertThat(compatibility(serializer, before).isCompatibleAsIs()).isTrue();
        assertThat(before.restoreSerializer()).isEqualTo(serializer).hasToString(serializer.toString());
    }

    @Test
    void aFurtherClassWithANumberChangesNothing() throws IOException {
        TypeSerializer<Trade> before = Bytes.serializer(Trade.class);
        TypeSerializer<Trade> now = Bytes.serializer(Trade.class, SpecialTrade.class);
        TypeSerializerSnapshot<Trade> snapshot = restored(before, getClass().getClassLoader());
        assertThat(compatibility(now, snapshot).isCompatibleAsIs()).isTrue();
        Trade special = new SpecialTrade(1, 2);
        assertThat(Bytes.read(now, Bytes.of(before, special))).isEqualTo(special);
        // Back again: the records of now have a number that the serializer of before does not know.
        assertThat(compatibility(before, restored(now, getClass().getClassLoader()))
                        .isCompatibleAfterMigration())
                .isTrue();
    }

    @Test
    void fieldsCanBeAddedAndRemoved() throws Exception {
        Class<Object> old = version(Map.of("id", "J", "name", "Ljava/lang/String;", "gone", "Ljava/util/List;"));
        Object entry = old.getConstructor().newInstance();
        GeneratedClass.set(entry, "id", 5L);
        GeneratedClass.set(entry, "name", "five");
        GeneratedClass.set(entry, "gone", java.util.List.of("x"));
        TypeSerializer<Object> writer = Bytes.serializer(old);
        byte[] bytes = Bytes.of(writer, entry, null, entry);

        Class<Object> current = version(Map.of("id", "J", "name", "Ljava/lang/String;", "added", "I", "more", "[I"));
        TypeSerializer<Object> now = Bytes.serializer(current);
        TypeSerializerSnapshot<Object> snapshot = restored(writer, current.getClassLoader());
        assertThat(compatibility(now, snapshot).isCompatibleAfterMigration()).isTrue();
        Object read = Bytes.readAll(snapshot.restoreSerializer(), bytes).get(2);
        assertThat(read).isInstanceOf(current);
        assertThat(GeneratedClass.get(read, "id")).isEqualTo(5L);
        assertThat(GeneratedClass.get(read, "name")).isEqualTo("five");
        assertThat(GeneratedClass.get(read, "added")).isEqualTo(0);
        assertThat(GeneratedClass.get(read, "more")).isNull();
        assertThat(GeneratedClass.get(Bytes.passed(now, read), "name")).isEqualTo("five");
    }

    /** The class of a field can go together with the field. */
    @Test
    void theClassOfARemovedFieldNeedNotBeThere() throws Exception {
        EvolvingClass.of(folder.resolve("v0"), "Part", Map.of("number", "I"));
        Class<Object> old = version(Map.of("id", "J", "part", "LPart;"));
        Object entry = old.getConstructor().newInstance();
        GeneratedClass.set(entry, "id", 5L);
        GeneratedClass.set(
                entry,
                "part",
                old.getClassLoader().loadClass("Part").getConstructor().newInstance());
        TypeSerializer<Object> writer = Bytes.serializer(old);
        byte[] bytes = Bytes.of(writer, entry);
        assertThat(Bytes.contain(bytes, "Part")).isFalse();

        Class<Object> current = version(Map.of("id", "J"));
        TypeSerializerSnapshot<Object> snapshot = restored(writer, current.getClassLoader());
        assertThat(compatibility(Bytes.serializer(current), snapshot).isCompatibleAfterMigration())
                .isTrue();
        assertThat(GeneratedClass.get(Bytes.read(snapshot.restoreSerializer(), bytes), "id"))
                .isEqualTo(5L);
    }

    @Test
    void aFieldOfAnotherTypeIsRefusedByName() throws Exception {
        Class<Object> old = version(Map.of("id", "I"));
        TypeSerializer<Object> writer = Bytes.serializer(old);
        byte[] bytes = Bytes.of(writer, old.getConstructor().newInstance());

        Class<Object> current = version(Map.of("id", "J"));
        TypeSerializerSnapshot<Object> snapshot = restored(writer, current.getClassLoader());
        assertThat(compatibility(Bytes.serializer(current), snapshot).isIncompatible())
                .isTrue();
        // Flink's error has this text.
        assertThat(snapshot.restoreSerializer().toString())
                .startsWith("HeapspanSerializer<Entry>, whose records cannot be read: ")
                .contains("field Entry.id was written as int and is long here");
        assertThatThrownBy(() -> Bytes.read(snapshot.restoreSerializer(), bytes))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("field Entry.id was written as int and is long here");
    }

    /** Each version of the class reads the sample of the other one. */
    private void assertReadable(String first, String second, String text) throws Exception {
        assertThat(readBy(second, first)).hasToString(text);
        assertThat(readBy(first, second)).hasToString(text);
    }

    private Class<Object> compiled(String source) throws Exception {
        EvolvingClass evolving = EvolvingClass.compiled(folder.resolve("v" + versions++), "Entry", source);
        return evolving.in(evolving.newLoader());
    }

    /** The sample of a version of the class, as a program with another version reads it from a state. */
    private Object readBy(String here, String there) throws Exception {
        Class<Object> old = compiled(there);
        TypeSerializer<Object> writer = Bytes.serializer(old);
        byte[] bytes = Bytes.of(writer, old.getMethod("sample").invoke(null));
        Class<Object> current = compiled(here);
        TypeSerializer<Object> now = Bytes.serializer(current);
        TypeSerializerSnapshot<Object> snapshot = restored(writer, current.getClassLoader());
        TypeSerializerSchemaCompatibility<Object> compatibility = compatibility(now, snapshot);
        assertThat(compatibility.isIncompatible()).isFalse();
        Object read = Bytes.read(compatibility.isCompatibleAsIs() ? now : snapshot.restoreSerializer(), bytes);
        assertThat(read).isInstanceOf(current);
        return read;
    }

    @Tag("once")
    @Test
    void aFieldCanMoveToASuperclassAndBack() throws Exception {
        String inSubclass = """
                class Base implements java.io.Serializable {}

                public class Entry extends Base {
                    long id;
                    String name;

                    public static Entry sample() {
                        Entry entry = new Entry();
                        entry.id = 5;
                        entry.name = "five";
                        return entry;
                    }

                    @Override
                    public String toString() {
                        return id + " " + name;
                    }
                }
                """;
        String inSuperclass =
                inSubclass.replace("    long id;\n", "").replace("Serializable {}", "Serializable { long id; }");
        assertReadable(inSubclass, inSuperclass, "5 five");
    }

    @Tag("once")
    @Test
    void enumConstantsCanBeAddedAndReordered() throws Exception {
        String before = """
                enum Level { LOW, HIGH }

                public class Entry implements java.io.Serializable {
                    Level level;
                    Level[] others;

                    public static Entry sample() {
                        Entry entry = new Entry();
                        entry.level = Level.HIGH;
                        entry.others = new Level[] {Level.LOW, Level.HIGH};
                        return entry;
                    }

                    @Override
                    public String toString() {
                        return level + " " + java.util.Arrays.toString(others);
                    }
                }
                """;
        String after = before.replace("LOW, HIGH }", "HIGHEST, HIGH, LOW }");
        assertReadable(before, after, "HIGH [LOW, HIGH]");
    }

    @Tag("once")
    @Test
    void aFieldOfAnotherClassHoldsWhatItCan() throws Exception {
        String object = """
                public class Entry implements java.io.Serializable {
                    Object any;

                    public static Entry sample() {
                        Entry entry = new Entry();
                        entry.any = new java.util.ArrayList<>(java.util.List.of(1, 2));
                        return entry;
                    }

                    @Override
                    public String toString() {
                        return String.valueOf(any);
                    }
                }
                """;
        assertReadable(object, object.replace("Object any", "java.util.List<Integer> any"), "[1, 2]");
        String map = object.replace("Object any", "java.util.Map<String, Integer> any")
                .replace("new java.util.ArrayList<>(java.util.List.of(1, 2))", "null");
        assertThatThrownBy(() -> readBy(map, object))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("Entry.any");
    }

    @Test
    void aMissingClassIsNoticedWhenItsStateIsUsed() throws Exception {
        TypeSerializer<Object> writer = Bytes.serializer(version(Map.of("id", "I")));
        TypeSerializerSnapshot<Object> snapshot = restored(writer, getClass().getClassLoader());
        assertThatThrownBy(snapshot::restoreSerializer)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("class Entry of a state is not found here");
    }

    @Test
    void stateOfAnotherTypeOrSerializerIsRefused() throws IOException {
        TypeSerializer<Object> now = Bytes.serializer(Object.class);
        @SuppressWarnings("unchecked")
        TypeSerializerSnapshot<Object> trades = (TypeSerializerSnapshot<Object>) (TypeSerializerSnapshot<?>)
                restored(Bytes.serializer(Trade.class), getClass().getClassLoader());
        assertThat(compatibility(now, trades).isIncompatible()).isTrue();
        TypeSerializer<Trade> pojo = TypeInformation.of(Trade.class).createSerializer(new SerializerConfigImpl());
        assertThat(compatibility(Bytes.serializer(Trade.class), pojo.snapshotConfiguration())
                        .isIncompatible())
                .isTrue();
    }

    @Test
    void aDamagedSnapshotIsRefused() throws IOException {
        DataOutputSerializer target = new DataOutputSerializer(64);
        target.writeUTF(Trade.class.getName());
        target.writeInt(-1);
        HeapspanSerializerSnapshot<Trade> snapshot = new HeapspanSerializerSnapshot<>();
        ClassLoader loader = getClass().getClassLoader();
        byte[] bytes = target.getCopyOfBuffer();
        assertThatThrownBy(() -> snapshot.readSnapshot(1, new DataInputDeserializer(bytes), loader))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("-1 types");
        assertThatThrownBy(() -> snapshot.readSnapshot(2, new DataInputDeserializer(bytes), loader))
                .hasMessageContaining("version 2");
    }
}
