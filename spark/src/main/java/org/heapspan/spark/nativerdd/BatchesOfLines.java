package org.heapspan.spark.nativerdd;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.NoSuchElementException;
import org.heapspan.nativerdd.NativeBatch;
import org.heapspan.nativerdd.NativeProgramException;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Puts strings into blocks of whole lines, as of a text file. */
final class BatchesOfLines extends AbstractIterator<RddBatch> {
    private static final int MOST_END_BYTES = 2;

    private final Iterator<?> lines;
    private byte[] block = new byte[64 << 10];

    BatchesOfLines(Iterator<?> lines) {
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
            Object element = lines.next();
            if (!(element instanceof String line)) {
                throw new NativeProgramException(
                        "a native program reads an RDD as a text file, and one of its elements" + " is no string but "
                                + (element == null ? null : element.getClass().getName()));
            }
            if (line.indexOf('\n') >= 0) {
                throw new NativeProgramException(
                        "an element of an RDD that a native program reads as lines has a line break; split it before");
            }
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            if (block.length - size < bytes.length + MOST_END_BYTES) {
                block = Arrays.copyOf(block, Math.addExact(Math.multiplyExact(2, size), bytes.length + MOST_END_BYTES));
            }
            System.arraycopy(bytes, 0, block, size, bytes.length);
            size += bytes.length;
            if (line.endsWith("\r")) {
                // Or else the program takes this one for a part of the end.
                block[size++] = '\r';
            }
            block[size++] = '\n';
        }
        NativeBatch memory = NativeBatch.allocate(size);
        memory.put(0, block, 0, size);
        return new RddBatch(memory);
    }
}
