package org.heapspan.spark.nativerdd;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.Dependency;
import org.apache.spark.OneToOneDependency;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** An RDD of strings as a native program reads it: as a text file of which each string is a line. */
final class LinesRdd extends BatchRdd {
    private static final long serialVersionUID = 1L;

    LinesRdd(RDD<String> lines) {
        super(
                lines.context(),
                CollectionConverters.asScala(List.<Dependency<?>>of(new OneToOneDependency<>(lines)))
                        .toList());
        setName("lines of an RDD");
    }

    @SuppressWarnings("unchecked") // That is what it was made from.
    private RDD<String> lines() {
        return (RDD<String>) dependencies().head().rdd();
    }

    @Override
    public Partition[] getPartitions() {
        return lines().partitions();
    }

    @Override
    public Seq<String> getPreferredLocations(Partition partition) {
        return lines().preferredLocations(partition);
    }

    @Override
    Iterator<RddBatch> batches(Partition partition, TaskContext context) {
        return new Blocks(lines().iterator(partition, context));
    }

    /** Puts lines into blocks. */
    static final class Blocks extends AbstractIterator<RddBatch> {
        private final Iterator<String> lines;
        private byte[] block = new byte[64 << 10];

        Blocks(Iterator<String> lines) {
            this.lines = lines;
        }

        @Override
        public boolean hasNext() {
            return lines.hasNext();
        }

        @Override
        public RddBatch next() {
            if (!lines.hasNext()) {
                throw new NoSuchElementException("no more lines");
            }
            int size = 0;
            while (lines.hasNext() && size < LineBlocks.BLOCK_BYTES) {
                String line = lines.next();
                if (line.indexOf('\n') >= 0) {
                    throw new NativeProgramException(
                            "an element of an RDD that a native program reads as lines has a line break; split it before");
                }
                byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
                if (block.length - size <= bytes.length) {
                    block = Arrays.copyOf(block, Math.addExact(Math.multiplyExact(2, size), bytes.length + 1));
                }
                System.arraycopy(bytes, 0, block, size, bytes.length);
                size += bytes.length;
                block[size++] = '\n';
            }
            NativeBatch memory = NativeBatch.allocate(size);
            memory.put(0, block, 0, size);
            return new RddBatch(memory);
        }
    }
}
