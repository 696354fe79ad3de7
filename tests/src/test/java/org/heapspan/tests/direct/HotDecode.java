package org.heapspan.tests.direct;

import java.util.Objects;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.vm.Carver;
import org.heapspan.vm.VirtualMachine;

/**
 * Reads one small raw image over and over: the JIT compilers learn all they can about the array of numbers that becomes an array of
 * objects, and must not conclude anything from it. Argument: {@code count=}.
 */
public final class HotDecode {
    private HotDecode() {}

    /**
     * Ends with exit code 0 if every copy was right.
     *
     * @param arguments see the class
     */
    public static void main(String[] arguments) {
        long count = new Arguments(arguments).number("count", 1_200_000);
        Carver carver = VirtualMachine.current().carver();
        System.out.println("carver=" + (carver != null));
        StressGraph graph = StressGraph.make(7, 2, false);
        long digest = graph.digest();
        Heapspan heapspan = Heapspan.builder().checksum(false).build();
        byte[] whole = heapspan.encode(graph, Encoding.RAW);
        byte[] small = heapspan.encode(new String[] {"one", "two"}, Encoding.RAW);
        long sum = 0;
        for (long i = 0; i < count; i++) {
            if (i % 16 == 0) {
                StressGraph copy = Objects.requireNonNull(heapspan.decodeTrusted(whole, StressGraph.class));
                if (copy.digest() != digest) {
                    throw new AssertionError("copy " + i + " differs");
                }
            } else {
                String[] copy = Objects.requireNonNull(heapspan.decodeTrusted(small, String[].class));
                sum += copy[0].length() + copy[1].length();
            }
        }
        System.out.println("graphs=" + count);
        if (carver != null) {
            System.out.println("carved=" + DirectEngineStress.carved(carver.statistics()));
        }
        System.out.println("ok=" + (sum == 6 * (count - (count + 15) / 16)));
    }
}
