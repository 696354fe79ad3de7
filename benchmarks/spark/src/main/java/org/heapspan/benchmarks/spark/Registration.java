package org.heapspan.benchmarks.spark;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a user who wants the last bit of a serializer would register: the classes that travel in the jobs, by their names. */
final class Registration {
    private static final String WORKLOADS = "org.heapspan.workloads.";
    private static final List<String> OF_WORKLOADS = List.of(
            "Event",
            "User",
            "Repository",
            "Label",
            "Comment",
            "Commit",
            "Issue",
            "Branch",
            "PullRequest",
            "Release",
            "Check",
            "IssueChange",
            "PullRequestChange",
            "Push",
            "ReleaseChange",
            "CheckChange",
            "OtherChange",
            "Profile",
            "Follow",
            "Place",
            "Posting",
            "Connection",
            "LabelledPoint");

    /** What {@code GraphXUtils.registerKryoClasses} of Spark 4.3 has. */
    private static final List<String> OF_GRAPHX = List.of(
            "org.apache.spark.graphx.Edge",
            "scala.Tuple2",
            "org.apache.spark.graphx.impl.EdgePartition",
            "org.apache.spark.graphx.impl.ShippableVertexPartition",
            "org.apache.spark.graphx.impl.RoutingTablePartition",
            "org.apache.spark.util.collection.BitSet",
            "org.apache.spark.util.collection.OpenHashSet",
            "org.apache.spark.graphx.impl.VertexAttributeBlock",
            "org.apache.spark.graphx.PartitionStrategy",
            "org.apache.spark.util.BoundedPriorityQueue",
            "org.apache.spark.graphx.EdgeDirection",
            "org.apache.spark.graphx.util.collection.GraphXPrimitiveKeyOpenHashMap");

    /** What travels in GraphX' jobs besides, as {@code spark.kryo.registrationRequired} finds it: sets of vertices. */
    private static final List<String> OF_VERTEX_SETS = List.of(
            "[Lorg.apache.spark.util.collection.OpenHashSet;",
            "org.apache.spark.util.collection.OpenHashSet$mcJ$sp",
            "org.apache.spark.util.collection.OpenHashSet$LongHasher",
            "scala.reflect.ManifestFactory$LongManifest");

    /** What Spark's {@code KryoSerializer} registers itself and the jobs use, MLlib's classes among them. */
    private static final List<String> OF_SPARKS_KRYO = List.of(
            "org.apache.spark.util.collection.CompactBuffer",
            "org.apache.spark.mllib.linalg.DenseVector",
            "org.apache.spark.mllib.linalg.SparseVector",
            "org.apache.spark.mllib.linalg.DenseMatrix",
            "org.apache.spark.mllib.regression.LabeledPoint",
            "org.apache.spark.mllib.clustering.VectorWithNorm");

    private Registration() {}

    /** For Kryo, by Spark's setting {@code spark.kryo.classesToRegister}. */
    static String withKryo() {
        return Stream.of(workloads(), OF_GRAPHX.stream())
                .flatMap(names -> names)
                .collect(Collectors.joining(","));
    }

    /** For Fory, which has no list of Spark's. */
    static String withFory() {
        return Stream.of(workloads(), OF_GRAPHX.stream(), OF_VERTEX_SETS.stream(), OF_SPARKS_KRYO.stream())
                .flatMap(names -> names)
                .collect(Collectors.joining(","));
    }

    private static Stream<String> workloads() {
        return OF_WORKLOADS.stream().map(WORKLOADS::concat);
    }
}
