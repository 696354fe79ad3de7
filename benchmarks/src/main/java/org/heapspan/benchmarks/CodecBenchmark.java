package org.heapspan.benchmarks;

import java.util.concurrent.TimeUnit;
import org.heapspan.benchmarks.data.DataSet;
import org.heapspan.benchmarks.data.DataSets;
import org.heapspan.benchmarks.peer.Peer;
import org.heapspan.benchmarks.peer.Peers;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Encoding and decoding of one data set by one peer. An operation is one pass over all records of the set; divide by their
 * number, as {@link CodecReport} does, to get the time per record.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
    /** Name of a {@link DataSet}. */
    @Param("media")
    public String set = "";

    /** Name of a {@link Peer}. */
    @Param("jdk")
    public String peer = "";

    /** {@code CHUNK} or {@code SINGLE}. */
    @Param("CHUNK")
    public String call = "";

    private Subject subject;

    /**
     * Makes the records, encodes them once and checks that they come back.
     *
     * @throws IllegalStateException if they do not: what is wrong is not worth timing
     */
    @Setup
    public void setUp() {
        DataSet dataSet = DataSets.named(set);
        Object[] records = dataSet.records();
        subject = Subject.of(Peers.create(peer, dataSet), records, Call.valueOf(call));
        Verdict verdict = Verdict.of(dataSet, records, subject);
        if (!verdict.correct()) {
            throw new IllegalStateException(peer + " on " + set + ": " + verdict.remark());
        }
        // Records and tables of the peers live through the run: were they young, the first collections would copy them.
        System.gc();
    }

    /** Encodes all records into the peer's buffer. */
    @Benchmark
    public Object encode() {
        return subject.encode();
    }

    /** Decodes all records. */
    @Benchmark
    public Object decode() {
        return subject.decode();
    }

    /** Encodes all records, copies the bytes out, and decodes the copy. */
    @Benchmark
    public Object roundTrip() {
        return subject.roundTrip();
    }
}
