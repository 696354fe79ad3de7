package org.heapspan.benchmarks.secondheap;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.heapspan.h2.H2Sequence;
import org.heapspan.h2.Label;
import org.heapspan.h2.SecondHeap;

/** Keeps blocks of rows in one way or another. Thread-safe. */
enum RowStore {
    SECOND_HEAP("second heap") {
        @Override
        Block store(SecondHeap heap, Row[] rows) {
            H2Sequence<Row> sequence = heap.append(LABEL, java.util.Arrays.asList(rows));
            return new Block() {
                @Override
                public long scan() {
                    long sum = 0;
                    for (Row row : sequence.elements()) {
                        sum += row.clicks;
                    }
                    return sum;
                }

                @Override
                public long sizeBytes() {
                    return sequence.imageBytes();
                }

                @Override
                public void close() {
                    sequence.close();
                }
            };
        }
    },
    /** Nothing but a copy of as many bytes, in and out; in an array that is there. */
    COPY("copy of the bytes") {
        @Override
        Block store(SecondHeap heap, Row[] rows) {
            return copy(rows.length, false);
        }
    },
    /** Into new arrays, as new objects need new memory. */
    COPY_INTO_NEW_ARRAYS("copy of the bytes into new arrays") {
        @Override
        Block store(SecondHeap heap, Row[] rows) {
            return copy(rows.length, true);
        }
    },
    KRYO_REGISTERED("Kryo, registered") {
        @Override
        Block store(SecondHeap heap, Row[] rows) {
            return kryo(true, rows);
        }
    },
    KRYO("Kryo") {
        @Override
        Block store(SecondHeap heap, Row[] rows) {
            return kryo(false, rows);
        }
    },
    JAVA("Java serialization") {
        @Override
        Block store(SecondHeap heap, Row[] rows) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                for (int i = 0; i < rows.length; i++) {
                    out.writeObject(rows[i]);
                    if (i % 100 == 99) {
                        // As Spark does.
                        out.reset();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            byte[] kept = bytes.toByteArray();
            return new OfBytes(kept.length) {
                @Override
                public long scan() {
                    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(kept))) {
                        long sum = 0;
                        for (int i = 0; i < Row.BLOCK; i++) {
                            sum += ((Row) in.readObject()).clicks;
                        }
                        return sum;
                    } catch (IOException | ClassNotFoundException e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
        }
    },
    JAVA_HEAP("objects on the Java heap") {
        @Override
        Block store(SecondHeap heap, Row[] rows) {
            Row[] kept = Row.block((int) (rows[0].id / Row.BLOCK));
            return new OfBytes(0) {
                @Override
                public long scan() {
                    long sum = 0;
                    for (Row row : kept) {
                        sum += row.clicks;
                    }
                    return sum;
                }
            };
        }
    };

    static final Label LABEL = Label.of(1);

    /** About what a row takes in the second heap; a copy is of as many bytes. */
    static final int IMAGE_BYTES_OF_ROW = 200;

    private static final int GROUP_BYTES = 128 << 10;

    private final String title;

    RowStore(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Rows that are stored. */
    interface Block extends AutoCloseable {
        /** Looks at each row; the sum of their clicks. */
        long scan();

        /** What it takes off the Java heap, or in arrays of bytes. */
        long sizeBytes();

        @Override
        void close();
    }

    private abstract static class OfBytes implements Block {
        private final long sizeBytes;

        OfBytes(long sizeBytes) {
            this.sizeBytes = sizeBytes;
        }

        @Override
        public long sizeBytes() {
            return sizeBytes;
        }

        @Override
        public void close() {
            // The collector's business.
        }
    }

    /** Whether it only copies bytes, which shows what memory allows. */
    boolean isCopy() {
        return this == COPY || this == COPY_INTO_NEW_ARRAYS;
    }

    /** Stores a block. */
    abstract Block store(SecondHeap heap, Row[] rows);

    private static Block copy(int rows, boolean intoNewArrays) {
        ByteBuffer kept = ByteBuffer.allocateDirect(IMAGE_BYTES_OF_ROW * rows);
        byte[] group = new byte[GROUP_BYTES];
        for (int at = 0; at < kept.capacity(); at += group.length) {
            kept.put(at, group, 0, Math.min(group.length, kept.capacity() - at));
        }
        return new OfBytes(kept.capacity()) {
            @Override
            public long scan() {
                byte[] target = new byte[GROUP_BYTES];
                long sum = 0;
                for (int at = 0; at < kept.capacity(); at += target.length) {
                    if (intoNewArrays) {
                        target = new byte[GROUP_BYTES];
                    }
                    kept.get(at, target, 0, Math.min(target.length, kept.capacity() - at));
                    sum += target[1];
                }
                return sum;
            }
        };
    }

    private static Block kryo(boolean registered, Row[] rows) {
        Output output = new Output(1 << 20, -1);
        Kryo writer = newKryo(registered);
        for (Row row : rows) {
            writer.writeClassAndObject(output, row);
        }
        byte[] kept = output.toBytes();
        return new OfBytes(kept.length) {
            @Override
            public long scan() {
                Kryo kryo = newKryo(registered);
                Input input = new Input(kept);
                long sum = 0;
                for (int i = 0; i < Row.BLOCK; i++) {
                    sum += ((Row) kryo.readClassAndObject(input)).clicks;
                }
                return sum;
            }
        };
    }

    private static Kryo newKryo(boolean registered) {
        Kryo kryo = new Kryo();
        kryo.setRegistrationRequired(registered);
        if (registered) {
            kryo.register(Row.class);
            kryo.register(double[].class);
        }
        return kryo;
    }
}
