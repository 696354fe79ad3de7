package org.heapspan.spark.nativerdd;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.heapspan.TableElements;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.heapspan.nativerdd.NativeProgramException;
import scala.reflect.ClassTag$;

/** Tables of Spark SQL: what native programs read of them, and make. Spark itself reads and writes their files. */
final class Tables {
    private Tables() {}

    /**
     * A table as a native program reads it. If Spark computes it in columns, as it reads Parquet files, the columns are copied; otherwise its rows are.
     *
     * @param name what the program calls it
     * @throws NativeProgramException if the program expects other columns
     */
    static BatchRdd read(String name, ValueType type, Dataset<?> table) {
        StructType columns = table.schema();
        // Errors about types are reported here, before there is a job.
        BatchesOfTable unused = new BatchesOfTable(name, type, columns, scala.collection.Iterator$.MODULE$.empty());
        return new ApplicationRdd(
                TableElements.of(table), rows -> new BatchesOfTable(name, type, columns, rows), "table " + name);
    }

    /**
     * Parquet files as a table.
     *
     * @param path a file, a folder or a pattern
     * @param names its columns, in this order; none: all that there are
     */
    static Dataset<Row> ofParquet(SparkSession session, String path, List<String> names) {
        Dataset<Row> all = session.read().parquet(path);
        if (names.isEmpty()) {
            return all;
        }
        List<String> present = Arrays.asList(all.schema().fieldNames());
        StructType wanted = new StructType();
        List<Column> columns = new ArrayList<>();
        for (String name : names) {
            if (!present.contains(name)) {
                throw new NativeProgramException("the files " + path + " have no column " + name + ", only " + present);
            }
            wanted = wanted.add(all.schema().apply(name));
            columns.add(functions.col("`" + name.replace("`", "``") + "`"));
        }
        // With the columns in this order Spark has nothing to do but to read them.
        return session.read().schema(wanted).parquet(path).select(columns.toArray(Column[]::new));
    }

    /**
     * What a native program has made as a table.
     *
     * @param name what the program calls it
     * @param columns a name for each part of a tuple; or one, if the elements are no tuples
     */
    static Dataset<Row> make(
            SparkSession session, String name, ValueType type, RDD<RddBatch> batches, List<String> columns) {
        StructType schema = schema(name, type, columns);
        RDD<InternalRow> rows =
                batches.mapPartitions(new RowsOfBatches(type), false, ClassTag$.MODULE$.apply(InternalRow.class));
        return TableElements.table(session, rows, schema);
    }

    /**
     * Lines of text as a table of one column.
     *
     * @param columns its name
     */
    static Dataset<Row> ofLines(SparkSession session, String name, JavaRDD<String> lines, List<String> columns) {
        return session.createDataFrame(lines.map(RowFactory::create), schema(name, ValueType.Simple.STRING, columns));
    }

    private static StructType schema(String name, ValueType type, List<String> columns) {
        List<ValueType> types = type.columns();
        if (types.size() != columns.size()) {
            throw new NativeProgramException("the result " + name + " of a native program has the type " + type
                    + ", so a table of it has " + types.size() + " columns, not " + columns.size());
        }
        StructField[] fields = new StructField[types.size()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = ValueType.column(columns.get(i), types.get(i));
        }
        return DataTypes.createStructType(fields);
    }
}
