package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
        Object object = array;
        for (int i = 0; i < LEVELS; i++) {
            object = new Object[] {object};
        }
        Object copy = heapspan.decode(heapspan.encode(object), Object[].class);
        for (int i = 0; i < LEVELS; i++) {
            copy = ((Object[]) copy)[0];
        }
        return (Object[]) copy;
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
}
