package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.GeneratedClass;
import org.junit.jupiter.api.Test;

final class RegisterUpdateTest {
    static class Base implements Serializable {
        long arrived = 1;
    }

    static final class Session extends Base {
        String user = "ada";
        int hits = 3;
        boolean open = true;
        double load = 0.5;
        char mark = 'a';
        transient String cache = "cached";
        final Session parent;

        Session(Session parent) {
            this.parent = parent;
        }
    }

    static final class Hooked implements Serializable {
        int number = 1;
        private transient int seen;

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            seen = number;
        }
    }

    record Pair(int left, String right) implements Serializable {}

    static final class Key implements Serializable {
        final String name;

        Key(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    static final class Owner implements Serializable {
        Set<Object> set = new HashSet<>();
        int sizeSeen;
    }

    static int counter;

    private static Field field(Class<?> type, String name) {
        try {
            return type.getDeclaredField(name);
        } catch (NoSuchFieldException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void givesFieldsOfAllTypesTheirValues() {
        Heapspan heapspan = Heapspan.builder()
                .registerUpdate(field(Session.class, "hits"), (owner, sent) -> (Integer) sent + 10)
                .registerUpdate(field(Session.class, "open"), (owner, sent) -> !(Boolean) sent)
                .registerUpdate(field(Session.class, "load"), (owner, sent) -> -(Double) sent)
                .registerUpdate(field(Session.class, "mark"), (owner, sent) -> 'z')
                .registerUpdate(field(Session.class, "user"), (owner, sent) -> sent + " at " + ((Session) owner).hits)
                .registerUpdate(field(Base.class, "arrived"), (owner, sent) -> 77L)
                .build();
        Session session = new Session(new Session(null));
        for (Session copy :
                new Session[] {heapspan.copy(session), heapspan.decode(heapspan.encode(session), Session.class)}) {
            for (Session one : new Session[] {copy, copy.parent}) {
                assertThat(one.hits).isEqualTo(13);
                assertThat(one.open).isFalse();
                assertThat(one.load).isEqualTo(-0.5);
                assertThat(one.mark).isEqualTo('z');
                assertThat(one.user).startsWith("ada at ");
                assertThat(one.arrived).isEqualTo(77);
            }
        }
        // The images are those of anyone else, in both directions.
        Heapspan plain = Heapspan.create();
        assertThat(plain.encode(session)).isEqualTo(heapspan.encode(session));
        assertThat(plain.decode(heapspan.encode(session), Session.class).hits).isEqualTo(3);
        assertThat(heapspan.decode(plain.encode(session), Session.class).hits).isEqualTo(13);
    }

    @Test
    void reachesStreamsAndGroups() throws Exception {
        Heapspan heapspan = Heapspan.builder()
                .registerUpdate(field(Session.class, "hits"), (owner, sent) -> 9)
                .build();
        GroupWriter writer = heapspan.groupWriter();
        writer.write(new Session(null));
        assertThat(((Session) heapspan.groupReader(writer.finish()).next()).hits)
                .isEqualTo(9);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (HeapspanObjectOutputStream output = new HeapspanObjectOutputStream(bytes, heapspan)) {
            output.writeObject(List.of(new Session(null)));
        }
        try (HeapspanObjectInputStream input =
                new HeapspanObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()), heapspan)) {
            assertThat(((Session) ((List<?>) input.readObject()).get(0)).hits).isEqualTo(9);
        }
    }

    @Test
    void setsTransientFieldsAnew() {
        Heapspan heapspan = Heapspan.builder()
                .registerUpdate(field(Session.class, "cache"), (owner, sent) -> "for " + ((Session) owner).user + sent)
                .build();
        assertThat(heapspan.copy(new Session(null)).cache).isEqualTo("for adanull");
        Heapspan cloning = Heapspan.builder()
                .mode(Mode.CLONE)
                .registerUpdate(field(Session.class, "cache"), (owner, sent) -> sent + "!")
                .build();
        assertThat(cloning.copy(new Session(null)).cache).isEqualTo("cached!");
    }

    @Test
    void reachesClassesOfEveryForm() throws Exception {
        Heapspan heapspan = Heapspan.builder()
                .registerUpdate(field(Hooked.class, "number"), (owner, sent) -> 5)
                .registerUpdate(field(Pair.class, "left"), (owner, sent) -> 6)
                .build();
        Hooked hooked = heapspan.copy(new Hooked());
        assertThat(hooked.number).isEqualTo(5);
        assertThat(hooked.seen).as("what readObject saw").isEqualTo(1);
        assertThat(heapspan.copy(new Pair(1, "r"))).isEqualTo(new Pair(6, "r"));
        // A class that is another here than there.
        GeneratedClass there = new GeneratedClass("generated.Updated", Map.of("x", "I", "y", "I"));
        GeneratedClass here = new GeneratedClass("generated.Updated", Map.of("x", "I", "z", "J"));
        GeneratedClass.Loader loader = new GeneratedClass.Loader(here);
        Object sent = new GeneratedClass.Loader(there).newInstance(there.name());
        Field x = loader.loadClass(here.name()).getField("x");
        Heapspan evolving = Heapspan.builder()
                .classLoader(loader)
                .registerUpdate(x, (owner, value) -> 8)
                .build();
        Object copy = evolving.decode(Heapspan.create().encode(sent), Object.class);
        assertThat(GeneratedClass.get(copy, "x")).isEqualTo(8);
    }

    @Test
    void runsOnceTheGraphIsComplete() {
        Heapspan heapspan = Heapspan.builder()
                .registerUpdate(field(Owner.class, "sizeSeen"), (owner, sent) -> {
                    Set<Object> set = ((Owner) owner).set;
                    assertThat(set).allMatch(set::contains);
                    return set.size();
                })
                .build();
        Owner owner = new Owner();
        for (int i = 0; i < 10; i++) {
            owner.set.add(new Key("key " + i));
        }
        owner.set.add(new HashMap<>(Map.of(new Key("inner"), owner.getClass())));
        Object[] graph = {owner, new ArrayList<>(List.of(owner, new Owner()))};
        Object[] copy = heapspan.copy(graph);
        assertThat(((Owner) copy[0]).sizeSeen).isEqualTo(11);
        assertThat(((Owner) ((List<?>) copy[1]).get(1)).sizeSeen).isZero();
    }

    @Test
    void reachesObjectsAtAnyDepth() {
        Heapspan heapspan = Heapspan.builder()
                .registerUpdate(field(Session.class, "hits"), (owner, sent) -> (Integer) sent + 1)
                .build();
        Session chain = null;
        for (int i = 0; i < 5000; i++) {
            chain = new Session(chain);
        }
        Session copy = heapspan.decode(heapspan.encode(chain), Session.class);
        int count = 0;
        for (Session session = copy; session != null; session = session.parent) {
            assertThat(session.hits).as("updated once").isEqualTo(4);
            count++;
        }
        assertThat(count).isEqualTo(5000);
    }

    @Test
    void wrapsWhatTheFunctionThrows() {
        Heapspan throwing = Heapspan.builder()
                .registerUpdate(field(Session.class, "hits"), (owner, sent) -> {
                    throw new IllegalStateException("no clock");
                })
                .build();
        assertThatThrownBy(() -> throwing.copy(new Session(null)))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.HOOK))
                .hasMessageContaining("hits")
                .hasMessageContaining("no clock")
                .hasCauseInstanceOf(IllegalStateException.class);
        // What failed leaves nothing behind for the next decode.
        assertThat(throwing.copy(new Pair(1, "x"))).isEqualTo(new Pair(1, "x"));
    }

    @Test
    void refusesValuesThatDoNotFit() {
        for (Object value : new Object[] {"text", 2.5, 3L, null}) {
            Heapspan heapspan = Heapspan.builder()
                    .registerUpdate(field(Session.class, "hits"), (owner, sent) -> value)
                    .build();
            assertThatThrownBy(() -> heapspan.copy(new Session(null)))
                    .as("%s for an int", value)
                    .isInstanceOf(HeapspanException.class)
                    .hasMessageContaining("hits");
        }
        Heapspan heapspan = Heapspan.builder()
                .registerUpdate(field(Session.class, "user"), (owner, sent) -> 1)
                .build();
        assertThatThrownBy(() -> heapspan.copy(new Session(null)))
                .isInstanceOf(HeapspanException.class)
                .hasMessageContaining("user");
        Heapspan clearing = Heapspan.builder()
                .registerUpdate(field(Session.class, "user"), (owner, sent) -> null)
                .build();
        assertThat(clearing.copy(new Session(null)).user).isNull();
    }

    @Test
    void refusesStaticFields() {
        assertThatThrownBy(() -> Heapspan.builder()
                        .registerUpdate(field(RegisterUpdateTest.class, "counter"), (owner, sent) -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("static");
    }
}
