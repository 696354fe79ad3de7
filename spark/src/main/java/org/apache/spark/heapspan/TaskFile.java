package org.apache.spark.heapspan;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file in Spark's local folders that a task writes once and then reads once; encrypted if {@code spark.io.encryption.enabled} says so. For the
 * thread of the task.
 *
 * <p>Relies on {@code core/.../storage/DiskBlockManager.scala} and {@code core/.../serializer/SerializerManager.scala}.
 */
public final class TaskFile {
    private static final Logger LOG = LoggerFactory.getLogger(TaskFile.class);

    private static final int BUFFER_BYTES = 64 << 10;

    private final File file;
    private @Nullable OutputStream output;
    private @Nullable InputStream input;

    /**
     * Makes the file.
     *
     * @throws IOException if it cannot be made
     */
    public TaskFile() throws IOException {
        SparkEnv environment = SparkEnv.get();
        file = environment
                .blockManager()
                .diskBlockManager()
                .createTempLocalBlock()
                ._2();
        output = environment.serializerManager().wrapForEncryption((OutputStream)
                new BufferedOutputStream(Files.newOutputStream(file.toPath()), BUFFER_BYTES));
    }

    /**
     * Where to write.
     *
     * @return a stream, not to be closed
     */
    public OutputStream output() {
        OutputStream open = output;
        if (open == null) {
            throw new IllegalStateException("the spill is being read, or was deleted; it cannot be written any more");
        }
        return open;
    }

    /**
     * Where to read. The first call ends the writing.
     *
     * @return a stream, not to be closed
     * @throws IOException if the file cannot be read
     */
    public InputStream input() throws IOException {
        InputStream open = input;
        if (open == null) {
            output().close();
            output = null;
            open = SparkEnv.get().serializerManager().wrapForEncryption((InputStream)
                    new BufferedInputStream(Files.newInputStream(file.toPath()), BUFFER_BYTES));
            input = open;
        }
        return open;
    }

    /**
     * Removes the file.
     *
     * @return how many bytes it had
     */
    public long delete() {
        close(output);
        close(input);
        output = null;
        input = null;
        long sizeBytes = file.length();
        if (file.exists() && !file.delete()) {
            LOG.warn("Spilled data of a native program stay in {}, which cannot be deleted", file);
        }
        return sizeBytes;
    }

    private static void close(@Nullable Closeable stream) {
        if (stream != null) {
            try {
                stream.close();
            } catch (IOException e) {
                LOG.debug("A file of a task cannot be closed", e);
            }
        }
    }
}
