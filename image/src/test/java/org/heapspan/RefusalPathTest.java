package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.PriorityBlockingQueue;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The path in front of a refusal leads to the object, also through what collections hold beside their elements. */
@Tag("once")
public final class RefusalPathTest {
    static final class ByThread implements Comparator<String>, Serializable {
        final Thread thread = Thread.currentThread();

        @Override
        public int compare(String left, String right) {
            return left.compareTo(right);
        }
    }

    /** Not a class of the JDK, which no codec takes for a plain set. */
    static final class Box implements Serializable {
        final Object value;

        Box(Object value) {
            this.value = value;
        }
    }

    @Test
    void leadsThroughCollections() {
        Map<Object, Object> synchronizedMap =
                Collections.synchronizedMap(new HashMap<>(Map.of(Thread.currentThread(), 1)));
        Map<Object, String> expected = new LinkedHashMap<>();
        expected.put(synchronizedMap, "root.keySet(): java.lang.Thread");
        // What a view leads to depends on whether views travel.
        Map<String, Object> holding = Collections.synchronizedMap(new HashMap<>(Map.of("key", Thread.currentThread())));
        expected.put(holding.keySet(), "root.");
        expected.put(List.of(synchronizedMap.values()), "root[0].");
        expected.put(new Box(new TreeMap<>(new ByThread())), "root.value.comparator().thread: ");
        expected.put(new Box(new TreeSet<>(new ByThread())), "root.value.comparator().thread: ");
        expected.put(new Box(new PriorityQueue<>(new ByThread())), "root.value.comparator().thread: ");
        expected.put(new Box(new ConcurrentSkipListMap<>(new ByThread())), "root.value.comparator().thread: ");
        expected.put(new Box(new ConcurrentSkipListSet<>(new ByThread())), "root.value.comparator().thread: ");
        expected.put(new Box(new PriorityBlockingQueue<>(3, new ByThread())), "root.value.comparator().thread: ");
        Heapspan heapspan = Heapspan.create();
        List<String> faults = new ArrayList<>();
        expected.forEach((root, path) -> {
            HeapspanException refusal = catchThrowableOfType(HeapspanException.class, () -> heapspan.encode(root));
            if (refusal == null
                    || refusal.category() != Category.CLASS_REFUSED
                    || !String.valueOf(refusal.getMessage()).startsWith(path)) {
                faults.add(path + " but " + (refusal == null ? "it was encoded" : refusal.getMessage()));
            }
        });
        assertThat(faults).isEmpty();
    }
}
