package org.heapspan.spark.cache;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;

/**
 * What partitions of GraphX have in common. Each step of an algorithm makes new partitions of vertices and edges, around the parts of the ones
 * before that have not changed; and joins of vertices whose indexes are the same object take a short way
 * ({@code VertexPartitionBaseOps.innerJoin}). Partitions in a second heap therefore share these parts, as they do on Spark's heap.
 */
final class SharedGraphParts {
    private SharedGraphParts() {}

    private static final String PACKAGE = "org.apache.spark.graphx.impl.";

    private static final Map<String, Set<String>> FIELDS = Map.of(
            "EdgePartition",
            Set.of("localSrcIds", "localDstIds", "data", "index", "global2local", "local2global"),
            "VertexPartition",
            Set.of("index"),
            "ShippableVertexPartition",
            Set.of("index", "routingTable"));

    /**
     * Whether a field refers to such a part; also one of a class that Scala has specialized for a primitive type. Attributes of edges are shared
     * in such a class only: of objects somebody might change one.
     */
    static boolean areIn(Field field) {
        String className = field.getDeclaringClass().getName();
        if (!className.startsWith(PACKAGE)) {
            return false;
        }
        Set<String> names = FIELDS.get(unspecialized(className.substring(PACKAGE.length())));
        return names != null
                && names.contains(unspecialized(withoutOwner(field.getName())))
                && field.getType() != Object.class;
    }

    /** A class {@code Name$mcI$sp} is {@code Name} for ints, and so are fields. */
    private static String unspecialized(String name) {
        int mark = name.indexOf("$mc");
        return mark < 0 || !name.endsWith("$sp") ? name : name.substring(0, mark);
    }

    /** Fields that several classes use are called {@code package$Class$$name}. */
    private static String withoutOwner(String name) {
        int mark = name.lastIndexOf("$$");
        return mark < 0 ? name : name.substring(mark + 2);
    }
}
