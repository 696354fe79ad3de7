package org.heapspan.tests.conformance;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** User classes of every shape Java allows. */
@SuppressWarnings({"unchecked", "serial", "ArrayRecordComponent"})
final class ClassShapeCases {

    private ClassShapeCases() {}

    static void addTo(CaseList cases) {
        records(cases);
        sealed(cases);
        nesting(cases);
        fields(cases);
        nonSerializable(cases);
    }

    record Point(int x, int y) implements Serializable {}

    record Line<T>(T from, T to, List<? extends T> via) implements Serializable {}

    record Range(int low, int high) implements Serializable {
        static int made;

        Range {
            if (low > high) {
                throw new IllegalArgumentException("low " + low + " > high " + high);
            }
            made++;
        }
    }

    record Everything(
            boolean z,
            byte b,
            short s,
            char c,
            int i,
            float f,
            long j,
            double d,
            String text,
            int[] array,
            Everything next)
            implements Serializable {}

    record Normalized(List<String> names) implements Serializable {
        Normalized {
            names = List.copyOf(names);
        }
    }

    record NoComponents() implements Serializable {}

    private static void records(CaseList cases) {
        cases.row("raw: records");
        cases.arrives("record-simple", () -> new Point(3, -4), (Point received) -> {
            Check.equal(new Point(3, -4), received, "value");
            Check.equal(new Point(3, -4).hashCode(), received.hashCode(), "hash");
        });
        cases.arrives(
                "record-nested-generic",
                () -> {
                    Point shared = new Point(1, 2);
                    return new Line<>(shared, shared, List.of(shared, new Point(5, 6)));
                },
                (Line<Object> received) -> {
                    Check.equal(
                            new Line<>(new Point(1, 2), new Point(1, 2), List.of(new Point(1, 2), new Point(5, 6))),
                            received,
                            "value");
                    Check.same(received.from(), received.to(), "sharing between components");
                    Check.same(received.from(), received.via().get(0), "sharing with a list");
                });
        cases.arrives(
                "record-compact-constructor",
                () -> new Object[] {new Range(1, 9), new Normalized(new ArrayList<>(List.of("n")))},
                (Object[] received) -> {
                    Check.equal(new Range(1, 9), received[0], "value");
                    Check.inOrder(((Normalized) received[1]).names(), "n");
                });
        cases.arrives(
                "record-all-field-types",
                () -> new Everything(
                        true,
                        (byte) -1,
                        (short) -2,
                        '\uABCD',
                        -3,
                        1.5f,
                        Long.MIN_VALUE,
                        -0.0,
                        "t",
                        new int[] {1},
                        new Everything(false, (byte) 0, (short) 0, 'a', 0, 0, 0, 0, null, null, null)),
                (Everything received) -> {
                    Check.that(received.z() && received.b() == -1 && received.s() == -2, "small");
                    Check.that(received.c() == '\uABCD' && received.i() == -3 && received.f() == 1.5f, "medium");
                    Check.that(received.j() == Long.MIN_VALUE, "long");
                    Check.equal(Double.doubleToRawLongBits(-0.0), Double.doubleToRawLongBits(received.d()), "-0.0");
                    Check.equal(new int[] {1}, received.array(), "array");
                    Check.same(null, received.next().text(), "null text");
                });
        cases.arrives(
                "record-no-components",
                NoComponents::new,
                (NoComponents received) -> Check.equal(new NoComponents(), received, "value"));
        cases.arrives(
                "record-local",
                () -> {
                    record Local(String name, int value) implements Serializable {}
                    return List.of(new Local("a", 1), new Local("a", 1));
                },
                (List<Object> received) -> {
                    Check.equal(received.get(0), received.get(1), "equal");
                    Check.equal("Local[name=a, value=1]", received.get(0).toString(), "text");
                });
    }

    sealed interface Shape extends Serializable permits Circle, Square, Group {}

    record Circle(double radius) implements Shape {}

    static final class Square implements Shape {
        private final double side;

        Square(double side) {
            this.side = side;
        }
    }

    static non-sealed class Group implements Shape {
        final List<Shape> members = new ArrayList<>();
    }

    private static void sealed(CaseList cases) {
        cases.row("raw: sealed hierarchies");
        cases.arrives(
                "sealed-hierarchy",
                () -> {
                    Group group = new Group();
                    group.members.add(new Circle(2));
                    group.members.add(new Square(3));
                    group.members.add(group);
                    return group;
                },
                (Group received) -> {
                    Check.equal(new Circle(2), received.members.get(0), "record member");
                    Check.equal(3.0, ((Square) received.members.get(1)).side, "class member");
                    Check.same(received, received.members.get(2), "cycle");
                });
    }

    static final class Outer implements Serializable {
        private final String name;
        Inner inner;

        Outer(String name) {
            this.name = name;
        }

        final class Inner implements Serializable {
            private final int number = 5;

            String describe() {
                return name + number;
            }
        }

        Comparator<String> anonymous(int sign) {
            final class Local implements Comparator<String>, Serializable {
                @Override
                public int compare(String a, String b) {
                    return sign * a.compareTo(b) + 0 * name.length();
                }
            }
            return new Local();
        }

        Comparator<String> reallyAnonymous(int sign) {
            return new AnonymousBase() {
                @Override
                public int compare(String a, String b) {
                    return sign * a.compareTo(b) + 0 * name.length();
                }
            };
        }
    }

    abstract static class AnonymousBase implements Comparator<String>, Serializable {}

    private static void nesting(CaseList cases) {
        cases.row("raw: inner, anonymous and local classes");
        cases.arrives(
                "inner-class",
                () -> {
                    Outer outer = new Outer("out");
                    outer.inner = outer.new Inner();
                    return outer.inner;
                },
                (Outer.Inner received) -> Check.equal("out5", received.describe(), "call through the outer instance"));
        cases.arrives(
                "local-and-anonymous-class",
                () -> new Object[] {new Outer("o").anonymous(-1), new Outer("o").reallyAnonymous(-1)},
                (Object[] received) -> {
                    for (Object each : received) {
                        Check.that(((Comparator<String>) each).compare("a", "b") > 0, "captured value");
                    }
                });
    }

    static class Base implements Serializable {
        private int value = 1;
        protected Object shared;

        int baseValue() {
            return value;
        }
    }

    static class Middle extends Base {
        private int value = 2;
        private transient int ignored = 9;

        int middleValue() {
            return value + 0 * ignored;
        }
    }

    static final class Leaf extends Middle {
        private String value = "leaf";
        private final long constant = 42;
        private final Object finalObject;

        Leaf(Object finalObject) {
            this.finalObject = finalObject;
        }

        void change() {
            value = "changed";
        }
    }

    /** Neither a constructor without arguments nor one that would accept what is stored. */
    static final class Strict implements Serializable {
        private final String name;

        Strict(String name) {
            this.name = Objects.requireNonNull(name).toUpperCase(java.util.Locale.ROOT);
        }
    }

    static final class Empty implements Serializable {}

    static final class ManyFields implements Serializable {
        byte b0 = 1;
        long j0 = 2;
        Object o0 = "3";
        boolean z0 = true;
        double d0 = 5;
        Object o1 = 6;
        short s0 = 7;
        int i0 = 8;
        char c0 = '9';
        float f0 = 10;
        Object o2;
        byte b1 = 12;
        Object o3;
        long j1 = 14;
        Object o4;
        Object o5;
        Object o6;
        Object o7;
        Object o8;
        Object o9;
        Object o10;
        Object o11;
        Object o12;
        Object o13;
        Object o14;
        Object o15 = "last";
        static int counter = 3;
    }

    private static void fields(CaseList cases) {
        cases.row("raw: user classes");
        cases.arrives(
                "class-same-field-name-in-hierarchy",
                () -> {
                    Leaf leaf = new Leaf(new Point(1, 1));
                    leaf.change();
                    leaf.shared = leaf.finalObject;
                    return leaf;
                },
                (Leaf received) -> {
                    Check.equal(1, received.baseValue(), "Base.value");
                    Check.equal(2, received.middleValue(), "Middle.value");
                    Check.equal("changed", received.value, "Leaf.value");
                    Check.equal(42L, received.constant, "final constant");
                    Check.equal(new Point(1, 1), received.finalObject, "final object");
                    Check.same(received.finalObject, received.shared, "sharing between super and subclass");
                });
        cases.arrives(
                "class-without-no-argument-constructor",
                () -> new Strict("ada"),
                (Strict received) -> Check.equal("ADA", received.name, "name"));
        cases.arrives(
                "class-empty",
                () -> {
                    Empty empty = new Empty();
                    return new Object[] {empty, empty, new Empty()};
                },
                (Object[] received) -> {
                    Check.same(received[0], received[1], "identity of an object without fields");
                    Check.notSame(received[0], received[2], "two objects without fields");
                });
        cases.arrives("class-many-fields", ManyFields::new, (ManyFields received) -> {
            Check.that(received.b0 == 1 && received.j0 == 2 && received.z0 && received.d0 == 5, "first primitives");
            Check.that(received.s0 == 7 && received.i0 == 8 && received.c0 == '9' && received.f0 == 10, "small ones");
            Check.that(received.b1 == 12 && received.j1 == 14, "later ones");
            Check.equal("3", received.o0, "o0");
            Check.equal(6, received.o1, "o1");
            Check.equal("last", received.o15, "o15");
        });
        cases.arrives(
                "sharing-diamond",
                () -> {
                    Leaf shared = new Leaf("s");
                    Map<String, Object> map = new LinkedHashMap<>();
                    map.put("a", shared);
                    map.put("b", new Object[] {shared});
                    map.put("c", new Leaf(shared));
                    return map;
                },
                (Map<String, Object> received) -> {
                    Check.same(received.get("a"), ((Object[]) received.get("b"))[0], "map value and array element");
                    Check.same(received.get("a"), ((Leaf) received.get("c")).finalObject, "map value and field");
                });
        cases.arrives(
                "equal-but-distinct-objects",
                () -> new Object[] {new Strict("a"), new Strict("a"), new ArrayList<>(), new ArrayList<>()},
                (Object[] received) -> {
                    Check.notSame(received[0], received[1], "equal objects");
                    Check.notSame(received[2], received[3], "empty lists");
                });
        cases.arrives(
                "object-array-of-every-kind",
                () -> new Object[] {
                    null, 1, "s", 'c', new int[] {1}, new Point(1, 2), List.of(), new Object[0], Point.class
                },
                (Object[] received) -> {
                    Check.equal(9, received.length, "length");
                    Check.equal(new Point(1, 2), received[5], "record");
                    Check.same(Point.class, received[8], "class");
                });
    }

    static class PlainBase {
        int baseField = 10;

        PlainBase() {
            baseField = 77;
        }
    }

    static final class SerializableOverPlain extends PlainBase implements Serializable {
        int own = 1;
    }

    static final class NotSerializable {
        final String name;
        NotSerializable peer;

        NotSerializable(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof NotSerializable that && that.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    record NotSerializableRecord(NotSerializable inner) {}

    private static void nonSerializable(CaseList cases) {
        cases.row("non-Serializable classes");
        cases.arrives(
                        "class-over-non-serializable-base",
                        () -> {
                            SerializableOverPlain object = new SerializableOverPlain();
                            object.own = 5;
                            object.baseField = 3;
                            return object;
                        },
                        (SerializableOverPlain received) -> {
                            Check.equal(5, received.own, "own field");
                            Check.that(
                                    received.baseField == 77 || received.baseField == 3,
                                    "field of the base is " + received.baseField
                                            + ", expected 77 (its constructor ran, as in Java serialization) or 3 (carried)");
                        })
                .note("Java serialization runs the base's constructor: 77");
        cases.arrives(
                        "class-non-serializable-allowed",
                        () -> {
                            NotSerializable one = new NotSerializable("one");
                            one.peer = new NotSerializable("two");
                            one.peer.peer = one;
                            return new Object[] {one, new NotSerializableRecord(one), new HashMap<>(Map.of(one, "v"))};
                        },
                        (Object[] received) -> {
                            NotSerializable one = (NotSerializable) received[0];
                            Check.same(one, one.peer.peer, "cycle");
                            Check.same(one, ((NotSerializableRecord) received[1]).inner(), "sharing");
                            Check.equal("v", ((Map<?, ?>) received[2]).get(new NotSerializable("one")), "lookup");
                        })
                .corpusAllowed()
                .note("Java serialization refuses it");
        cases.refusedByReceiver(
                "class-non-serializable-from-untrusted-bytes",
                () -> new Object[] {"x", new NotSerializable("one")},
                "CLASS_REJECTED",
                "ClassShapeCases$NotSerializable");
        cases.arrives(
                "generic-array-list-of-arrays",
                () -> new ArrayList<>(Arrays.asList(new int[] {1}, new String[] {"a"}, null)),
                (List<Object> received) -> {
                    Check.equal(new int[] {1}, received.get(0), "int[]");
                    Check.isExactly(String[].class, received.get(1));
                });
    }
}
