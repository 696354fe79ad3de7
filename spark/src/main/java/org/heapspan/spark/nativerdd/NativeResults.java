package org.heapspan.spark.nativerdd;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.heapspan.nativerdd.NativeProgramException;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** What a native program has given the application that ran it: RDDs, each under a name. They are computed when they are used. */
public final class NativeResults {
    private final Map<String, Result> results = new LinkedHashMap<>();

    /**
     * One of them.
     *
     * @param type null for lines of text
     */
    private record Result(RDD<RddBatch> batches, @Nullable ValueType type) {}

    NativeResults() {}

    void putLines(String name, RDD<RddBatch> batches) {
        results.put(name, new Result(batches, null));
    }

    void put(String name, RDD<RddBatch> batches, ValueType type) {
        results.put(name, new Result(batches, type));
    }

    /**
     * What there is.
     *
     * @return the names that the program has chosen
     */
    public Set<String> names() {
        return Set.copyOf(results.keySet());
    }

    /**
     * A result as an RDD. Its elements have the classes that the table in {@code docs/native-rdd.md} says.
     *
     * @param name which one
     * @param <T> the class of its elements, which the caller knows
     * @return the RDD
     * @throws NativeProgramException if the program has given nothing of this name
     */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"
    }) // As RDD.collect of Scala: the caller says what it is.
    public <T> RDD<T> get(String name) {
        Result result = result(name);
        if (result.type == null) {
            return (RDD<T>) lines(result).rdd();
        }
        ClassTag<Object> tag = ClassTag$.MODULE$.apply(result.type.valueClass());
        return (RDD<T>) result.batches.mapPartitions(new ValuesOfBatches(result.type), false, tag);
    }

    /**
     * A result as a table.
     *
     * @param session where the table is used
     * @param name which one
     * @param columns a name for each part of a tuple; or one, if the elements are no tuples. None: the names are those that Spark gives, {@code _1},
     *     {@code _2} and so on for the parts of a tuple, otherwise {@code value}
     * @return the table
     * @throws NativeProgramException if the program has given nothing of this name, or elements with another number of parts
     */
    public Dataset<Row> dataFrame(SparkSession session, String name, List<String> columns) {
        Result result = result(name);
        ValueType type = result.type == null ? ValueType.Simple.STRING : result.type;
        List<String> names = columns.isEmpty() ? type.columnNames() : columns;
        return result.type == null
                ? Tables.ofLines(session, name, lines(result), names)
                : Tables.make(session, name, type, result.batches, names);
    }

    private static JavaRDD<String> lines(Result result) {
        return JavaRDD.fromRDD(result.batches, RddBatch.TAG).mapPartitions(new LinesOfBatches());
    }

    private Result result(String name) {
        Result result = results.get(name);
        if (result == null) {
            throw new NativeProgramException("the program has given no result " + name + ", only " + results.keySet());
        }
        return result;
    }
}
