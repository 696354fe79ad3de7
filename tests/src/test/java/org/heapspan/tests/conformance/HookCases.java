package org.heapspan.tests.conformance;

import java.io.Externalizable;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectInputValidation;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamException;
import java.io.ObjectStreamField;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The hooks of Java serialization, honoured. */
@SuppressWarnings({"unchecked", "serial", "UnusedVariable"})
final class HookCases {

    private HookCases() {}

    /** Serialization proxy pattern. */
    static final class Temperature implements Serializable {
        private final transient double kelvin;

        Temperature(double kelvin) {
            this.kelvin = kelvin;
        }

        private Object writeReplace() {
            return new Celsius(kelvin - 273.15);
        }

        private void readObject(ObjectInputStream in) throws InvalidObjectException {
            throw new InvalidObjectException("proxy required");
        }
    }

    record Celsius(double degrees) implements Serializable {
        private Object readResolve() {
            return new Temperature(degrees + 273.15);
        }
    }

    static final class Interned implements Serializable {
        private static final Map<String, Interned> ALL = new HashMap<>();
        final String name;

        private Interned(String name) {
            this.name = name;
        }

        static synchronized Interned of(String name) {
            return ALL.computeIfAbsent(name, Interned::new);
        }

        private Object readResolve() {
            return of(name);
        }
    }

    static final class Singleton implements Serializable {
        static final Singleton INSTANCE = new Singleton();

        private Object readResolve() throws ObjectStreamException {
            return INSTANCE;
        }
    }

    static class ProtectedResolve implements Serializable {
        protected Object readResolve() {
            return new ResolvedBy(getClass().getSimpleName());
        }
    }

    static final class InheritsResolve extends ProtectedResolve {}

    record ResolvedBy(String name) implements Serializable {}

    /** writeObject and readObject with data of their own. */
    static class Ledger implements Serializable {
        transient List<Integer> amounts = new ArrayList<>();
        String owner = "owner";
        transient int sum;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeInt(amounts.size());
            for (Integer each : amounts) {
                out.writeInt(each);
            }
            out.writeUTF("end");
            out.writeObject(this);
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            amounts = new ArrayList<>();
            int size = in.readInt();
            for (int i = 0; i < size; i++) {
                int amount = in.readInt();
                amounts.add(amount);
                sum += amount;
            }
            if (!in.readUTF().equals("end")) {
                throw new InvalidObjectException("end marker");
            }
            if (in.readObject() != this) {
                throw new InvalidObjectException("identity of this within its own data");
            }
        }
    }

    /** Hooks on two levels of a hierarchy, a level without hooks between them. */
    static class Quiet extends Ledger {
        String middle = "middle";
    }

    static final class DeepLedger extends Quiet {
        transient String secret = "secret";
        Object extra;

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
            out.writeObject(new StringBuilder(secret).reverse().toString());
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            secret = new StringBuilder((String) in.readObject()).reverse().toString();
        }
    }

    /** Fields declared by serialPersistentFields that the class does not have. */
    static final class Renamed implements Serializable {
        private static final ObjectStreamField[] serialPersistentFields = {
            new ObjectStreamField("oldName", String.class), new ObjectStreamField("oldCount", int.class)
        };
        transient String newName = "n";
        transient long newCount = 3;

        private void writeObject(ObjectOutputStream out) throws IOException {
            ObjectOutputStream.PutField fields = out.putFields();
            fields.put("oldName", newName);
            fields.put("oldCount", (int) newCount);
            out.writeFields();
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            ObjectInputStream.GetField fields = in.readFields();
            newName = (String) fields.get("oldName", "default");
            newCount = fields.get("oldCount", -1);
            if (!fields.defaulted("oldCount") && newCount < 0) {
                throw new InvalidObjectException("negative");
            }
        }
    }

    /** serialPersistentFields choosing among real fields, without writeObject. */
    static final class Chosen implements Serializable {
        private static final ObjectStreamField[] serialPersistentFields = {new ObjectStreamField("kept", String.class)};
        String kept = "kept";
        String dropped = "dropped";
    }

    public static final class Packed implements Externalizable {
        int red;
        int green;
        Object tag;
        int constructed;

        public Packed() {
            constructed = 1;
        }

        Packed(int red, int green, Object tag) {
            this.red = red;
            this.green = green;
            this.tag = tag;
            constructed = 2;
        }

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            out.writeInt(red << 16 | green);
            out.writeObject(tag);
        }

        @Override
        public void readExternal(ObjectInput in) throws IOException, ClassNotFoundException {
            int packed = in.readInt();
            red = packed >>> 16;
            green = packed & 0xffff;
            tag = in.readObject();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Packed that && that.red == red && that.green == green;
        }

        @Override
        public int hashCode() {
            return red * 31 + green;
        }
    }

    static final class Validated implements Serializable, ObjectInputValidation {
        static int validations;
        int low = 1;
        int high = 2;
        transient boolean validated;
        Validated nested;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.registerValidation(this, nested == null ? 1 : 5);
            in.defaultReadObject();
            if (validated) {
                throw new InvalidObjectException("validated before the graph was complete");
            }
        }

        @Override
        public void validateObject() throws InvalidObjectException {
            if (low > high) {
                throw new InvalidObjectException("low > high");
            }
            validated = true;
            validations++;
        }
    }

    static final class AlwaysInvalid implements Serializable, ObjectInputValidation {
        int level = 4;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            in.registerValidation(this, 0);
        }

        @Override
        public void validateObject() throws InvalidObjectException {
            throw new InvalidObjectException("level 4 is never valid");
        }
    }

    static final class ReadRefuses implements Serializable {
        int value = 1;

        private void readObject(ObjectInputStream in) throws IOException {
            throw new InvalidObjectException("readObject says no to value " + value);
        }
    }

    static final class WriteRefuses implements Serializable {
        private void writeObject(ObjectOutputStream out) throws IOException {
            throw new java.io.NotSerializableException("writeObject says no");
        }
    }

    /** Recomputes a derived transient field, as many classes do. */
    static final class Derived implements Serializable {
        final String text;
        transient int length;

        Derived(String text) {
            this.text = text;
            length = text.length();
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            length = text.length();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Derived that && that.text.equals(text);
        }

        @Override
        public int hashCode() {
            return length * 31 + text.hashCode();
        }
    }

    static final class RecordReplacement implements Serializable {
        private Object writeReplace() {
            return "replaced by a string";
        }
    }

    static final class ReplacesWithItself implements Serializable {
        int number = 6;

        private Object writeReplace() {
            return this;
        }
    }

    static final class ChainFirst implements Serializable {
        private Object writeReplace() {
            return new ChainSecond();
        }
    }

    static final class ChainSecond implements Serializable {
        private Object writeReplace() {
            return new ResolvedBy("third");
        }
    }

    static void addTo(CaseList cases) {
        replaceAndResolve(cases);
        writeAndRead(cases);
        mixed(cases);
    }

    private static void replaceAndResolve(CaseList cases) {
        cases.row("honour writeReplace/readResolve");
        cases.arrives(
                "hook-serialization-proxy",
                () -> {
                    Temperature temperature = new Temperature(300);
                    return new Object[] {temperature, temperature, new ArrayList<>(List.of(temperature))};
                },
                (Object[] received) -> {
                    Check.isExactly(Temperature.class, received[0]);
                    Check.that(Math.abs(((Temperature) received[0]).kelvin - 300) < 1e-9, "value");
                    Check.same(received[0], received[1], "sharing after resolve");
                    Check.same(received[0], ((List<?>) received[2]).get(0), "sharing with a list");
                });
        cases.arrives(
                "hook-serialization-proxy-as-root",
                () -> new Temperature(280),
                (Temperature received) -> Check.that(Math.abs(received.kelvin - 280) < 1e-9, "value"));
        cases.arrives(
                "hook-serialization-proxy-as-key",
                () -> new HashMap<>(Map.of(Interned.of("key"), 1, "other", 2)),
                (Map<Object, Object> received) -> {
                    Check.equal(1, received.get(Interned.of("key")), "get by the interned key");
                    Check.equal(2, received.size(), "size");
                });
        cases.arrives(
                "hook-singleton",
                () -> new Object[] {
                    Singleton.INSTANCE, List.of(Singleton.INSTANCE), new Singleton[] {Singleton.INSTANCE}
                },
                (Object[] received) -> {
                    Check.same(Singleton.INSTANCE, received[0], "array element");
                    Check.same(Singleton.INSTANCE, ((List<?>) received[1]).get(0), "list element");
                    Check.same(Singleton.INSTANCE, ((Singleton[]) received[2])[0], "typed array element");
                });
        cases.arrives(
                "hook-interned-in-set",
                () -> new Object[] {new HashSet<>(List.of(Interned.of("a"), Interned.of("b"))), Interned.of("a")},
                (Object[] received) -> {
                    Check.same(Interned.of("a"), received[1], "interned");
                    Check.finds((Set<?>) received[0], Interned.of("a"), Interned.of("b"));
                });
        cases.arrives(
                "hook-inherited-protected-resolve",
                () -> new Object[] {new InheritsResolve(), new ProtectedResolve()},
                (Object[] received) -> {
                    Check.equal(new ResolvedBy("InheritsResolve"), received[0], "inherited hook");
                    Check.equal(new ResolvedBy("ProtectedResolve"), received[1], "own hook");
                });
        cases.arrives(
                "hook-replace-with-string-itself-and-chain",
                () -> new Object[] {new RecordReplacement(), new ReplacesWithItself(), new ChainFirst()},
                (Object[] received) -> {
                    Check.equal("replaced by a string", received[0], "string");
                    Check.equal(6, ((ReplacesWithItself) received[1]).number, "itself");
                    Check.equal(new ResolvedBy("third"), received[2], "chain of replacements of differing classes");
                });
    }

    private static void writeAndRead(CaseList cases) {
        cases.row("honour readObject/Externalizable: embedded standard-serial section");
        cases.arrives("hook-write-read-object", HookCases::ledger, (Ledger received) -> {
            Check.inOrder(received.amounts, 5, 6, 7);
            Check.equal(18, received.sum, "computed while reading");
            Check.equal("owner", received.owner, "default field");
        });
        cases.arrives(
                "hook-write-read-object-in-hierarchy",
                () -> {
                    DeepLedger ledger = new DeepLedger();
                    ledger.amounts.addAll(List.of(1, 2));
                    ledger.middle = "changed";
                    ledger.extra = HashContainerCases.Color.RED;
                    return new Object[] {ledger, ledger};
                },
                (Object[] received) -> {
                    DeepLedger ledger = (DeepLedger) received[0];
                    Check.same(received[0], received[1], "identity");
                    Check.equal("secret", ledger.secret, "own data of the subclass");
                    Check.equal("changed", ledger.middle, "level without hooks");
                    Check.equal(3, ledger.sum, "hook of the base");
                    Check.same(HashContainerCases.Color.RED, ledger.extra, "enum in a hooked object");
                });
        cases.arrives(
                "hook-section-shares-with-the-rest",
                () -> {
                    List<Object> shared = new ArrayList<>(List.of("shared"));
                    DeepLedger ledger = new DeepLedger();
                    ledger.extra = shared;
                    return new Object[] {shared, ledger, new Packed(1, 2, shared), shared};
                },
                (Object[] received) -> {
                    Check.same(received[0], received[3], "outside");
                    Check.same(
                            received[0], ((DeepLedger) received[1]).extra, "object reached from a readObject section");
                    Check.same(received[0], ((Packed) received[2]).tag, "object reached from an Externalizable");
                });
        cases.arrives(
                        "hook-derived-state-in-hash-set",
                        () -> new Object[] {
                            new HashSet<>(List.of(new Derived("abc"), new Derived("defg"))),
                            new HashMap<>(Map.of(new Derived("k"), 1))
                        },
                        (Object[] received) -> {
                            Check.finds((Set<?>) received[0], new Derived("abc"), new Derived("defg"));
                            Check.finds((Map<?, ?>) received[1], new Derived("k"), 1);
                        })
                .note("the hash depends on a transient field that readObject computes: rehash must come after it");
        cases.arrives("hook-put-fields-get-fields", Renamed::new, (Renamed received) -> {
            Check.equal("n", received.newName, "name");
            Check.equal(3L, received.newCount, "count");
        });
        cases.arrives("hook-serial-persistent-fields", Chosen::new, (Chosen received) -> {
            Check.equal("kept", received.kept, "chosen field");
            Check.same(null, received.dropped, "field that was not chosen");
        });
        cases.arrives(
                "hook-externalizable",
                () -> {
                    Packed packed = new Packed(3, 4, HashContainerCases.Color.BLUE);
                    return new Object[] {packed, packed, new HashMap<>(Map.of(packed, "v"))};
                },
                (Object[] received) -> {
                    Packed packed = (Packed) received[0];
                    Check.same(received[0], received[1], "identity");
                    Check.that(packed.red == 3 && packed.green == 4, "fields");
                    Check.same(HashContainerCases.Color.BLUE, packed.tag, "enum");
                    Check.equal(1, packed.constructed, "the public constructor without arguments ran");
                    Check.equal("v", ((Map<?, ?>) received[2]).get(new Packed(3, 4, null)), "as a key");
                });
        cases.arrives(
                "hook-externalizable-nested",
                () -> new Packed(1, 1, new Packed(2, 2, new ArrayList<>(List.of(new Packed(3, 3, null))))),
                (Packed received) -> {
                    Packed second = (Packed) received.tag;
                    Check.equal(2, second.red, "second");
                    Check.equal(3, ((Packed) ((List<?>) second.tag).get(0)).green, "third");
                });
        cases.arrives(
                "hook-register-validation",
                () -> {
                    Validated outer = new Validated();
                    outer.nested = new Validated();
                    return new Object[] {outer};
                },
                (Object[] received) -> {
                    Validated outer = (Validated) received[0];
                    Check.that(outer.validated, "outer validated");
                    Check.that(outer.nested.validated, "nested validated");
                });
        cases.refusedByReceiver(
                "hook-validation-fails", AlwaysInvalid::new, "HOOK", "level 4 is never valid", "AlwaysInvalid");
        cases.refusedByReceiver(
                "hook-read-object-refuses",
                () -> new Object[] {new ReadRefuses()},
                "HOOK",
                "readObject says no",
                "ReadRefuses");
        cases.refusedBySender(
                "hook-write-object-refuses",
                () -> new Object[] {new WriteRefuses()},
                "HOOK",
                "writeObject says no",
                "WriteRefuses");
    }

    private static Ledger ledger() {
        Ledger ledger = new Ledger();
        ledger.amounts.addAll(List.of(5, 6, 7));
        return ledger;
    }

    private static void mixed(CaseList cases) {
        cases.row("honour: many hooked objects among raw ones");
        cases.arrives(
                "hook-thousand-of-each",
                () -> {
                    List<Object> all = new ArrayList<>();
                    for (int i = 0; i < 1000; i++) {
                        all.add(new Derived("d" + i));
                        all.add(new Packed(i & 0xff, i >> 8, all.get(all.size() - 1)));
                        all.add(new Temperature(i));
                        all.add(Interned.of("i" + i % 10));
                    }
                    return all;
                },
                (List<Object> received) -> {
                    Check.equal(4000, received.size(), "size");
                    for (int i = 0; i < 1000; i++) {
                        Derived derived = (Derived) received.get(4 * i);
                        Check.equal(("d" + i).length(), derived.length, "derived " + i);
                        Packed packed = (Packed) received.get(4 * i + 1);
                        Check.same(derived, packed.tag, "tag " + i);
                        Check.equal(i, packed.green << 8 | packed.red, "packed " + i);
                        Check.that(
                                Math.abs(((Temperature) received.get(4 * i + 2)).kelvin - i) < 1e-9,
                                "temperature " + i);
                        Check.same(Interned.of("i" + i % 10), received.get(4 * i + 3), "interned " + i);
                    }
                });
    }
}
