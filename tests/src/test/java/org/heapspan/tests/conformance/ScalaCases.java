package org.heapspan.tests.conformance;

import java.io.Serializable;
import org.heapspan.tests.conformance.HashContainerCases.Color;
import scala.Function1;
import scala.None$;
import scala.Option;
import scala.Product;
import scala.Some;
import scala.Symbol;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.immutable.List;
import scala.collection.immutable.ListMap$;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Queue$;
import scala.collection.immutable.Range;
import scala.collection.immutable.Range$;
import scala.collection.immutable.Set;
import scala.collection.immutable.Set$;
import scala.collection.immutable.TreeMap$;
import scala.collection.immutable.Vector;
import scala.collection.immutable.Vector$;
import scala.collection.mutable.ArrayBuffer;
import scala.math.BigDecimal;
import scala.math.BigInt;
import scala.runtime.BoxedUnit;
import scala.runtime.ScalaRunTime;
import scala.util.Either;
import scala.util.Left;
import scala.util.Right;
import scala.util.Success;

/**
 * Types of the Scala 2.13 library, made from Java.
 *
 * <p>Most of its collections have writeReplace and travel by their contents all the same; identity of {@code None} and
 * {@code Nil} must hold.
 */
@SuppressWarnings({"unchecked", "rawtypes", "serial", "EnumOrdinal"})
public final class ScalaCases {

    private ScalaCases() {}

    /** What the Scala compiler makes of {@code case class Person(name: String, age: Int, color: Color)}. */
    static final class Person implements Product, Serializable {
        private final String name;
        private final int age;
        private final Color color;

        Person(String name, int age, Color color) {
            this.name = name;
            this.age = age;
            this.color = color;
        }

        @Override
        public int productArity() {
            return 3;
        }

        @Override
        public Object productElement(int index) {
            return switch (index) {
                case 0 -> name;
                case 1 -> age;
                case 2 -> color;
                default -> throw new IndexOutOfBoundsException("" + index);
            };
        }

        @Override
        public boolean canEqual(Object other) {
            return other instanceof Person;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Person that && that.name.equals(name) && that.age == age && that.color == color;
        }

        @Override
        public int hashCode() {
            return ScalaRunTime._hashCode(this);
        }

        @Override
        public String toString() {
            return ScalaRunTime._toString(this);
        }
    }

    /** What the compiler makes of {@code case object Nothing2}: a public module that is replaced by a proxy naming it. */
    public static final class CaseObject$ implements Product, Serializable {
        public static final CaseObject$ MODULE$ = new CaseObject$();

        @Override
        public int productArity() {
            return 0;
        }

        @Override
        public Object productElement(int index) {
            throw new IndexOutOfBoundsException("" + index);
        }

        @Override
        public boolean canEqual(Object other) {
            return other instanceof CaseObject$;
        }

        private Object writeReplace() {
            return new scala.runtime.ModuleSerializationProxy(CaseObject$.class);
        }
    }

    /** What the compiler makes of {@code object Settings { var changes = 1 }}: not Serializable, nothing but its field shows it. */
    public static final class Settings$ {
        public static final Settings$ MODULE$ = new Settings$();
        int changes = 1;
        final Thread owner = Thread.currentThread();
    }

    /** What the compiler makes of {@code case class Client(settings: Settings.type)}. */
    record Client(Settings$ settings, Object any) {}

    interface SerializableFunction1<A, B> extends Function1<A, B>, Serializable {}

    static void addTo(CaseList cases) {
        singletons(cases);
        sequences(cases);
        maps(cases);
        products(cases);
        cycles(cases);
    }

    private static List<Object> list(Object... elements) {
        List<Object> list = (List<Object>) (List) Nil$.MODULE$;
        for (int i = elements.length - 1; i >= 0; i--) {
            list = list.$colon$colon(elements[i]);
        }
        return list;
    }

    private static void inOrder(scala.collection.Iterable<?> received, Object... expected) {
        Iterator<?> it = received.iterator();
        for (int i = 0; i < expected.length; i++) {
            Check.that(it.hasNext(), "ended at " + i);
            Check.equal(expected[i], it.next(), "element " + i);
        }
        Check.that(!it.hasNext(), "more than " + expected.length + " elements");
    }

    private static void finds(scala.collection.Map<Object, Object> map, Object... pairs) {
        Check.equal(pairs.length / 2, map.size(), "size of " + map.getClass().getName());
        for (int i = 0; i < pairs.length; i += 2) {
            Check.that(
                    map.contains(pairs[i]),
                    "contains " + pairs[i] + " in " + map.getClass().getName());
            Check.equal(pairs[i + 1], map.apply(pairs[i]), "apply " + pairs[i]);
        }
        Iterator<Tuple2<Object, Object>> it = map.iterator();
        int seen = 0;
        while (it.hasNext()) {
            Tuple2<Object, Object> each = it.next();
            Check.equal(each._2(), map.apply(each._1()), "apply of the key met by iteration");
            seen++;
        }
        Check.equal(map.size(), seen, "entries met by iteration");
    }

    private static void finds(scala.collection.Set<Object> set, Object... elements) {
        Check.equal(elements.length, set.size(), "size of " + set.getClass().getName());
        for (Object each : elements) {
            Check.that(
                    set.contains(each),
                    "contains " + each + " in " + set.getClass().getName());
        }
    }

    private static void singletons(CaseList cases) {
        cases.row("substitute: Scala objects via MODULE$");
        cases.arrives(
                "scala-singletons",
                () -> new Object[] {
                    None$.MODULE$,
                    Nil$.MODULE$,
                    Map$.MODULE$.empty(),
                    Set$.MODULE$.empty(),
                    BoxedUnit.UNIT,
                    Vector$.MODULE$.empty(),
                    scala.math.Ordering.Int$.MODULE$,
                    CaseObject$.MODULE$,
                    Symbol.apply("sym")
                },
                (Object[] received) -> {
                    Check.same(None$.MODULE$, received[0], "None");
                    Check.same(Nil$.MODULE$, received[1], "Nil");
                    Check.same(Map$.MODULE$.empty(), received[2], "empty Map");
                    Check.same(Set$.MODULE$.empty(), received[3], "empty Set");
                    Check.same(BoxedUnit.UNIT, received[4], "()");
                    Check.same(Vector$.MODULE$.empty(), received[5], "empty Vector");
                    Check.same(scala.math.Ordering.Int$.MODULE$, received[6], "Ordering.Int");
                    Check.same(CaseObject$.MODULE$, received[7], "case object");
                    Check.same(Symbol.apply("sym"), received[8], "interned Symbol");
                });
        cases.arrivesOrRefusedByPeers(
                        "scala-object-not-serializable",
                        () -> {
                            Settings$ settings = Settings$.MODULE$;
                            settings.changes = 2;
                            return new Object[] {
                                settings,
                                new Client(settings, settings),
                                new java.util.HashMap<>(java.util.Map.of(settings, "found")),
                                new java.util.ArrayList<>(java.util.List.of(settings, settings))
                            };
                        },
                        (Object[] received) -> {
                            Settings$ settings = Settings$.MODULE$;
                            Check.same(settings, received[0], "the object itself");
                            Check.same(settings, ((Client) received[1]).settings(), "in a typed field");
                            Check.same(settings, ((Client) received[1]).any(), "in another field");
                            Check.equal("found", ((java.util.Map<?, ?>) received[2]).get(settings), "as a key");
                            Check.same(settings, ((java.util.List<?>) received[3]).get(1), "in a list");
                        })
                .corpusAllowed()
                .note("not Serializable: Java serialization refuses it");
        cases.refusedByReceiver(
                "scala-object-not-admitted",
                () -> Settings$.MODULE$,
                "CLASS_REJECTED",
                "Settings$",
                "is not Serializable");
    }

    private static scala.collection.immutable.Seq<Object> appended(
            scala.collection.immutable.Seq<Object> sequence, Object element) {
        return (scala.collection.immutable.Seq<Object>) sequence.appended(element);
    }

    private static void sequences(CaseList cases) {
        cases.row("Scala: List, Vector, ArrayBuffer, Range");
        cases.arrives(
                "scala-list",
                () -> new Object[] {list("a", 2, Color.RED), list("single"), list()},
                (Object[] received) -> {
                    inOrder((List<?>) received[0], "a", 2, Color.RED);
                    Check.equal(list("a", 2, Color.RED), received[0], "equal");
                    Check.same(Nil$.MODULE$, ((List<?>) received[1]).tail(), "tail of a list of one");
                    Check.same(Nil$.MODULE$, received[2], "empty list");
                    inOrder(((List<Object>) received[0]).$colon$colon("new"), "new", "a", 2, Color.RED);
                });
        cases.arrives(
                        "scala-list-shared-tail",
                        () -> {
                            List<Object> tail = list("x", "y");
                            return new Object[] {tail.$colon$colon("a"), tail.$colon$colon("b"), tail};
                        },
                        (Object[] received) -> {
                            inOrder((List<?>) received[0], "a", "x", "y");
                            inOrder((List<?>) received[1], "b", "x", "y");
                        })
                .note("Java serialization through the proxy loses the shared tail; contents are what is checked");
        cases.arrives(
                "scala-list-100000",
                () -> {
                    List<Object> list = list();
                    for (int i = 0; i < 100_000; i++) {
                        list = list.$colon$colon(i);
                    }
                    return list;
                },
                (List<Object> received) -> {
                    Check.equal(100_000, received.size(), "size");
                    Check.equal(99_999, received.head(), "head");
                });
        for (int size : new int[] {1, 32, 33, 1025, 40_000}) {
            cases.arrives(
                    "scala-vector-" + size,
                    () -> {
                        Vector<Object> vector = (Vector<Object>) (Vector) Vector$.MODULE$.empty();
                        for (int i = 0; i < size; i++) {
                            vector = (Vector<Object>) appended(vector, i);
                        }
                        return vector;
                    },
                    (Vector<Object> received) -> {
                        Check.equal(size, received.size(), "size");
                        for (int i = 0; i < size; i += 13) {
                            Check.equal(i, received.apply(i), "element");
                        }
                        Check.equal("last", appended(received, "last").last(), "appended");
                        Check.equal(size + 1, appended(received, "last").size(), "size after appended");
                    });
        }
        cases.arrives(
                "scala-array-buffer",
                () -> {
                    ArrayBuffer<Object> buffer = new ArrayBuffer<>();
                    for (int i = 0; i < 20; i++) {
                        buffer.addOne("e" + i);
                    }
                    return buffer;
                },
                (ArrayBuffer<Object> received) -> {
                    Check.equal(20, received.size(), "size");
                    received.addOne("more");
                    Check.equal("more", received.apply(20), "append after arrival");
                });
        cases.arrives(
                "scala-ranges",
                () -> new Object[] {Range$.MODULE$.apply(1, 10), Range$.MODULE$.inclusive(10, 0, -5)},
                (Object[] received) -> {
                    Check.equal(9, ((Range) received[0]).size(), "size");
                    inOrder((Range) received[1], 10, 5, 0);
                    Check.that(!((Range) received[0]).contains(10), "exclusive end");
                });
        cases.arrives(
                "scala-queue-and-wrapped-array",
                () -> new Object[] {
                    ((scala.collection.immutable.Queue<Object>)
                                    (scala.collection.immutable.Queue) Queue$.MODULE$.empty())
                            .enqueue("a")
                            .enqueue("b"),
                    scala.collection.immutable.ArraySeq.unsafeWrapArray(new int[] {3, 4})
                },
                (Object[] received) -> {
                    inOrder((scala.collection.immutable.Queue<?>) received[0], "a", "b");
                    inOrder((scala.collection.immutable.ArraySeq<?>) received[1], 3, 4);
                });
    }

    private static void maps(CaseList cases) {
        cases.row("raw table: Scala HashMap<enum>; Map 1-4, Set, mutable maps");
        for (int size = 1; size <= 6; size++) {
            int count = size;
            cases.arrives(
                    "scala-map-and-set-" + size,
                    () -> {
                        Map<Object, Object> map = (Map<Object, Object>) (Map) Map$.MODULE$.empty();
                        Set<Object> set = (Set<Object>) (Set) Set$.MODULE$.empty();
                        for (int i = 0; i < count; i++) {
                            map = (Map<Object, Object>) map.updated(Color.values()[i], i);
                            set = set.incl(Color.values()[i]);
                        }
                        return new Object[] {map, set};
                    },
                    (Object[] received) -> {
                        Object[] pairs = new Object[2 * count];
                        Object[] elements = new Object[count];
                        for (int i = 0; i < count; i++) {
                            pairs[2 * i] = elements[i] = Color.values()[i];
                            pairs[2 * i + 1] = i;
                        }
                        finds((scala.collection.Map<Object, Object>) received[0], pairs);
                        finds((scala.collection.Set<Object>) received[1], elements);
                        Map<Object, Object> grown =
                                (Map<Object, Object>) ((Map<Object, Object>) received[0]).updated("new", 1);
                        Check.equal(count + 1, grown.size(), "updated after arrival");
                    });
        }
        cases.arrives(
                "scala-hash-map-1000-unstable",
                () -> {
                    Map<Object, Object> map = (Map<Object, Object>) (Map) Map$.MODULE$.empty();
                    for (int i = 0; i < 1000; i++) {
                        map = (Map<Object, Object>) map.updated(new Person("p" + i, i, Color.values()[i % 8]), i);
                    }
                    return map;
                },
                (Map<Object, Object> received) -> {
                    Check.equal(1000, received.size(), "size");
                    for (int i = 0; i < 1000; i++) {
                        Person fresh = new Person("p" + i, i, Color.values()[i % 8]);
                        Check.that(received.contains(fresh), "contains " + fresh);
                        Check.equal(i, received.apply(fresh), "apply");
                    }
                });
        cases.arrives(
                "scala-hash-map-stable-keys",
                () -> {
                    Map<Object, Object> map = (Map<Object, Object>) (Map) Map$.MODULE$.empty();
                    for (int i = 0; i < 100; i++) {
                        map = (Map<Object, Object>) map.updated("k" + i, i);
                    }
                    return map;
                },
                (Map<Object, Object> received) -> {
                    for (int i = 0; i < 100; i++) {
                        Check.equal(i, received.apply("k" + i), "apply");
                    }
                });
        cases.arrives(
                "scala-mutable-maps-and-sets",
                () -> {
                    var map = new scala.collection.mutable.HashMap<Object, Object>();
                    var linked = new scala.collection.mutable.LinkedHashMap<Object, Object>();
                    var set = new scala.collection.mutable.HashSet<Object>();
                    for (Color each : Color.values()) {
                        map.update(each, each.name());
                        linked.update(each, each.name());
                        set.add(each);
                    }
                    return new Object[] {map, linked, set};
                },
                (Object[] received) -> {
                    Object[] pairs = new Object[16];
                    for (int i = 0; i < 8; i++) {
                        pairs[2 * i] = Color.values()[i];
                        pairs[2 * i + 1] = Color.values()[i].name();
                    }
                    finds((scala.collection.Map<Object, Object>) received[0], pairs);
                    finds((scala.collection.Map<Object, Object>) received[1], pairs);
                    finds((scala.collection.Set<Object>) received[2], (Object[]) Color.values());
                    var map = (scala.collection.mutable.HashMap<Object, Object>) received[0];
                    map.update("later", 1);
                    Check.equal(1, map.apply("later"), "update after arrival");
                    Check.same(
                            Color.RED,
                            ((scala.collection.mutable.LinkedHashMap<Object, Object>) received[1])
                                    .head()
                                    ._1(),
                            "insertion order");
                });
        cases.arrives(
                "scala-sorted-and-list-maps",
                () -> {
                    var ordering = (scala.math.Ordering<Object>) (scala.math.Ordering) scala.math.Ordering.Int$.MODULE$;
                    var tree = ((scala.collection.immutable.TreeMap<Object, Object>)
                                    TreeMap$.MODULE$.empty((scala.math.Ordering) ordering))
                            .updated(5, "five")
                            .updated(1, "one");
                    var listMap = ((scala.collection.immutable.ListMap<Object, Object>)
                                    (scala.collection.immutable.ListMap) ListMap$.MODULE$.empty())
                            .updated(Color.PINK, 1)
                            .updated(Color.CYAN, 2);
                    return new Object[] {tree, listMap};
                },
                (Object[] received) -> {
                    finds((scala.collection.Map<Object, Object>) received[0], 1, "one", 5, "five");
                    finds((scala.collection.Map<Object, Object>) received[1], Color.PINK, 1, Color.CYAN, 2);
                    inOrder(
                            (scala.collection.Iterable<?>) received[1],
                            new Tuple2<>(Color.PINK, 1),
                            new Tuple2<>(Color.CYAN, 2));
                });
        cases.arrives(
                "scala-sets-by-unstable-elements",
                () -> {
                    Object shared = new Object[] {"identity"};
                    Set<Object> hashed = (Set<Object>) (Set) scala.collection.immutable.HashSet$.MODULE$.empty();
                    for (Color each : Color.values()) {
                        hashed = hashed.incl(each).incl(new Person("p", 1, each));
                    }
                    var ordering = (scala.math.Ordering<Object>) (scala.math.Ordering) scala.math.Ordering.Int$.MODULE$;
                    var sorted = ((scala.collection.immutable.TreeSet<Object>)
                                    scala.collection.immutable.TreeSet$.MODULE$.empty((scala.math.Ordering) ordering))
                            .incl(3)
                            .incl(-1);
                    var linked = new scala.collection.mutable.LinkedHashSet<Object>();
                    linked.addOne(shared);
                    linked.addOne(Color.RED);
                    var listed = ((scala.collection.immutable.ListSet<Object>) (scala.collection.immutable.ListSet)
                                    scala.collection.immutable.ListSet$.MODULE$.empty())
                            .incl("b")
                            .incl("a");
                    return new Object[] {hashed, sorted, linked, listed, shared};
                },
                (Object[] received) -> {
                    Check.isExactly(scala.collection.immutable.HashSet.class, received[0]);
                    for (Color each : Color.values()) {
                        Check.that(((Set<Object>) received[0]).contains(each), "contains " + each);
                        Check.that(
                                ((Set<Object>) received[0]).contains(new Person("p", 1, each)),
                                "contains the person of " + each);
                    }
                    Check.isExactly(scala.collection.immutable.TreeSet.class, received[1]);
                    inOrder((scala.collection.Iterable<?>) received[1], -1, 3);
                    finds((scala.collection.Set<Object>) received[2], received[4], Color.RED);
                    inOrder((scala.collection.Iterable<?>) received[2], received[4], Color.RED);
                    inOrder((scala.collection.Iterable<?>) received[3], "b", "a");
                });
        cases.arrives(
                "scala-collections-shared-and-deep",
                () -> {
                    List<Object> shared = list("s");
                    Object chain = shared;
                    for (int i = 0; i < 300; i++) {
                        chain = i % 2 == 0 ? list(chain, shared) : new Object[] {chain, shared};
                    }
                    return new Object[] {chain, shared};
                },
                (Object[] received) -> {
                    Object chain = received[0];
                    for (int i = 299; i >= 0; i--) {
                        Object next = i % 2 == 0 ? ((List<Object>) chain).apply(0) : ((Object[]) chain)[0];
                        Object other = i % 2 == 0 ? ((List<Object>) chain).apply(1) : ((Object[]) chain)[1];
                        Check.same(received[1], other, "the shared list at " + i);
                        chain = next;
                    }
                    Check.same(received[1], chain, "the shared list at the end");
                });
    }

    private static void products(CaseList cases) {
        cases.row("raw: case classes; Option, Either, tuples");
        cases.arrives(
                "scala-options-eithers-tuples",
                () -> new Object[] {
                    new Some<>("x"),
                    Option.apply(null),
                    new Left<>(Color.RED),
                    new Right<>(5),
                    new Tuple2<>("a", Color.BLUE),
                    new scala.Tuple2$mcII$sp(3, 4),
                    new Tuple3<>(1, None$.MODULE$, Nil$.MODULE$),
                    new Success<>("ok")
                },
                (Object[] received) -> {
                    Check.equal(new Some<>("x"), received[0], "Some");
                    Check.same(None$.MODULE$, received[1], "None");
                    Check.that(((Either<?, ?>) received[2]).isLeft(), "Left");
                    Check.equal(new Right<>(5), received[3], "Right");
                    Check.equal(new Tuple2<>("a", Color.BLUE), received[4], "Tuple2");
                    Check.equal(
                            7,
                            ((Tuple2<Integer, Integer>) received[5])._1$mcI$sp()
                                    + ((Tuple2<Integer, Integer>) received[5])._2$mcI$sp(),
                            "specialized");
                    Check.same(None$.MODULE$, ((Tuple3<?, ?, ?>) received[6])._2(), "None in a tuple");
                    Check.same(Nil$.MODULE$, ((Tuple3<?, ?, ?>) received[6])._3(), "Nil in a tuple");
                    Check.equal(new Success<>("ok"), received[7], "Success");
                });
        cases.arrives("scala-case-class", () -> new Person("ada", 36, Color.WHITE), (Person received) -> {
            Check.equal(new Person("ada", 36, Color.WHITE), received, "equal");
            Check.equal(new Person("ada", 36, Color.WHITE).hashCode(), received.hashCode(), "hash of this process");
        });
        cases.arrives(
                "scala-numbers",
                () -> new Object[] {
                    BigInt.apply("123456789012345678901234567890"),
                    BigInt.apply(5),
                    new BigDecimal(new java.math.BigDecimal("1.50"))
                },
                (Object[] received) -> {
                    Check.equal(BigInt.apply("123456789012345678901234567890"), received[0], "BigInt");
                    Check.equal(BigInt.apply(6), ((BigInt) received[1]).$plus(BigInt.apply(1)), "small BigInt");
                    Check.equal(new BigDecimal(new java.math.BigDecimal("1.50")), received[2], "BigDecimal");
                });
        cases.arrives(
                "scala-function",
                () -> (SerializableFunction1<Integer, Object>) x -> new Some<>(x + 1),
                (Function1<Integer, Object> received) -> Check.equal(new Some<>(8), received.apply(7), "apply"));
    }

    private static void cycles(CaseList cases) {
        cases.row("Scala: cycles through hash containers");
        cases.arrives(
                        "scala-mutable-map-containing-itself",
                        () -> {
                            var map = new scala.collection.mutable.HashMap<Object, Object>();
                            map.update("self", map);
                            map.update(Color.RED, new Some<>(map));
                            return map;
                        },
                        (scala.collection.mutable.HashMap<Object, Object> received) -> {
                            Check.same(received, received.apply("self"), "itself");
                            Check.same(received, ((Some<?>) received.apply(Color.RED)).value(), "itself in Some");
                        })
                .note("Java serialization: the back reference points to the proxy, ClassCastException or wrong object");
        cases.arrives(
                "scala-buffers-containing-themselves",
                () -> {
                    ArrayBuffer<Object> buffer = new ArrayBuffer<>();
                    var list = new scala.collection.mutable.ListBuffer<Object>();
                    var set = new scala.collection.mutable.HashSet<Object>();
                    buffer.addOne(buffer);
                    buffer.addOne(list);
                    list.addOne(list);
                    list.addOne(set);
                    set.addOne("x");
                    return new Object[] {buffer, set};
                },
                (Object[] received) -> {
                    ArrayBuffer<Object> buffer = (ArrayBuffer<Object>) received[0];
                    Check.same(buffer, buffer.apply(0), "a buffer in itself");
                    var list = (scala.collection.mutable.ListBuffer<Object>) buffer.apply(1);
                    Check.same(list, list.apply(0), "a list buffer in itself");
                    Check.same(received[1], list.apply(1), "a set shared with the root");
                    finds((scala.collection.Set<Object>) received[1], "x");
                });
        cases.refusedByReceiver(
                "scala-list-within-itself",
                () -> {
                    Object[] cell = new Object[1];
                    List<Object> list = list("a", cell);
                    cell[0] = list;
                    return list;
                },
                "HOOK",
                "part of a cycle");
        cases.arrives(
                "scala-list-in-cycle",
                () -> {
                    Object[] cell = new Object[1];
                    cell[0] = list("a", cell);
                    return cell;
                },
                (Object[] received) -> Check.same(received, ((List<?>) received[0]).apply(1), "cycle through a list"));
    }
}
