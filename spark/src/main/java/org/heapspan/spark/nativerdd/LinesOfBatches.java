package org.heapspan.spark.nativerdd;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.heapspan.nativerdd.NativeBatch;

/** The lines of text that a native program would write to a file: its batches, one after the other. */
final class LinesOfBatches implements FlatMapFunction<Iterator<RddBatch>, String>, Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<String> call(Iterator<RddBatch> batches) {
        return new Lines(batches);
    }

    private static final class Lines implements Iterator<String> {
        private final Iterator<RddBatch> batches;
        private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
        private byte[] bytes = {};
        private int at;

        Lines(Iterator<RddBatch> batches) {
            this.batches = batches;
        }

        @Override
        public boolean hasNext() {
            while (at == bytes.length && batches.hasNext()) {
                RddBatch batch = BatchLoan.take(batches.next());
                bytes = NativeBatch.bytesAt(
                        batch.memory().address(), batch.memory().sizeBytes());
                at = 0;
                BatchLoan.giveBack(batch);
            }
            return at < bytes.length || begun.size() > 0;
        }

        @Override
        public String next() {
            while (hasNext()) {
                if (at == bytes.length) {
                    // The last line lacks its end.
                    return line();
                }
                int from = at;
                while (at < bytes.length && bytes[at] != '\n') {
                    at++;
                }
                begun.write(bytes, from, at - from);
                if (at < bytes.length) {
                    at++;
                    return line();
                }
            }
            throw new NoSuchElementException("no more lines");
        }

        private String line() {
            String line = begun.toString(StandardCharsets.UTF_8);
            begun.reset();
            return line;
        }
    }
}
