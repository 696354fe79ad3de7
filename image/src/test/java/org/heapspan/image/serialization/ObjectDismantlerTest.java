package org.heapspan.image.serialization;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.heapspan.Mode;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.TypeResolver;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.heapspan.image.raw.RawImageReader;
import org.heapspan.image.serialization.ObjectDismantler.Part;
import org.heapspan.image.serialization.StreamedCodec.LevelForm;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.TypeDescription;
import org.junit.jupiter.api.Test;

/** Single objects taken apart and put together by the JDK's object streams; this works, unneeded, under any means of access. */
final class ObjectDismantlerTest {
    static class Base implements Serializable {
        boolean flag = true;
        byte small = -7;
        char letter = 'x';
        short middle = -300;
        int number = 1 << 20;
        long large = -1L << 40;
        float fraction = 1.5f;
        double precise = -0.1;
        String text = "text";
        Object self = this;
        Class<?> type = Map.Entry.class;
        Object[] array = {"in an array"};
    }

    static final class Derived extends Base {
        private transient List<Object> items = new ArrayList<>();
        private int before = 1;

        private void writeObject(ObjectOutputStream stream) throws IOException {
            stream.writeInt(42);
            stream.defaultWriteObject();
            stream.writeUTF("between");
            stream.writeObject(items.get(0));
            stream.writeObject(items.get(0));
            stream.writeObject(null);
            stream.write(new byte[1000]);
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            int first = stream.readInt();
            stream.defaultReadObject();
            items = new ArrayList<>(List.of(first, stream.readUTF()));
            items.add(stream.readObject());
            items.add(stream.readObject());
            items.add(stream.readObject());
            items.add(stream.readNBytes(1000).length);
        }
    }

    private static List<LevelForm> levels() {
        List<LevelForm> levels = new ArrayList<>();
        for (TypeDescription.Level level :
                ClassFields.hookDescription(Derived.class).levels()) {
            levels.add(new LevelForm(level, ClassFields.hierarchy(Derived.class).get(level.className())));
        }
        return levels;
    }

    @Test
    void keepsTheOrderOfDataFieldsAndObjects() {
        Derived derived = new Derived();
        derived.items.add("item");
        List<Part> parts = ObjectDismantler.dismantle(derived, levels()).get(Derived.class.getName());
        assertThat(parts)
                .extracting(part -> (Object) part.getClass())
                .containsExactly(
                        Part.Data.class,
                        Part.Fields.class,
                        Part.Data.class,
                        Part.Reference.class,
                        Part.Reference.class,
                        Part.Reference.class,
                        Part.Data.class);
        assertThat(((Part.Data) parts.get(0)).bytes().getInt()).isEqualTo(42);
        assertThat(((Part.Reference) parts.get(3)).object()).isSameAs(derived.items.get(0));
        assertThat(((Part.Reference) parts.get(4)).object()).isSameAs(derived.items.get(0));
        assertThat(((Part.Reference) parts.get(5)).object()).isNull();
    }

    @Test
    void givesTheObjectsThemselvesAsValuesOfFields() {
        Derived derived = new Derived();
        derived.items.add("item");
        List<LevelForm> levels = levels();
        Part.Fields fields = (Part.Fields) ObjectDismantler.dismantle(derived, levels)
                .get(Base.class.getName())
                .get(0);
        LevelForm base = levels.get(0);
        assertThat(fields.values().reference(base.slotOf("self"))).isSameAs(derived);
        assertThat(fields.values().reference(base.slotOf("type"))).isSameAs(Map.Entry.class);
        assertThat(fields.values().reference(base.slotOf("array"))).isSameAs(derived.array);
        assertThat(fields.values().bits(base.slotOf("large"))).isEqualTo(-1L << 40);
        assertThat(fields.values().bits(base.slotOf("small"))).isEqualTo(-7);
    }

    @Test
    void assemblesWhatHasBeenTakenApart() {
        Derived original = new Derived();
        original.items.add("item");
        original.number = 77;
        original.text = null;
        List<LevelForm> levels = levels();
        Map<String, List<Part>> parts = ObjectDismantler.dismantle(original, levels);
        List<Object> shown = new ArrayList<>();
        ImageReader reader = new ImageReader(
                new TypeResolver(
                        PolicyCodecRegistry.of(Mode.SERIAL, Map.of()), TypeResolver.Admission.everything(), null),
                RawImageReader::new);
        Derived made = (Derived) ObjectAssembler.assemble(reader, Derived.class, levels, (object, stream) -> {
            shown.add(object);
            for (LevelForm form : levels) {
                for (Part part : parts.get(form.level().className())) {
                    write(stream, form, part);
                }
                if (form.hasItems()) {
                    stream.endItems();
                }
            }
        });
        assertThat(shown).hasSize(1);
        assertThat(shown.get(0)).isSameAs(made);
        assertThat(made).isNotNull();
        assertThat(made.items).containsExactly(42, "between", "item", "item", null, 1000);
        assertThat(made.number).isEqualTo(77);
        assertThat(made.text).isNull();
        assertThat(made.precise).isEqualTo(-0.1);
        assertThat(made.letter).isEqualTo('x');
        assertThat(made.before).isEqualTo(1);
        // A value like any other: the field still has what was taken from the original.
        assertThat(made.self).isSameAs(original);
    }

    private static void write(ObjectAssembler stream, LevelForm form, Part part) throws IOException {
        if (part instanceof Part.Fields fields) {
            stream.writeFields(form, fields.values());
        } else if (part instanceof Part.Reference reference) {
            stream.writeReference(reference.object());
        } else if (part instanceof Part.Data data) {
            byte[] bytes = new byte[data.bytes().remaining()];
            data.bytes().duplicate().get(bytes);
            stream.writeData(bytes);
        }
    }
}
