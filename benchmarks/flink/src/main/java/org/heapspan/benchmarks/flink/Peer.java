package org.heapspan.benchmarks.flink;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.heapspan.flink.HeapspanKryoSerializer;
import org.heapspan.flink.HeapspanTypeInformation;

/** Serializers that are compared. */
enum Peer {
    POJO("Flink's POJO") {
        @Override
        TypeSerializer<?> serializer(Class<?> type) {
            return TypeInformation.of(type).createSerializer(new SerializerConfigImpl());
        }

        @Override
        boolean takes(Class<?> type) {
            return !(TypeInformation.of(type) instanceof GenericTypeInfo);
        }
    },
    KRYO("Flink's Kryo") {
        @Override
        TypeSerializer<?> serializer(Class<?> type) {
            return new GenericTypeInfo<>(type).createSerializer(new SerializerConfigImpl());
        }
    },
    KRYO_REGISTERED("Flink's Kryo, registered") {
        @Override
        TypeSerializer<?> serializer(Class<?> type) {
            SerializerConfigImpl registered = new SerializerConfigImpl();
            Records.CLASSES.forEach(registered::registerKryoType);
            return new GenericTypeInfo<>(type).createSerializer(registered);
        }
    },
    IN_PLACE_OF_KRYO("Heapspan in place of Kryo") {
        @Override
        TypeSerializer<?> serializer(Class<?> type) {
            SerializerConfigImpl replaced = new SerializerConfigImpl();
            replaced.addDefaultKryoSerializer(Object.class, HeapspanKryoSerializer.class);
            return new GenericTypeInfo<>(type).createSerializer(replaced);
        }
    },
    HEAPSPAN("Heapspan") {
        @Override
        TypeSerializer<?> serializer(Class<?> type) {
            SerializerConfig plain = new SerializerConfigImpl();
            return HeapspanTypeInformation.of(type).createSerializer(plain);
        }
    };

    private final String title;

    Peer(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    abstract TypeSerializer<?> serializer(Class<?> type);

    boolean takes(Class<?> type) {
        return true;
    }
}
