package org.heapspan.tests.conformance;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Cycles through the passes that follow reading: substitute, rehash, readResolve and readObject.
 *
 * <p>The notes say what Java serialization does; where it gives up, a copy that arrives whole is expected all the same.
 */
@SuppressWarnings({"unchecked", "serial", "IdentityHashMapUsage"})
final class CycleCases {

    private CycleCases() {}

    /** Found by identity; member of its own set. */
    static final class Member implements Serializable {
        final Set<Object> groups = new HashSet<>();
        Member other;
    }

    /** Found by its name, which lies behind the cycle in field order. */
    static final class Named implements Serializable {
        final Set<Named> friends = new HashSet<>();
        final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Named that && that.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode() + 1;
        }
    }

    /** Found by an enum, so by an identity hash, and member of the map that is its own field. */
    static final class Colored implements Serializable {
        final Map<Colored, Object> index = new HashMap<>();
        final HashContainerCases.Color tone;

        Colored(HashContainerCases.Color tone) {
            this.tone = tone;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Colored that && that.tone == tone;
        }

        @Override
        public int hashCode() {
            return tone.hashCode();
        }
    }

    record Linked(String name, List<Object> links) implements Serializable {
        @Override
        public int hashCode() {
            return name.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Linked that && that.name.equals(name);
        }
    }

    static final class ResolvesInCycle implements Serializable {
        static final ResolvesInCycle SHARED = new ResolvesInCycle();
        Object partner;

        private Object readResolve() {
            SHARED.partner = partner;
            return SHARED;
        }
    }

    static final class Partner implements Serializable {
        Object back;
    }

    /** The hook asks the graph a question while it is being read. */
    static final class HookInCycle implements Serializable {
        String name = "hooked";
        Object partner;
        transient int reads;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            reads++;
        }
    }

    static final class SelfReplacing implements Serializable {
        Object self;
        int number = 4;

        private Object writeReplace() {
            return this;
        }
    }

    static void addTo(CaseList cases) {
        containers(cases);
        hooks(cases);
    }

    private static void containers(CaseList cases) {
        cases.row("cycles through hash containers");
        cases.arrives(
                        "cycle-object-in-its-own-hash-set-identity",
                        () -> {
                            Member member = new Member();
                            member.groups.add(member);
                            member.other = new Member();
                            member.other.groups.add(member);
                            member.other.groups.add(member.other);
                            member.other.other = member;
                            return member;
                        },
                        (Member received) -> {
                            Check.finds(received.groups, received);
                            Check.finds(received.other.groups, received, received.other);
                            Check.same(received, received.other.other, "cycle");
                        })
                .note("Java serialization: arrives, because the identity hash needs no field");
        cases.arrives(
                        "cycle-object-in-its-own-hash-set-by-name",
                        () -> {
                            Named named = new Named("ada");
                            named.friends.add(named);
                            named.friends.add(new Named("bob"));
                            return named;
                        },
                        (Named received) -> {
                            Check.finds(received.friends, new Named("ada"), new Named("bob"));
                            Check.that(received.friends.contains(received), "contains itself");
                        })
                .note("Java serialization: NullPointerException, the set is filled before the name is read");
        cases.arrives(
                        "cycle-object-in-its-own-map-by-enum",
                        () -> {
                            Colored colored = new Colored(HashContainerCases.Color.RED);
                            colored.index.put(colored, "self");
                            Colored other = new Colored(HashContainerCases.Color.BLUE);
                            colored.index.put(other, colored);
                            other.index.put(colored, other);
                            return colored;
                        },
                        (Colored received) -> {
                            Check.equal("self", received.index.get(new Colored(HashContainerCases.Color.RED)), "self");
                            Check.same(
                                    received, received.index.get(new Colored(HashContainerCases.Color.BLUE)), "value");
                            Check.equal(2, received.index.size(), "size");
                        })
                .note("Java serialization: NullPointerException, the map is filled before the enum is read");
        cases.arrives(
                "cycle-map-containing-itself-as-value",
                () -> {
                    Map<Object, Object> map = new HashMap<>();
                    map.put("self", map);
                    map.put(HashContainerCases.Color.RED, List.of(1));
                    return map;
                },
                (Map<Object, Object> received) -> {
                    Check.same(received, received.get("self"), "value");
                    Check.equal(List.of(1), received.get(HashContainerCases.Color.RED), "enum key");
                });
        cases.arrives(
                "cycle-identity-map-containing-itself-as-key",
                () -> {
                    Map<Object, Object> map = new IdentityHashMap<>();
                    map.put(map, map);
                    return map;
                },
                (Map<Object, Object> received) -> Check.same(received, received.get(received), "value by itself"));
        cases.arrives(
                "cycle-tree-map-containing-itself-as-value",
                () -> {
                    Map<Object, Object> map = new TreeMap<>();
                    map.put("self", map);
                    return map;
                },
                (Map<Object, Object> received) -> Check.same(received, received.get("self"), "value"));
        cases.arrives(
                        "cycle-record-through-list",
                        () -> {
                            Linked linked = new Linked("a", new ArrayList<>());
                            linked.links().add(linked);
                            linked.links().add(new HashSet<>(List.of(linked)));
                            return linked;
                        },
                        (Linked received) -> {
                            Check.same(received, received.links().get(0), "record within its own list");
                            Check.that(
                                    ((Set<?>) received.links().get(1)).contains(received),
                                    "record in a set of its own");
                        })
                .needsRawMemory()
                .note("Java serialization: back references to a record under construction become null");
        cases.arrives(
                        "cycle-two-maps-keyed-by-each-other",
                        () -> {
                            Member a = new Member();
                            Member b = new Member();
                            a.other = b;
                            b.other = a;
                            a.groups.addAll(List.of(b, new LinkedHashSet<>(List.of(a, b))));
                            b.groups.addAll(List.of(a, new HashSet<>(List.of(HashContainerCases.Color.RED, a))));
                            return new Object[] {a, b};
                        },
                        (Object[] received) -> {
                            Member a = (Member) received[0];
                            Member b = (Member) received[1];
                            Check.that(a.groups.contains(b), "a's set contains b");
                            Check.that(b.groups.contains(a), "b's set contains a");
                            Check.that(
                                    a.groups.contains(new LinkedHashSet<>(List.of(b, a))), "inner set as an element");
                            Check.that(
                                    b.groups.contains(Set.of(a, HashContainerCases.Color.RED)),
                                    "inner set with an enum");
                        })
                .note("element sets must be rehashed before the sets that contain them");
    }

    private static void hooks(CaseList cases) {
        cases.row("cycles through hooks");
        cases.arrives(
                        "cycle-read-resolve",
                        () -> {
                            ResolvesInCycle resolves = new ResolvesInCycle();
                            Partner partner = new Partner();
                            resolves.partner = partner;
                            partner.back = resolves;
                            return new Object[] {resolves, partner};
                        },
                        (Object[] received) -> {
                            Check.same(ResolvesInCycle.SHARED, received[0], "resolved in the array");
                            Check.same(received[1], ResolvesInCycle.SHARED.partner, "partner");
                            Check.isExactly(ResolvesInCycle.class, ((Partner) received[1]).back);
                        })
                .note("Java serialization: the back reference within the cycle still points to the unresolved object");
        cases.arrives(
                "cycle-read-object",
                () -> {
                    HookInCycle hook = new HookInCycle();
                    Partner partner = new Partner();
                    hook.partner = partner;
                    partner.back = hook;
                    return new Object[] {partner, hook};
                },
                (Object[] received) -> {
                    HookInCycle hook = (HookInCycle) received[1];
                    Check.same(received[0], hook.partner, "partner");
                    Check.same(hook, ((Partner) received[0]).back, "back");
                    Check.equal(1, hook.reads, "calls of readObject");
                });
        cases.arrives(
                "cycle-read-object-through-set",
                () -> {
                    HookInCycle hook = new HookInCycle();
                    Set<Object> set = new HashSet<>(List.of(hook, HashContainerCases.Color.RED));
                    hook.partner = set;
                    return new Object[] {hook, set};
                },
                (Object[] received) -> {
                    Check.same(received[1], ((HookInCycle) received[0]).partner, "set");
                    Check.finds((Set<?>) received[1], received[0], HashContainerCases.Color.RED);
                });
        cases.arrives(
                "cycle-write-replace-self",
                () -> {
                    SelfReplacing object = new SelfReplacing();
                    object.self = object;
                    return object;
                },
                (SelfReplacing received) -> {
                    Check.same(received, received.self, "self");
                    Check.equal(4, received.number, "number");
                });
        cases.arrives(
                "cycle-externalizable",
                () -> {
                    HookCases.Packed packed = new HookCases.Packed(1, 2, null);
                    packed.tag = new ArrayList<>(List.of(packed));
                    return packed;
                },
                (HookCases.Packed received) ->
                        Check.same(received, ((List<?>) received.tag).get(0), "Externalizable in its own list"));
        cases.arrives(
                "cycle-throwable-in-hash-set",
                () -> {
                    Holder holder = new Holder();
                    holder.failure = new HeldException(holder);
                    holder.failures.add(holder.failure);
                    return holder;
                },
                (Holder received) -> {
                    Check.same(received, received.failure.holder, "back");
                    Check.finds(received.failures, received.failure);
                    Check.that(received.failure.getStackTrace().length > 0, "trace");
                });
    }

    static final class Holder implements Serializable {
        HeldException failure;
        final Set<Object> failures = new HashSet<>();
    }

    static final class HeldException extends RuntimeException {
        final Holder holder;

        HeldException(Holder holder) {
            this.holder = holder;
        }
    }
}
