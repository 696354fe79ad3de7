package org.heapspan.benchmarks.data;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One object that holds so many elements. The shapes are those of Naos (USENIX ATC'21, section 5): numbers, small
 * objects in an array, objects with an array each, a map; and media contents.
 */
public final class SizedSet implements DataSet {
    /** The shapes. */
    public static final List<String> NAMES = List.of("floats", "points", "pairs", "map", "media");

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
            default -> media();
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

    private Object[] media() {
        Object[] media = new Object[elements];
        Object[] records = DataSets.named("media").records();
        for (int i = 0; i < elements; i++) {
            if (i > 0 && i % records.length == 0) {
                // Distinct objects: a serializer that tracks references shall not get them for nothing.
                records = DataSets.named("media").records();
            }
            media[i] = records[i % records.length];
        }
        return media;
    }

    @Override
    public List<Class<?>> classes() {
        return switch (name) {
            case "floats" -> List.of(float[].class);
            case "points" -> List.of(Point.class, Point[].class);
            case "pairs" -> List.of(Labelled.class, Labelled[].class, char[].class);
            case "map" -> List.of(HashMap.class, Point.class);
            default ->
                Stream.concat(DataSets.named("media").classes().stream(), Stream.of(Object[].class))
                        .distinct()
                        .toList();
        };
    }
}
