package org.heapspan.benchmarks;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy;
import java.util.concurrent.TimeUnit;
import org.apache.fory.Fory;
import org.heapspan.Heapspan;
import org.objenesis.strategy.StdInstantiatorStrategy;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import scala.Tuple2;
import scala.collection.immutable.ArraySeq;
import scala.collection.immutable.List$;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Vector$;

/** Scala's collections of 64, one per call, references on, no class registered with anyone; the set-up prints the sizes. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class ScalaCollectionBenchmark {
    private static final int SIZE = 64;

    /** What is encoded. */
    @Param({"List[Int]", "Vector[String]", "Map[String,Int]"})
    public String data;

    /** By which library. */
    @Param({"heapspan", "fory", "kryo"})
    public String library;

    private Object root;
    private Codec codec;
    private byte[] bytes;

    private interface Codec {
        byte[] encode(Object object);

        Object decode(byte[] bytes);
    }

    private record OfHeapspan(Heapspan heapspan) implements Codec {
        @Override
        public byte[] encode(Object object) {
            return heapspan.encode(object);
        }

        @Override
        public Object decode(byte[] bytes) {
            return heapspan.decode(bytes, Object.class);
        }
    }

    private record OfFory(Fory fory) implements Codec {
        @Override
        public byte[] encode(Object object) {
            return fory.serialize(object);
        }

        @Override
        public Object decode(byte[] bytes) {
            return fory.deserialize(bytes);
        }
    }

    private record OfKryo(Kryo kryo, Output output) implements Codec {
        @Override
        public byte[] encode(Object object) {
            output.reset();
            kryo.writeClassAndObject(output, object);
            return output.toBytes();
        }

        @Override
        public Object decode(byte[] bytes) {
            return kryo.readClassAndObject(new Input(bytes));
        }
    }

    /** Makes the collection and encodes it once. */
    @Setup
    public void setUp() {
        root = collection(data);
        codec = switch (library) {
            case "heapspan" -> new OfHeapspan(Heapspan.create());
            case "fory" ->
                new OfFory(Fory.builder()
                        .withXlang(false)
                        .withRefTracking(true)
                        .requireClassRegistration(false)
                        .suppressClassRegistrationWarnings(true)
                        .build());
            default -> new OfKryo(kryo(), new Output(4096, -1));
        };
        bytes = codec.encode(root);
        if (!root.equals(codec.decode(bytes))) {
            throw new IllegalStateException(library + " does not give back " + data);
        }
        System.out.println(library + " " + data + ": " + bytes.length + " bytes");
    }

    private static Kryo kryo() {
        Kryo kryo = new Kryo();
        kryo.setRegistrationRequired(false);
        kryo.setReferences(true);
        kryo.setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        return kryo;
    }

    private static Object collection(String data) {
        Object[] elements = new Object[SIZE];
        for (int i = 0; i < SIZE; i++) {
            elements[i] = switch (data) {
                case "List[Int]" -> i * 37;
                case "Vector[String]" -> "element-" + i;
                default -> new Tuple2<>("key-" + i, i * 37);
            };
        }
        ArraySeq<Object> sequence = new ArraySeq.ofRef<>(elements);
        return switch (data) {
            case "List[Int]" -> List$.MODULE$.from(sequence);
            case "Vector[String]" -> Vector$.MODULE$.from(sequence);
            default -> map(sequence);
        };
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // Its elements are tuples.
    private static Object map(ArraySeq<Object> tuples) {
        return Map$.MODULE$.from((ArraySeq) tuples);
    }

    /** Encodes. */
    @Benchmark
    public byte[] encode() {
        return codec.encode(root);
    }

    /** Decodes. */
    @Benchmark
    public Object decode() {
        return codec.decode(bytes);
    }
}
