package org.heapspan.spark.nativerdd;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.ReflectionUtils;

/** Writes the bytes of batches to files, compressed if the settings of Hadoop say so, as for text files. Hadoop makes it. */
public final class BatchOutputFormat extends FileOutputFormat<NullWritable, RddBatch> {
    /** For Hadoop. */
    public BatchOutputFormat() {}

    @Override
    public RecordWriter<NullWritable, RddBatch> getRecordWriter(
            FileSystem ignored, JobConf job, String name, Progressable progress) throws IOException {
        OutputStream stream;
        if (getCompressOutput(job)) {
            CompressionCodec codec = ReflectionUtils.newInstance(getOutputCompressorClass(job, GzipCodec.class), job);
            Path file = FileOutputFormat.getTaskOutputPath(job, name + codec.getDefaultExtension());
            stream = codec.createOutputStream(file.getFileSystem(job).create(file, progress));
        } else {
            Path file = FileOutputFormat.getTaskOutputPath(job, name);
            stream = file.getFileSystem(job).create(file, progress);
        }
        return new RecordWriter<>() {
            @Override
            public void write(NullWritable key, RddBatch batch) throws IOException {
                RddBatch taken = BatchLoan.take(batch);
                try {
                    taken.writeTo(stream);
                } finally {
                    BatchLoan.giveBack(taken);
                }
            }

            @Override
            public void close(Reporter reporter) throws IOException {
                stream.close();
            }
        };
    }
}
