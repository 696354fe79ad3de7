package org.heapspan.tests.conformance;

import static org.heapspan.tests.conformance.EvolvingClasses.constant;
import static org.heapspan.tests.conformance.EvolvingClasses.get;
import static org.heapspan.tests.conformance.EvolvingClasses.make;
import static org.heapspan.tests.conformance.EvolvingClasses.type;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The sender has version 1 of a class, the receiver version 2: remapped by field name, or a clear error. */
@SuppressWarnings("unchecked")
final class EvolutionCases {

    private EvolutionCases() {}

    static void addTo(CaseList cases) {
        cases.row("evolution: remap by field name (missing: default; extra: ignored)");
        cases.arrives("evolution-field-added", () -> make("Added"), received -> {
            Check.equal("n", get(received, "name"), "name");
            Check.equal(3, get(received, "kept"), "kept");
            Check.equal(0, get(received, "extra"), "added int: default");
            Check.same(null, get(received, "object"), "added object: default");
            Check.equal(0.0, get(received, "ratio"), "added double: default");
        });
        cases.arrives("evolution-field-removed", () -> make("Removed"), received -> {
            Check.equal("n", get(received, "name"), "name");
            Check.equal(List.of("shared"), get(received, "alias"), "object first met through the removed field");
        });
        cases.arrives(
                "evolution-field-removed-of-missing-class",
                () -> make("RemovedOfMissingClass"),
                received -> Check.equal("n", get(received, "name"), "name"));
        cases.arrives("evolution-fields-reordered", () -> make("Reordered"), (Object[] received) -> {
            for (Object each : received) {
                Check.equal(1, get(each, "a"), "a");
                Check.equal("b", get(each, "b"), "b");
                Check.equal(3L, get(each, "c"), "c");
                Check.equal("d", get(each, "d"), "d");
                Check.equal((byte) 5, get(each, "e"), "e");
            }
        });
        cases.arrives("evolution-field-became-transient", () -> make("BecomesTransient"), received -> {
            Check.equal("n", get(received, "name"), "name");
            Check.same(null, get(received, "cached"), "now transient");
        });
        cases.arrives("evolution-field-stopped-being-transient", () -> make("StopsBeingTransient"), received -> {
            Check.equal("n", get(received, "name"), "name");
            Check.same(null, get(received, "cached"), "was not sent");
        });
        cases.arrivesOrRefusedByPeers(
                "evolution-field-type-widened",
                () -> make("Widened"),
                received -> Check.equal(List.of("x"), get(received, "items"), "items"));
        cases.arrives("evolution-record-components-changed", () -> make("Pair"), (Object[] received) -> {
            Check.equal("p", get(received[0], "name"), "name");
            Check.equal(4, get(received[0], "left"), "left");
            Check.same(null, get(received[0], "added"), "added component: default");
            Check.equal("after", received[1], "what follows");
        });
        cases.arrives("evolution-key-class-hashes-differently", () -> make("Key"), (Map<Object, Object> received) -> {
                    var constructor = type("Key").getDeclaredConstructor(String.class, type("Level"));
                    constructor.setAccessible(true);
                    for (int i = 0; i < 20; i++) {
                        Check.equal(i, received.get(constructor.newInstance("k" + i, null)), "get k" + i);
                    }
                })
                .note("keys were stable by the sender's class and are not by the receiver's");
        cases.row("evolution: class hierarchy changed");
        cases.arrives("evolution-superclass-inserted", () -> make("Inserted"), received -> {
            Check.equal(5, get(received, "own"), "own");
            Check.equal("t", get(received, "text"), "text");
            Check.equal(0, get(received, "parentField"), "field of the new parent: default");
            Check.equal(true, get(received, "noData"), "readObjectNoData was called");
        });
        cases.arrives(
                "evolution-superclass-removed",
                () -> make("Orphaned"),
                received -> Check.equal(6, get(received, "own"), "own"));
        cases.row("evolution: hooks gained and lost");
        cases.arrives(
                "evolution-gains-read-resolve",
                () -> make("GainsReadResolve"),
                (Object[] received) -> Check.equal("resolved n", received[0], "resolved by the receiver's hook"));
        cases.arrives("evolution-gains-read-object", () -> make("GainsReadObject"), (Object[] received) -> {
            Check.equal("four", get(received[0], "name"), "name");
            Check.equal(4, get(received[0], "length"), "computed by the receiver's hook");
        });
        cases.arrives("evolution-loses-read-object", () -> make("LosesReadObject"), (Object[] received) -> {
            Check.equal("four", get(received[0], "name"), "name");
            Check.equal("after", received[1], "what follows");
        });
        cases.row("evolution: enums");
        cases.arrives("evolution-enum-reordered-and-added", () -> make("Levels"), (Object[] received) -> {
            Object low = constant("Level", "LOW");
            Object middle = constant("Level", "MIDDLE");
            Object high = constant("Level", "HIGH");
            Check.same(low, received[0], "LOW");
            Check.same(high, received[1], "HIGH");
            Check.finds((Set<?>) received[2], low, high);
            Check.finds((EnumMap<?, ?>) received[3], middle, "m", high, "h");
            Check.finds((Map<?, ?>) received[4], low, 1, high, 2);
            Check.finds((Set<?>) received[5], low, middle);
            Check.inOrder((Set<?>) received[2], high, low);
        });
        cases.refusedByReceiver(
                "evolution-enum-constant-removed",
                () -> make("ObsoleteLevel"),
                "EVOLUTION",
                "evolving.Level",
                "OBSOLETE");
        cases.row("evolution: type changed is a clear error naming class, field and both types");
        cases.refusedByReceiver(
                "evolution-int-to-long",
                () -> make("IntToLong"),
                "EVOLUTION",
                "evolving.IntToLong",
                "amount",
                "int",
                "long");
        cases.refusedByReceiver(
                "evolution-string-to-integer",
                () -> make("StringToInteger"),
                "EVOLUTION",
                "evolving.StringToInteger",
                "amount",
                "java.lang.String",
                "java.lang.Integer");
        cases.refusedByReceiver(
                "evolution-primitive-to-object",
                () -> make("PrimitiveToObject"),
                "EVOLUTION",
                "evolving.PrimitiveToObject",
                "amount",
                "int",
                "java.lang.Object");
        // The image tells these apart only by the object.
        cases.refusedByReceiver(
                "evolution-list-to-integer",
                () -> make("ListToInteger"),
                "EVOLUTION",
                "evolving.ListToInteger.amount",
                "java.lang.Integer",
                "java.util.ArrayList");
        cases.refusedByReceiver(
                "evolution-list-to-map",
                () -> make("ListToMap"),
                "EVOLUTION",
                "evolving.ListToMap.amount",
                "java.util.Map",
                "java.util.ArrayList");
        cases.refusedByReceiver(
                "evolution-class-became-enum", () -> make("ClassToEnum"), "EVOLUTION", "evolving.ClassToEnum");
        cases.refusedByReceiver(
                "evolution-class-stopped-being-serializable",
                () -> make("StopsBeingSerializable"),
                "CLASS_REJECTED",
                "evolving.StopsBeingSerializable");
        cases.row("evolution: class missing on the receiver");
        cases.refusedByReceiver(
                "evolution-class-missing", () -> make("OnlyInVersion1"), "CLASS_NOT_FOUND", "evolving.OnlyInVersion1");
    }
}
