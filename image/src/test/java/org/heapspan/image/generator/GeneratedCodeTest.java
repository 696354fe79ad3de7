package org.heapspan.image.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.Heapspan;
import org.heapspan.testing.JavaProcess;
import org.junit.jupiter.api.Test;

/** What the JIT makes of generated codecs. */
final class GeneratedCodeTest {
    static final class Node implements Serializable {
        int number;
        String name;
        Node next;
        List<Node> others = new ArrayList<>();

        Node(int number) {
            this.number = number;
        }
    }

    /** It gives up a method, for good, with a dynamic constant that no run so far has asked for. */
    @Test
    void compilesMethodsSomeBranchesOfWhichNeverRan() throws IOException, InterruptedException {
        JavaProcess.Result result =
                JavaProcess.run(Repeat.class, List.of(JavaProcess.BOTH_COMPILERS, "-XX:+PrintCompilation", "-Xmx256m"));
        assertThat(result.outputAndErrors()).contains("Node").doesNotContain("could not resolve a constant");
        assertThat(result.outputAndErrors()
                        .lines()
                        .filter(line -> line.contains("GeneratedCodec") && line.contains("SKIPPED")))
                .isEmpty();
    }

    /** Main class of a child JVM. */
    public static final class Repeat {
        private Repeat() {}

        /** Encodes and decodes until everything is compiled: first what leaves fields and lists empty, then the rest. */
        public static void main(String[] arguments) {
            Heapspan heapspan = Heapspan.create();
            Node node = new Node(1);
            repeat(heapspan, node);
            node.others.add(null);
            repeat(heapspan, node);
            node.next = new Node(2);
            node.next.name = "two";
            node.others.add(node.next);
            repeat(heapspan, node);
        }

        private static void repeat(Heapspan heapspan, Node node) {
            for (int i = 0; i < 20_000; i++) {
                Node copy = heapspan.decode(heapspan.encode(node), Node.class);
                if (copy == null || copy.number != node.number || copy.others.size() != node.others.size()) {
                    throw new AssertionError("record " + i + " came back as another");
                }
            }
        }
    }
}
