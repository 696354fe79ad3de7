package org.heapspan.benchmarks.data;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * One object that holds so many elements. The shapes are those of Naos (USENIX ATC'21, section 5): numbers, small
 * objects in an array, objects with an array each, a map; and media contents, edges of a graph, and JSON documents.
 */
public final class SizedSet implements DataSet {
    /** The shapes. */
    public static final List<String> NAMES = List.of("floats", "points", "pairs", "map", "media", "edges", "json");

    private final String name;
    private final int elements;

    /**
     * Elements of a shape.
     *
     * @throws IllegalArgumentException if there is no such shape; the message lists them
     */
    public SizedSet(String name, int elements) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("no data set '" + name + "'; there are " + NAMES);
        }
        this.name = name;
        this.elements = elements;
    }

    @Override
    public String name() {
        return name;
    }

    /** How many the object holds. */
    public int elements() {
        return elements;
    }

    @Override
    public String title() {
        return switch (name) {
            case "floats" -> "float[]";
            case "points" -> "Point[]";
            case "pairs" -> "{char[5], float}[]";
            case "map" -> "HashMap<Integer, Point>";
            case "edges" -> "Edge[]";
            case "json" -> "JSON document[]";
            default -> "media content[]";
        };
    }

    /** The one object. */
    public Object root() {
        return switch (name) {
            case "floats" -> floats();
            case "points" -> points();
            case "pairs" -> pairs();
            case "map" -> map();
            case "edges" -> edges();
            case "json" -> repeated("webhook");
            default -> repeated("media");
        };
    }

    @Override
    public Object[] records() {
        return new Object[] {root()};
    }

    private float[] floats() {
        float[] floats = new float[elements];
        for (int i = 0; i < elements; i++) {
            floats[i] = i / 7f;
        }
        return floats;
    }

    private Point[] points() {
        Point[] points = new Point[elements];
        Arrays.setAll(points, SizedSet::point);
        return points;
    }

    private static Point point(int number) {
        Point point = new Point();
        point.x = number / 3f;
        point.y = number / 5f;
        return point;
    }

    private Labelled[] pairs() {
        Labelled[] pairs = new Labelled[elements];
        Arrays.setAll(pairs, Labelled::new);
        return pairs;
    }

    private Map<Integer, Point> map() {
        Map<Integer, Point> map = new HashMap<>();
        for (int i = 0; i < elements; i++) {
            map.put(i * 31, point(i));
        }
        return map;
    }

    private Edge[] edges() {
        Edge[] edges = new Edge[elements];
        Random random = new Random(17);
        Arrays.setAll(edges, i -> Edge.between(random.nextInt(81_306), random.nextInt(81_306)));
        return edges;
    }

    private Object[] repeated(String set) {
        Object[] all = new Object[elements];
        Object[] records = DataSets.named(set).records();
        for (int i = 0; i < elements; i++) {
            if (i > 0 && i % records.length == 0) {
                // Distinct objects: a serializer that tracks references shall not get them for nothing.
                records = DataSets.named(set).records();
            }
            all[i] = records[i % records.length];
        }
        return all;
    }

    @Override
    public List<Class<?>> classes() {
        return switch (name) {
            case "floats" -> List.of(float[].class);
            case "points" -> List.of(Point.class, Point[].class);
            case "pairs" -> List.of(Labelled.class, Labelled[].class, char[].class);
            case "map" -> List.of(HashMap.class, Point.class);
            case "edges" -> List.of(Edge.class, Edge[].class, Edge.Place.class, int[].class);
            case "json" -> withArray("webhook");
            default -> withArray("media");
        };
    }

    private static List<Class<?>> withArray(String set) {
        return Stream.concat(DataSets.named(set).classes().stream(), Stream.of(Object[].class))
                .distinct()
                .toList();
    }
}
