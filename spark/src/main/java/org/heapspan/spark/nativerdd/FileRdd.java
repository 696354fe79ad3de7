package org.heapspan.spark.nativerdd;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.io.ZStdCompressionCodec;
import org.apache.spark.rdd.HadoopPartition;
import org.apache.spark.rdd.RDD;
import org.apache.spark.util.SerializableConfiguration;
import org.heapspan.nativerdd.NativeProgramException;
import org.jspecify.annotations.Nullable;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/**
 * The bytes of files: blocks of whole lines, or of whole records. Hadoop finds the files, their parts and where these are best read, as it does for
 * Spark's own text files. Compressed text files are read through Hadoop's codecs, each as a whole.
 */
final class FileRdd extends BatchRdd {
    private static final long serialVersionUID = 1L;

    /** Hadoop's setting for text files whose records are no lines. */
    private static final String DELIMITER = "textinputformat.record.delimiter";

    /** Spark's RDD of the same files, which knows the parts; null in executors. */
    private final transient @Nullable RDD<?> files;

    private final Broadcast<SerializableConfiguration> configuration;

    /** 0 for lines. */
    private final long recordBytes;

    private FileRdd(SparkContext context, RDD<?> files, long recordBytes) {
        super(context, noDependencies());
        this.files = files;
        this.recordBytes = recordBytes;
        configuration = SerializableConfiguration.broadcast(context);
    }

    /** Reads lines. */
    static FileRdd ofLines(SparkContext context, String path, int minPartitions) {
        String delimiter = context.hadoopConfiguration().get(DELIMITER);
        if (delimiter != null && !delimiter.equals("\n")) {
            throw new NativeProgramException("the setting " + DELIMITER
                    + " says where records of text end, and text_file reads lines; unset it, or read the file in the application,"
                    + " and give the program the RDD");
        }
        return of(context, path, minPartitions, LineFiles.class, 0);
    }

    /** Reads records. */
    static FileRdd ofRecords(SparkContext context, String path, long recordBytes, int minPartitions) {
        if (recordBytes <= 0) {
            throw new NativeProgramException("records have " + recordBytes + " bytes, expected at least 1");
        }
        return of(context, path, minPartitions, RecordFiles.class, recordBytes);
    }

    private static FileRdd of(
            SparkContext context,
            String path,
            int minPartitions,
            Class<? extends TextInputFormat> format,
            long recordBytes) {
        int partitions = minPartitions > 0 ? minPartitions : context.defaultMinPartitions();
        RDD<?> files = context.hadoopFile(path, format, LongWritable.class, Text.class, partitions);
        FileRdd rdd = new FileRdd(context, files, recordBytes);
        rdd.setName(path);
        return rdd;
    }

    private static Seq<Dependency<?>> noDependencies() {
        @SuppressWarnings("unchecked") // It is empty.
        Seq<Dependency<?>> none = (Seq<Dependency<?>>) (Seq<?>) Nil$.MODULE$;
        return none;
    }

    /** Text files that are compressed cannot be divided. */
    static final class LineFiles extends TextInputFormat {
        private @Nullable Configuration configuration;

        @Override
        public void configure(org.apache.hadoop.mapred.JobConf conf) {
            super.configure(conf);
            configuration = conf;
        }

        @Override
        protected boolean isSplitable(FileSystem system, Path file) {
            return codecOf(file, configuration == null ? new Configuration() : configuration) == null;
        }
    }

    /** All files of records can be divided. */
    static final class RecordFiles extends TextInputFormat {
        @Override
        protected boolean isSplitable(FileSystem system, Path file) {
            return true;
        }
    }

    private static @Nullable CompressionCodec codecOf(Path file, Configuration configuration) {
        return new CompressionCodecFactory(configuration).getCodec(file);
    }

    private RDD<?> files() {
        RDD<?> known = files;
        if (known == null) {
            throw new IllegalStateException("only the driver knows the parts of files");
        }
        return known;
    }

    @Override
    public Partition[] getPartitions() {
        return files().partitions();
    }

    @Override
    public Seq<String> getPreferredLocations(Partition partition) {
        return files().preferredLocations(partition);
    }

    @Override
    Iterator<RddBatch> batches(Partition partition, TaskContext context) {
        FileSplit part = (FileSplit) ((HadoopPartition) partition).inputSplit().value();
        try {
            return recordBytes == 0 ? lines(part, context) : records(part, context);
        } catch (IOException e) {
            throw new UncheckedIOException("the file " + part.getPath() + " cannot be read", e);
        }
    }

    private Iterator<RddBatch> lines(FileSplit part, TaskContext context) throws IOException {
        Configuration hadoop = configuration.value().value();
        CompressionCodec codec = codecOf(part.getPath(), hadoop);
        long start = codec == null ? part.getStart() : 0;
        long end = codec == null ? start + part.getLength() : Long.MAX_VALUE;
        ByteSource source = codec == null
                ? open(part.getPath(), start, hadoop, context)
                : ByteSource.of(decompressed(codec, file(part.getPath(), hadoop, context)));
        LineBlocks blocks = new LineBlocks(source, start, end, LineBlocks.BLOCK_BYTES);
        context.addTaskCompletionListener(task -> {
            blocks.close();
            return null;
        });
        return counted(blocks, context);
    }

    private static InputStream decompressed(CompressionCodec codec, InputStream file) throws IOException {
        // Hadoop's codec needs Hadoop's native library, which a Spark rarely has. Spark's own does without.
        return codec instanceof ZStandardCodec && !ZStandardCodec.isNativeCodeLoaded()
                ? new ZStdCompressionCodec(SparkEnv.get().conf()).compressedInputStream(file)
                : codec.createInputStream(file);
    }

    private Iterator<RddBatch> records(FileSplit part, TaskContext context) throws IOException {
        Configuration hadoop = configuration.value().value();
        long length = part.getPath()
                .getFileSystem(hadoop)
                .getFileStatus(part.getPath())
                .getLen();
        if (length % recordBytes != 0) {
            throw new NativeProgramException("the file " + part.getPath() + " has " + length
                    + " bytes, expected a multiple of " + recordBytes + ", the size of a record");
        }
        // The part has the records that begin in it.
        long start = (part.getStart() + recordBytes - 1) / recordBytes * recordBytes;
        long end = (part.getStart() + part.getLength() + recordBytes - 1) / recordBytes * recordBytes;
        return counted(
                new RecordBlocks(open(part.getPath(), start, hadoop, context), Math.max(end - start, 0), recordBytes),
                context);
    }

    /** Opens a file at a position. */
    private static ByteSource open(Path path, long start, Configuration hadoop, TaskContext context)
            throws IOException {
        ByteSource source = ByteSource.of(path.getFileSystem(hadoop), path, start);
        closeAtEnd(source, context);
        return source;
    }

    private static FSDataInputStream file(Path path, Configuration hadoop, TaskContext context) throws IOException {
        FSDataInputStream stream = path.getFileSystem(hadoop).open(path);
        closeAtEnd(stream, context);
        return stream;
    }

    private static void closeAtEnd(java.io.Closeable file, TaskContext context) {
        context.addTaskCompletionListener(task -> {
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return null;
        });
    }

    private static Iterator<RddBatch> counted(Iterator<RddBatch> blocks, TaskContext context) {
        return new AbstractIterator<>() {
            @Override
            public boolean hasNext() {
                return blocks.hasNext();
            }

            @Override
            public RddBatch next() {
                RddBatch block = blocks.next();
                context.taskMetrics().inputMetrics().incBytesRead(block.memory().sizeBytes());
                return block;
            }
        };
    }
}
