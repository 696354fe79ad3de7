package org.apache.spark.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.api.python.PythonBroadcast;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.util.KnownSizeEstimation;
import org.heapspan.spark.SerializedStreams;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Spark itself broadcasts and writes by methods of its own. These log each failure as an error. */
@Tag("once")
final class LargeBroadcastTest {
    private static final int LARGE_BYTES = 20 << 20;
    private static final int SMALL_BYTES = 20;

    @TempDir
    Path folder;

    private final SerializerInstance instance = SerializedStreams.instance();

    /** Like the relations that Spark SQL broadcasts for joins. */
    public static final class Relation implements KnownSizeEstimation, Externalizable {
        private static final long serialVersionUID = 1L;

        private static int written;

        private int length;

        public Relation() {}

        Relation(int length) {
            this.length = length;
        }

        @Override
        public long estimatedSize() {
            return length;
        }

        @Override
        public void writeExternal(ObjectOutput target) throws IOException {
            written++;
            target.writeInt(length);
            target.write(new byte[length]);
        }

        @Override
        public void readExternal(ObjectInput source) throws IOException {
            length = source.readInt();
            source.readFully(new byte[length]);
        }
    }

    @Test
    void relationsAreWrittenOnce() {
        for (int length : new int[] {SMALL_BYTES, LARGE_BYTES}) {
            Relation.written = 0;
            byte[] stream = SerializedStreams.write(instance, new Relation(length));
            assertThat(Relation.written).isEqualTo(1);
            assertThat(SerializedStreams.read(instance, stream))
                    .singleElement()
                    .satisfies(copy -> assertThat(((Relation) copy).length).isEqualTo(length));
        }
    }

    @Test
    void valuesOfPythonAreWrittenWithoutAnErrorInTheLog() throws IOException {
        Path pickled = Files.write(folder.resolve("pickled"), new byte[LARGE_BYTES]);
        List<String> errors = new ArrayList<>();
        AbstractAppender appender = new AbstractAppender("errors", null, null, false, Property.EMPTY_ARRAY) {
            @Override
            public void append(LogEvent event) {
                if (event.getLevel().equals(Level.ERROR)) {
                    errors.add(event.getMessage().getFormattedMessage());
                }
            }
        };
        appender.start();
        Logger root = (Logger) LogManager.getRootLogger();
        root.addAppender(appender);
        try {
            assertThat(SerializedStreams.write(instance, new PythonBroadcast(pickled.toString())))
                    .hasSizeGreaterThan(LARGE_BYTES);
        } finally {
            root.removeAppender(appender);
        }
        assertThat(errors).isEmpty();
    }
}
