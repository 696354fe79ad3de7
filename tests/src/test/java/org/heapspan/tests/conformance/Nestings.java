package org.heapspan.tests.conformance;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Structures that hold another object, each by itself and each within each other, as a start for the fuzzers. */
public final class Nestings {
    private static final int DEPTH = 24;

    /** Of structures that ask their contents for no hash code. */
    private static final int GREAT_DEPTH = 150;

    private Nestings() {}

    /** What the arrays of a declared type hold. */
    interface Shape {}

    /** Of those arrays; what else there is in the image is none. */
    static final class Circle implements Shape, Serializable {
        int radius = 2;
        Object inner;

        Circle(Object inner) {
            this.inner = inner;
        }
    }

    /** Refers by declared types. */
    static final class Drawing implements Serializable {
        Circle first;
        Shape second;
        Shape[] shapes;
        Circle[] circles;
        List<Circle> list = new ArrayList<>();
        String title = "drawing";
        Integer number = 7;
        Object content;

        Drawing(Object content) {
            first = new Circle(content);
            second = first;
            shapes = new Shape[] {first, new Circle(null)};
            circles = new Circle[] {new Circle("inner"), new Circle(1)};
            list.add(first);
            this.content = content;
        }
    }

    record Pair(Object left, Circle right) implements Serializable {}

    /** Reads and writes by methods of its own. */
    static final class Hooked implements Serializable {
        private transient Object content;

        Hooked(Object content) {
            this.content = content;
        }

        private void writeObject(ObjectOutputStream target) throws IOException {
            target.defaultWriteObject();
            target.writeInt(3);
            target.writeObject(content);
        }

        private void readObject(ObjectInputStream source) throws IOException, ClassNotFoundException {
            source.defaultReadObject();
            source.readInt();
            content = source.readObject();
        }
    }

    /** As {@link Hooked}. */
    public static final class Outside implements Externalizable {
        private Object content;

        /** For the reader. */
        public Outside() {}

        Outside(Object content) {
            this.content = content;
        }

        @Override
        public void writeExternal(ObjectOutput target) throws IOException {
            target.writeObject(content);
        }

        @Override
        public void readExternal(ObjectInput source) throws IOException, ClassNotFoundException {
            content = source.readObject();
        }
    }

    /** Stands for itself by another object. */
    static final class Replaced implements Serializable {
        private final Object content;

        Replaced(Object content) {
            this.content = content;
        }

        private Object writeReplace() {
            return new Pair(content, null);
        }
    }

    /** An order of objects of all classes. */
    record TextFirst() implements Comparator<Object>, Serializable {
        @Override
        public int compare(Object one, Object other) {
            return Boolean.compare(other instanceof String, one instanceof String);
        }
    }

    /** Of a proxy. */
    static final class Handler implements InvocationHandler, Serializable {
        private final Object content;

        Handler(Object content) {
            this.content = content;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return switch (method.getName()) {
                case "hashCode" -> 1;
                case "equals" -> proxy == arguments[0];
                case "toString" -> "proxy";
                case "compareTo" -> 0;
                default -> content;
            };
        }
    }

    /** A lambda that takes its capture along. */
    private interface Captured extends Supplier<Object>, Serializable {}

    private static Object captured(Object content) {
        Captured lambda = () -> content;
        return lambda;
    }

    private static Collection<Object> with(Collection<Object> collection, Object element) {
        collection.add("first");
        collection.add(element);
        return collection;
    }

    private static Map<Object, Object> value(Map<Object, Object> map, Object value) {
        map.put("first", "value");
        map.put("key", value);
        return map;
    }

    private static Map<Object, Object> key(Map<Object, Object> map, Object key) {
        map.put(key, "value");
        return map;
    }

    /** What holds one object. Keys are only such as have a hash code that ends. */
    @SuppressWarnings({"JdkObsolete", "IdentityHashMapUsage"}) // Users have them.
    static List<UnaryOperator<Object>> structures() {
        return List.of(
                each -> value(new HashMap<>(), each),
                each -> key(new HashMap<>(), each),
                each -> value(new LinkedHashMap<>(), each),
                each -> value(new TreeMap<>(), each),
                each -> value(new TreeMap<>(Collections.reverseOrder()), each),
                each -> value(new ConcurrentHashMap<>(), each),
                each -> value(new Hashtable<>(), each),
                each -> value(new IdentityHashMap<>(), each),
                each -> value(new ConcurrentSkipListMap<>(), each),
                each -> new EnumMap<>(Map.of(TimeUnit.DAYS, each)),
                each -> Map.of("key", each),
                each -> Map.of("key", each, "other", 1),
                each -> with(new ArrayList<>(), each),
                each -> with(new LinkedList<>(), each),
                each -> with(new ArrayDeque<>(), each),
                each -> with(new Vector<>(), each),
                each -> with(new HashSet<>(), each),
                each -> with(new LinkedHashSet<>(), each),
                each -> with(new CopyOnWriteArrayList<>(), each),
                each -> with(new CopyOnWriteArraySet<>(), each),
                each -> with(new ConcurrentLinkedQueue<>(), each),
                each -> with(new ConcurrentLinkedDeque<>(), each),
                each -> with(new LinkedBlockingQueue<>(), each),
                each -> with(new LinkedBlockingDeque<>(), each),
                each -> with(new PriorityQueue<>(new TextFirst()), each),
                each -> List.of(each),
                each -> List.of(each, 1, 2),
                each -> Set.of(each),
                Collections::singletonList,
                each -> Collections.singletonMap("key", each),
                each -> Collections.nCopies(1, each),
                each -> Collections.unmodifiableList(new ArrayList<>(List.of(each))),
                each -> Collections.synchronizedMap(value(new HashMap<>(), each)),
                each -> Arrays.asList(each, null),
                each -> new AtomicReference<>(each),
                Optional::of,
                each -> new Object[] {each, null},
                each -> new Object[][] {{each}, {}},
                each -> new Map.Entry<?, ?>[] {Map.entry("key", each)},
                Drawing::new,
                each -> new Pair(each, new Circle(each)),
                Hooked::new,
                Outside::new,
                Replaced::new,
                Nestings::captured,
                each -> Proxy.newProxyInstance(
                        Nestings.class.getClassLoader(),
                        new Class<?>[] {Runnable.class, Comparable.class},
                        new Handler(each)));
    }

    /** Objects of the user, the JDK, and none. */
    private static List<Object> innermost() {
        return List.of("text", new Circle(null), new int[] {1, 2, 3}, TimeUnit.HOURS, 5L);
    }

    /** Each structure around something, and around each structure, once and many times. */
    public static List<Supplier<Object>> all() {
        List<UnaryOperator<Object>> structures = structures();
        List<Supplier<Object>> all = new ArrayList<>();
        for (UnaryOperator<Object> outer : structures) {
            for (Object each : innermost()) {
                all.add(() -> outer.apply(each));
            }
            for (UnaryOperator<Object> inner : structures) {
                all.add(() -> outer.apply(inner.apply("text")));
                all.add(() -> alternating(outer, inner, DEPTH));
            }
        }
        return all;
    }

    /** Each structure many times around itself, alone and with what begins to count depth anew. */
    public static List<Supplier<Object>> deep() {
        List<Supplier<Object>> all = new ArrayList<>();
        for (UnaryOperator<Object> each : structures()) {
            all.add(() -> alternating(each, UnaryOperator.identity(), GREAT_DEPTH));
            all.add(() -> alternating(each, Optional::of, GREAT_DEPTH));
            all.add(() -> alternating(each, Hooked::new, GREAT_DEPTH));
        }
        return all;
    }

    private static Object alternating(UnaryOperator<Object> outer, UnaryOperator<Object> inner, int depth) {
        Object nested = "text";
        for (int i = 0; i < depth; i++) {
            nested = outer.apply(inner.apply(nested));
        }
        return nested;
    }
}
