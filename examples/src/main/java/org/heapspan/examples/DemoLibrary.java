package org.heapspan.examples;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.apache.fory.Fory;
import org.heapspan.Heapspan;
import org.objenesis.strategy.StdInstantiatorStrategy;

/** A library of the comparison, each as it is without registering classes, with shared objects kept. */
interface DemoLibrary {
    String name();

    byte[] encode(Object root) throws IOException;

    Object decode(byte[] bytes) throws IOException, ClassNotFoundException;

    static List<DemoLibrary> all() {
        return List.of(new OfHeapspan(), new OfJava(), new OfKryo(), new OfFory());
    }

    final class OfHeapspan implements DemoLibrary {
        private final Heapspan heapspan = Heapspan.create();

        @Override
        public String name() {
            return "Heapspan";
        }

        @Override
        public byte[] encode(Object root) {
            return heapspan.encode(root);
        }

        @Override
        public Object decode(byte[] bytes) {
            return heapspan.decode(bytes, Object.class);
        }
    }

    final class OfJava implements DemoLibrary {
        @Override
        public String name() {
            return "Java serialization";
        }

        @Override
        public byte[] encode(Object root) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 20);
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(root);
            }
            return bytes.toByteArray();
        }

        @Override
        public Object decode(byte[] bytes) throws IOException, ClassNotFoundException {
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
                return in.readObject();
            }
        }
    }

    final class OfKryo implements DemoLibrary {
        private final Kryo kryo = new Kryo();
        private final Output output = new Output(1 << 20, -1);

        OfKryo() {
            kryo.setReferences(true);
            kryo.setRegistrationRequired(false);
            kryo.setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        }

        @Override
        public String name() {
            return "Kryo";
        }

        @Override
        public byte[] encode(Object root) {
            output.reset();
            kryo.writeClassAndObject(output, root);
            return output.toBytes();
        }

        @Override
        public Object decode(byte[] bytes) {
            return kryo.readClassAndObject(new Input(bytes));
        }
    }

    final class OfFory implements DemoLibrary {
        private final Fory fory = Fory.builder()
                .withXlang(false)
                .withCompatible(false)
                .requireClassRegistration(false)
                .suppressClassRegistrationWarnings(true)
                .withRefTracking(true)
                .ignoreStringRef(false)
                .withAsyncCompilation(false)
                .withMaxGraphMemoryBytes(Long.MAX_VALUE)
                .build();

        @Override
        public String name() {
            return "Fory";
        }

        @Override
        public byte[] encode(Object root) {
            return fory.serialize(root);
        }

        @Override
        public Object decode(byte[] bytes) {
            return fory.deserialize(bytes);
        }
    }
}
