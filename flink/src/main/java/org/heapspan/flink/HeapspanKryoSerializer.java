package org.heapspan.flink;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.KryoSerializable;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import com.esotericsoftware.kryo.serializers.TimeSerializers;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanException;
import org.heapspan.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Makes Flink use Heapspan for all types for which it uses Kryo, in programs that do not change. One entry of the configuration names it:
 *
 * <pre>{@code
 * pipeline.serialization-config: [java.lang.Object: {type: kryo, kryo-type: default, class: org.heapspan.flink.HeapspanKryoSerializer}]
 * }</pre>
 *
 * <p>Kryo then writes the number or the name of the class of a record, and Heapspan all else. A {@link LocalDate}, {@link LocalTime},
 * {@link LocalDateTime}, {@link Instant} or {@link Duration} is left to Kryo. A record that is {@link KryoSerializable} is written and read by its
 * own methods. {@link HeapspanTypeInfoFactory} does without Kryo: it has shorter records, and state that survives changes of classes. With this class,
 * state can be read only if the classes of the record have the same fields as before. Four bytes of each record that Heapspan
 * writes show whether they have.
 *
 * <p>Not thread-safe, as Kryo.
 */
public final class HeapspanKryoSerializer extends Serializer<Object> {
    /** Flink leaves some dozen numbers free before those of the program's classes. */
    private static final int MOST_UNUSED_NUMBERS = 256;

    /** Flink calls Kryo for a date in a tuple or a POJO. An image of one would take five bytes more than these write. They keep no state. */
    private static final Map<Class<?>, Serializer<?>> OF_KRYO = Map.of(
            LocalDate.class, new TimeSerializers.LocalDateSerializer(),
            LocalTime.class, new TimeSerializers.LocalTimeSerializer(),
            LocalDateTime.class, new TimeSerializers.LocalDateTimeSerializer(),
            Instant.class, new TimeSerializers.InstantSerializer(),
            Duration.class, new TimeSerializers.DurationSerializer());

    private final Kryo kryo;
    private final Class<?> type;
    private final @Nullable Serializer<Object> ofKryo;

    // Made at first use: classes may be registered after this was made.
    private @Nullable NumberedTypes types;
    private int fingerprint;
    private @Nullable RecordEngine engine;
    private @Nullable RecordWriter writer;
    private @Nullable RecordReader reader;
    private @Nullable Heapspan copier;
    private @Nullable Input viewed;
    private @Nullable DataInputView view;

    /**
     * Creates a serializer; for Kryo.
     *
     * @param kryo the Kryo that will use it
     * @param type the class of the objects
     */
    @SuppressWarnings("unchecked") // It gets objects of this class only.
    public HeapspanKryoSerializer(Kryo kryo, Class<?> type) {
        this.kryo = kryo;
        this.type = type;
        ofKryo = (Serializer<Object>)
                (KryoSerializable.class.isAssignableFrom(type)
                        ? new DefaultSerializers.KryoSerializableSerializer()
                        : OF_KRYO.get(type));
        setImmutable(ClassFacts.isImmutable(type));
    }

    private NumberedTypes types() {
        NumberedTypes known = types;
        if (known == null) {
            known = NumberedTypes.of(type, List.of(), registered(kryo));
            types = known;
            fingerprint = known.fingerprint();
        }
        return known;
    }

    /** The classes that have numbers in Kryo, which its readers have too. */
    private static List<Class<?>> registered(Kryo kryo) {
        List<Class<?>> registered = new ArrayList<>();
        int unused = 0;
        for (int number = 0; unused < MOST_UNUSED_NUMBERS; number++) {
            Registration registration = kryo.getRegistration(number);
            unused = registration == null ? unused + 1 : 0;
            if (registration != null) {
                registered.add(registration.getType());
            }
        }
        return registered;
    }

    private RecordEngine engine() {
        RecordEngine known = engine;
        if (known == null) {
            known = new RecordEngine(types(), UserLoader.of(type));
            engine = known;
        }
        return known;
    }

    @Override
    public void write(Kryo caller, Output output, Object object) {
        if (ofKryo != null) {
            ofKryo.write(caller, output, object);
            return;
        }
        RecordWriter known = writer;
        if (known == null) {
            known = new RecordWriter(engine(), null);
            writer = known;
        }
        try {
            known.encode(object);
        } catch (HeapspanException e) {
            throw failure(e);
        }
        output.writeInt(fingerprint);
        int sizeBytes = known.end() - known.start();
        output.writeBytes(known.bytes(), known.start(), sizeBytes);
        if (sizeBytes > RecordEngine.MOST_KEPT_BYTES) {
            known.release();
        }
    }

    @Override
    public Object read(Kryo caller, Input input, Class<?> expected) {
        if (ofKryo != null) {
            return ofKryo.read(caller, input, expected);
        }
        RecordReader known = reader;
        if (known == null) {
            known = new RecordReader(engine());
            reader = known;
        }
        int found = input.readInt();
        if (found != fingerprint && !types().beginWith(found)) {
            throw new KryoException(
                    "an object of class " + type.getName()
                            + " was written when it, or a class to which it refers, had other fields. Kryo's state does not say which, so it"
                            + " cannot be read. Read it with the classes of that time, and use HeapspanTypeInfoFactory for state that survives changes");
        }
        try {
            Object object = known.read(viewOf(input));
            if (object == null) {
                throw new KryoException("Kryo has an object of class " + type.getName() + " here, and Heapspan null");
            }
            return object;
        } catch (IOException e) {
            throw new KryoException(e);
        } catch (HeapspanException e) {
            throw failure(e);
        }
    }

    /** Flink's input as the reader wants it; it is the same one for many records. */
    private DataInputView viewOf(Input input) {
        DataInputView known = view;
        if (known == null || viewed != input) {
            known = new DataInputViewStreamWrapper(input);
            view = known;
            viewed = input;
        }
        return known;
    }

    /**
     * Copies an object, with its transient fields, as Kryo does. If one of them has an object that cannot be copied, this fails. Flink then writes
     * and reads the original instead, without transient fields.
     */
    @Override
    public Object copy(Kryo caller, Object original) {
        if (ofKryo != null) {
            return ofKryo.copy(caller, original);
        }
        Heapspan known = copier;
        if (known == null) {
            known = Heapspan.builder()
                    .checksum(false)
                    .mode(Mode.CLONE)
                    .classLoader(UserLoader.of(type))
                    .build();
            copier = known;
        }
        try {
            return known.copy(original);
        } catch (HeapspanException e) {
            throw failure(e);
        }
    }

    /** Of other exceptions Flink does not expect that half of a record is in Kryo's buffer, and writes no record any more. */
    private static KryoException failure(HeapspanException e) {
        return new KryoException(e.getMessage(), e);
    }
}
