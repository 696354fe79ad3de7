package org.heapspan.benchmarks;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.heapspan.GroupReader;
import org.heapspan.GroupWriter;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanBuilder;
import org.heapspan.HeapspanObjectInputStream;
import org.heapspan.HeapspanObjectOutputStream;
import org.heapspan.TypeRegistry;
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

/**
 * What it costs to open a stream or a group, once warm: alone, and with one small record written or read. Run it with
 * {@code -prof gc} to see the bytes as well.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class StreamOpenBenchmark {
    /** A small record. */
    public record Point(int x, int y) implements Serializable {}

    /** Whether types are numbers of a registry instead of descriptions. */
    @Param({"false", "true"})
    public boolean registry;

    private final Point point = new Point(1, 2);
    private Heapspan heapspan;
    private GroupWriter groupWriter;
    private byte[] stream;
    private byte[] group;
    private byte[] javaStream;
    private ByteArrayOutputStream target;

    /** Writes what the readers read. */
    @Setup
    public void setUp() throws IOException {
        HeapspanBuilder builder = Heapspan.builder();
        heapspan = (registry ? builder.typeRegistry(TypeRegistry.local()) : builder).build();
        target = new ByteArrayOutputStream(1 << 10);
        writeStream();
        stream = target.toByteArray();
        groupWriter = heapspan.groupWriter();
        groupWriter.write(point);
        group = groupWriter.finish();
        writeJavaStream();
        javaStream = target.toByteArray();
    }

    /** Opens an output stream. */
    @Benchmark
    public OutputStream openOutput() throws IOException {
        return new HeapspanObjectOutputStream(target, heapspan);
    }

    /** Opens an output stream with default options, as a program does that has only changed a constructor. */
    @Benchmark
    public OutputStream openOutputWithDefaults() throws IOException {
        return new HeapspanObjectOutputStream(target);
    }

    /** Opens an output stream, writes a record and closes. */
    @Benchmark
    public int writeStream() throws IOException {
        target.reset();
        try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(target, heapspan)) {
            output.writeObject(point);
        }
        return target.size();
    }

    /** The same with Java's stream. */
    @Benchmark
    public int writeJavaStream() throws IOException {
        target.reset();
        try (ObjectOutputStream output = new ObjectOutputStream(target)) {
            output.writeObject(point);
        }
        return target.size();
    }

    /** Opens an input stream. */
    @Benchmark
    public ObjectInputStream openInput() throws IOException {
        return new HeapspanObjectInputStream(new ByteArrayInputStream(stream), heapspan);
    }

    /** Opens an input stream with default options. */
    @Benchmark
    public ObjectInputStream openInputWithDefaults() throws IOException {
        return new HeapspanObjectInputStream(new ByteArrayInputStream(stream));
    }

    /** Opens an input stream, reads a record and closes. */
    @Benchmark
    public Object readStream() throws IOException, ClassNotFoundException {
        try (HeapspanObjectInputStream input =
                new HeapspanObjectInputStream(new ByteArrayInputStream(stream), heapspan)) {
            return input.readObject();
        }
    }

    /** The same with Java's stream. */
    @Benchmark
    public Object readJavaStream() throws IOException, ClassNotFoundException {
        try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(javaStream))) {
            return input.readObject();
        }
    }

    /** Writes a group of one record with a writer that is used again. */
    @Benchmark
    public ByteBuffer writeGroup() {
        groupWriter.write(point);
        return groupWriter.finishInPlace();
    }

    /** Opens a group. */
    @Benchmark
    public GroupReader openGroup() {
        return heapspan.groupReader(group);
    }

    /** Opens a group and reads its record. */
    @Benchmark
    public Object readGroup() {
        return heapspan.groupReader(group).next();
    }
}
