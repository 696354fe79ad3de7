package org.apache.spark.heapspan;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.WholeStageCodegenExec;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * What Spark SQL computes tables with: rows, or batches of columns. Thread-safe.
 *
 * <p>Relies on {@code sql/core/.../classic/SparkSession.scala}, {@code .../execution/Columnar.scala} and {@code WholeStageCodegenExec.scala}.
 */
public final class TableElements {
    private TableElements() {}

    /**
     * A table as Spark computes it.
     *
     * @param table any one
     * @return of {@code ColumnarBatch} if that is what rows would be made of, such as for a Parquet file; otherwise of {@code InternalRow}. An element is
     *     valid until the next one
     */
    public static RDD<?> of(Dataset<?> table) {
        QueryExecution query = ((org.apache.spark.sql.classic.Dataset<?>) table).queryExecution();
        SparkPlan inColumns = inColumns(query.executedPlan());
        return inColumns == null ? query.toRdd() : inColumns.executeColumnar();
    }

    private static @Nullable SparkPlan inColumns(SparkPlan plan) {
        SparkPlan top = plan instanceof WholeStageCodegenExec generated ? generated.child() : plan;
        return top instanceof ColumnarToRowExec rows ? rows.child() : null;
    }

    /**
     * A table of rows.
     *
     * @param session where it is used
     * @param rows each is valid until the next one
     * @param columns what is in a row
     * @return the table
     */
    public static Dataset<Row> table(SparkSession session, RDD<InternalRow> rows, StructType columns) {
        return ((org.apache.spark.sql.classic.SparkSession) session).internalCreateDataFrame(rows, columns, false);
    }
}
