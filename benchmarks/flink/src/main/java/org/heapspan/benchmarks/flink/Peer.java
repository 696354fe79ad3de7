package org.heapspan.benchmarks.flink;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.LocalTimeTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.PojoField;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.heapspan.flink.HeapspanKryoSerializer;
import org.heapspan.flink.HeapspanTypeInformation;

/** Serializers that are compared. */
public enum Peer {
    /** Flink's own for classes that it understands. */
    POJO("Flink's POJO") {
        @Override
        public <T> TypeInformation<T> information(Class<T> type, Class<?>... nested) {
            return TypeInformation.of(type);
        }

        @Override
        boolean takes(Class<?> type) {
            return super.takes(type) && !(TypeInformation.of(type) instanceof GenericTypeInfo);
        }
    },
    /** The same by a program that names Flink's type for dates. Without that, Flink gives dates in POJOs to Kryo. */
    POJO_WITH_DATES("Flink's POJO, dates declared") {
        @Override
        public <T> TypeInformation<T> information(Class<T> type, Class<?>... nested) {
            return withDates(TypeInformation.of(type));
        }

        @Override
        boolean takes(Class<?> type) {
            return false;
        }
    },
    /** What Flink uses for all other classes. */
    KRYO("Flink's Kryo"),
    /** Kryo that knows the classes. */
    KRYO_REGISTERED("Flink's Kryo, registered") {
        @Override
        public void configure(SerializerConfigImpl config) {
            Records.CLASSES.forEach(config::registerKryoType);
        }
    },
    /** Heapspan by one line of configuration. */
    IN_PLACE_OF_KRYO("Heapspan in place of Kryo") {
        @Override
        public void configure(SerializerConfigImpl config) {
            config.addDefaultKryoSerializer(Object.class, HeapspanKryoSerializer.class);
        }
    },
    /** Heapspan by the type information. */
    HEAPSPAN("Heapspan") {
        @Override
        public <T> TypeInformation<T> information(Class<T> type, Class<?>... nested) {
            return HeapspanTypeInformation.of(type, nested);
        }
    },
    /** Flink's own for tuples, which Heapspan leaves to it. */
    TUPLES("Flink's tuples") {
        @Override
        public <T> TypeInformation<T> information(Class<T> type, Class<?>... nested) {
            return TypeInformation.of(type);
        }

        @Override
        public boolean isForTuples() {
            return true;
        }
    },
    /** The same program, in a job that has Heapspan for all classes that need Kryo. */
    TUPLES_BESIDE_HEAPSPAN("Flink's tuples, Heapspan in place of Kryo") {
        @Override
        public <T> TypeInformation<T> information(Class<T> type, Class<?>... nested) {
            return TypeInformation.of(type);
        }

        @Override
        public void configure(SerializerConfigImpl config) {
            IN_PLACE_OF_KRYO.configure(config);
        }

        @Override
        public boolean isForTuples() {
            return true;
        }
    };

    private final String title;

    Peer(String title) {
        this.title = title;
    }

    /** Its name in tables. */
    public String title() {
        return title;
    }

    /** Whether it is compared on tuples, and not on objects of other classes. */
    public boolean isForTuples() {
        return false;
    }

    /**
     * How a program describes a class to use this.
     *
     * @param type the class
     * @param nested classes of objects in its objects that its declarations do not name
     */
    public <T> TypeInformation<T> information(Class<T> type, Class<?>... nested) {
        return new GenericTypeInfo<>(type);
    }

    /** What a job has to set to use this. */
    public void configure(SerializerConfigImpl config) {
        // Most need nothing.
    }

    private static <T> TypeInformation<T> withDates(TypeInformation<T> type) {
        if (!(type instanceof PojoTypeInfo<T> pojo)) {
            return type;
        }
        List<PojoField> fields = new ArrayList<>();
        for (int i = 0; i < pojo.getArity(); i++) {
            PojoField field = pojo.getPojoFieldAt(i);
            TypeInformation<?> found = field.getTypeInformation();
            fields.add(new PojoField(
                    field.getField(),
                    found.getTypeClass() == LocalDate.class ? LocalTimeTypeInfo.LOCAL_DATE : withDates(found)));
        }
        return new PojoTypeInfo<>(pojo.getTypeClass(), fields);
    }

    TypeSerializer<?> serializer(Class<?> type) {
        SerializerConfigImpl config = new SerializerConfigImpl();
        configure(config);
        return information(type).createSerializer(config);
    }

    boolean takes(Class<?> type) {
        return isForTuples() == Tuple.class.isAssignableFrom(type);
    }
}
