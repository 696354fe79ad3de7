package org.heapspan.benchmarks.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;

/** What the streams of all serializers have in common that are only compared with. */
final class PeerStreams {
    private PeerStreams() {}

    /** Ends with the stream below it. */
    abstract static class Output<T extends OutputStream> extends SerializationStream {
        final T target;

        Output(T target) {
            this.target = target;
        }

        @Override
        public void flush() {
            try {
                target.flush();
            } catch (IOException e) {
                throw thrown(e);
            }
        }

        @Override
        public void close() {
            try {
                target.close();
            } catch (IOException e) {
                throw thrown(e);
            }
        }
    }

    /** Ends with the stream below it. */
    abstract static class Input<T extends InputStream> extends DeserializationStream {
        final T source;

        Input(T source) {
            this.source = source;
        }

        @Override
        public void close() {
            try {
                source.close();
            } catch (IOException e) {
                throw thrown(e);
            }
        }
    }

    /** Throws it as it is: Scala's methods declare no exceptions, and Spark waits for an EOFException at the end of a stream. */
    static RuntimeException thrown(IOException exception) {
        return PeerStreams.<RuntimeException>raised(exception);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> RuntimeException raised(Exception exception) throws E {
        throw (E) exception;
    }
}
