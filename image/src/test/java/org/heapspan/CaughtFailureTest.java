package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.Externalizable;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Methods of classes that catch the failure of an object within theirs and go on: what follows in the image cannot be found any more. */
@Tag("once")
public final class CaughtFailureTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();

    /** Writes and reads an object, whatever comes of it, and then a text. */
    static final class Lenient implements Serializable {
        private transient Object part;
        private transient String text;

        Lenient(Object part, String text) {
            this.part = part;
            this.text = text;
        }

        private void writeObject(ObjectOutputStream stream) throws IOException {
            try {
                stream.writeObject(part);
            } catch (RuntimeException e) {
                stream.writeObject("nothing");
            }
            stream.writeObject(text);
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            try {
                part = stream.readObject();
            } catch (RuntimeException e) {
                part = "nothing";
            }
            text = "text";
        }
    }

    public static final class LenientOutside implements Externalizable {
        private Object part;

        public LenientOutside() {}

        LenientOutside(Object part) {
            this.part = part;
        }

        @Override
        public void writeExternal(ObjectOutput output) throws IOException {
            try {
                output.writeObject(part);
            } catch (RuntimeException e) {
                output.writeInt(1);
            }
        }

        @Override
        public void readExternal(ObjectInput input) throws IOException, ClassNotFoundException {
            try {
                part = input.readObject();
            } catch (RuntimeException e) {
                part = null;
            }
        }
    }

    /** Has fields of which one cannot be read. */
    static final class LenientFields implements Serializable {
        @SuppressWarnings("unused") // It is read and written.
        private final Object part;

        LenientFields(Object part) {
            this.part = part;
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            try {
                stream.defaultReadObject();
            } catch (RuntimeException e) {
                // As if nothing had happened.
            }
        }
    }

    /** Cannot be read. */
    static final class Broken implements Serializable {
        private void readObject(ObjectInputStream stream) throws IOException {
            throw new InvalidObjectException("broken");
        }
    }

    private static void assertNotWritten(Object object) {
        HeapspanException failure =
                catchThrowableOfType(HeapspanException.class, () -> HEAPSPAN.encode(new Object[] {object, "end"}));
        assertThat(failure.category()).isEqualTo(Category.CLASS_REFUSED);
        assertThat(failure).hasMessageContaining("java.lang.Thread");
    }

    @Test
    void anObjectWithoutOneOfItsPartsIsNotWritten() {
        assertNotWritten(new Lenient(new Thread(), "text"));
        assertNotWritten(new LenientOutside(new Thread()));
        assertNotWritten(new Lenient(new Lenient(new Thread(), "inner"), "outer"));
    }

    private static void assertNotRead(Object object) {
        byte[] image = HEAPSPAN.encode(new Object[] {object, "end"});
        HeapspanException failure =
                catchThrowableOfType(HeapspanException.class, () -> HEAPSPAN.decode(image, Object[].class));
        assertThat(failure.category()).isEqualTo(Category.HOOK);
        assertThat(failure).hasMessageContaining("broken");
    }

    @Test
    void anObjectWithoutOneOfItsPartsIsNotRead() {
        assertNotRead(new Lenient(new Broken(), "text"));
        assertNotRead(new LenientOutside(new Object[] {"before", new Broken()}));
        assertNotRead(new LenientFields(new Broken()));
        assertNotRead(new Lenient(new Lenient(new Broken(), "inner"), "outer"));
    }

    @Test
    void theNextImageIsWrittenAndRead() {
        assertNotWritten(new Lenient(new Thread(), "text"));
        assertNotRead(new Lenient(new Broken(), "text"));
        Lenient copy = HEAPSPAN.decode(HEAPSPAN.encode(new Lenient("part", "text")), Lenient.class);
        assertThat(copy.part).isEqualTo("part");
        assertThat(copy.text).isEqualTo("text");
    }
}
