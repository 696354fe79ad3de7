package org.heapspan.tests.conformance;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;
import org.objenesis.strategy.StdInstantiatorStrategy;

/** Kryo with references on and no registration, as a user without a list of classes would set it up. */
final class KryoCodec implements Codec {

    private final Kryo kryo = kryo();

    private static Kryo kryo() {
        Kryo kryo = new Kryo();
        kryo.setRegistrationRequired(false);
        kryo.setReferences(true);
        kryo.setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        return kryo;
    }

    @Override
    public String name() {
        return "kryo";
    }

    @Override
    public byte[] encode(Object root, TransientMode mode) {
        Output output = new Output(4096, -1);
        kryo.reset();
        kryo.writeClassAndObject(output, root);
        return output.toBytes();
    }

    @Override
    public Object decode(byte[] bytes, TransientMode mode, Trust trust, ClassLoader loader) {
        kryo.reset();
        kryo.setClassLoader(loader);
        return kryo.readClassAndObject(new Input(bytes));
    }
}
