package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects that are deferred one behind the other are complete for the hooks and immutable sets within those that follow. */
class DeferredSiblingsTest {
    private static final int LEVELS = 95;
    private final Heapspan heapspan = Heapspan.builder().allow("*").build();

    /** Its name comes behind all that may look into it. */
    private static final class Person implements Serializable {
        private static final long serialVersionUID = 1;
        Object child;
        Set<Object> friends = Set.of();
        Index index = new Index(List.of());
        Object keeper;
        Object name;

        Person(String name) {
            this.name = name;
        }

        @Override
        public int hashCode() {
            return name == null ? 0 : name.hashCode();
        }

        @Override
        public boolean equals(Object object) {
            return object instanceof Person other && name.equals(other.name);
        }
    }

    /** Finds persons by their names, in a map that is made anew where it is read. */
    private static final class Index implements Serializable {
        private static final long serialVersionUID = 1;
        private final List<Person> persons;
        private transient Map<Object, Person> byName;

        Index(List<Person> persons) {
            this.persons = persons;
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            byName = new HashMap<>();
            for (Person person : persons) {
                byName.put(person.name, person);
            }
        }
    }

    /** A copy of an array whose elements are the first that lie too deep to be in place. */
    private Object[] copyDeepDown(Object[] array) {
        return (Object[]) unwrapped(copyOf((Object[]) wrapped(array, LEVELS)), LEVELS);
    }

    private Object[] copyOf(Object[] graph) {
        return heapspan.decode(heapspan.encode(graph), Object[].class);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 100, 5_000})
    void earlierOnesAreComplete(int count) {
        Person[] persons = new Person[count];
        for (int i = 0; i < count; i++) {
            Person person = new Person("person " + i);
            Person child = new Person("child " + i);
            child.child = new Person("grandchild " + i);
            person.child = child;
            if (i > 0) {
                Person previous = persons[i - 1];
                Person nephew = (Person) previous.child;
                Person last = (Person) nephew.child;
                person.friends = Set.of(previous, nephew, last, child, child.child, "a", "b", "c");
                person.index = new Index(List.of(previous, nephew, last, child, (Person) child.child));
            }
            persons[i] = person;
        }

        Object[] copies = copyDeepDown(persons);

        for (int i = 1; i < count; i++) {
            Person copy = (Person) copies[i];
            for (Person friend : copy.index.persons) {
                assertThat(copy.index.byName.get(friend.name)).isSameAs(friend);
                assertThat(copy.friends.contains(friend)).isTrue();
            }
        }
    }

    /** Has a hook that looks at nothing. */
    private static final class Keeper implements Serializable {
        private static final long serialVersionUID = 1;
        private final Object kept;

        Keeper(Object kept) {
            this.kept = kept;
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
        }
    }

    private static Object wrapped(Object object, int levels) {
        Object array = object;
        for (int i = 0; i < levels; i++) {
            array = new Object[] {array};
        }
        return array;
    }

    private static Object unwrapped(Object wrapped, int levels) {
        Object array = wrapped;
        for (int i = 0; i < levels; i++) {
            array = ((Object[]) array)[0];
        }
        return array;
    }

    private static void checkFriends(Person person) {
        for (Object friend : person.friends) {
            assertThat(person.friends.contains(friend)).isTrue();
        }
    }

    /** A person that is deferred has a set with one whose hooks lead back to the first, and who is complete only behind them. */
    @Test
    void friendsAreCompleteThatLeadBackThroughHooks() {
        Person deferred = new Person("deferred");
        Person friend = new Person("friend");
        deferred.friends = Set.of(friend, "a", "b");
        friend.keeper = new Keeper(deferred);

        Object[] copy = copyOf(new Object[] {wrapped(new Object[] {deferred}, LEVELS - 1), friend});

        Object[] copies = (Object[]) unwrapped(copy[0], LEVELS - 1);
        checkFriends((Person) copies[0]);
    }

    /**
     * No cycle: the elements of lists that are in a set were deferred before the owner of the set. There are many lists, since a set finds a few by
     * chance even if their hash codes were wrong.
     */
    @Test
    void elementsOfElementsAreCompleteThatWereDeferredBefore() {
        Person first = new Person("first");
        Person second = new Person("second");
        List<Object> lists = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            lists.add(new ArrayList<>(List.of(first, i)));
        }
        second.friends = Set.copyOf(lists);

        Object[] copy =
                copyOf(new Object[] {wrapped(new Object[] {first, second}, LEVELS - 1), lists, new Keeper(second)});

        Object[] copies = (Object[]) unwrapped(copy[0], LEVELS - 1);
        checkFriends((Person) copies[1]);
    }

    /** No cycle: the hooks of an element of a set lead to what was deferred behind the owner of the set. */
    @Test
    void elementsAreCompleteThatLeadToWhatWasDeferredBehind() {
        Person first = new Person("first");
        Person second = new Person("second");
        Person friend = new Person("friend");
        first.friends = Set.of(friend, "a", "b");
        friend.keeper = new Keeper(second);

        Object[] copy = copyOf(new Object[] {wrapped(new Object[] {first, second}, LEVELS - 1), friend});

        Object[] copies = (Object[]) unwrapped(copy[0], LEVELS - 1);
        checkFriends((Person) copies[0]);
    }

    /** A chain in which each has a set of the two before it, and a hook that leads to the next. Java serialization cannot read it. */
    @Test
    void friendsAreCompleteInAChainOfHooks() {
        Person[] persons = new Person[300];
        Arrays.setAll(persons, i -> new Person("person " + i));
        for (int i = 0; i + 1 < persons.length; i++) {
            persons[i].child = persons[i + 1];
            persons[i].keeper = new Keeper(persons[i + 1]);
            if (i > 0) {
                persons[i + 1].friends = Set.of(persons[i - 1], persons[i], "a");
            }
        }

        Object[] copy = copyOf(new Object[] {wrapped(persons, LEVELS - 1), persons[0]});

        for (Object copied : (Object[]) unwrapped(copy[0], LEVELS - 1)) {
            checkFriends((Person) copied);
        }
    }
}
