package org.heapspan.examples;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.Heapspan;
import org.heapspan.Mode;

/** 03: a deep copy within one JVM, of classes that need not be Serializable; transient fields too with Mode.CLONE. */
public final class Example03DeepCopy {
    private Example03DeepCopy() {}

    static final class Basket {
        final Map<String, List<Integer>> quantities = new HashMap<>();
        transient int cachedTotal;
    }

    /** Runs the example. */
    public static void main(String[] arguments) {
        Basket basket = new Basket();
        basket.quantities.put("apples", new ArrayList<>(List.of(1, 2)));
        basket.cachedTotal = 3;

        Basket copy = Heapspan.create().copy(basket);
        basket.quantities.get("apples").add(99);
        System.out.println("original, changed after the copy: " + basket.quantities);
        System.out.println("copy:                             " + copy.quantities);
        System.out.println("transient field, Mode.SERIAL:     " + copy.cachedTotal);

        Basket clone = Heapspan.builder().mode(Mode.CLONE).build().copy(basket);
        System.out.println("transient field, Mode.CLONE:      " + clone.cachedTotal);
    }
}
