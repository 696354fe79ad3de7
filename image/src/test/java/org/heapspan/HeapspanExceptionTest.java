package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Programs such as Spark end the process where an error of the JVM is among the causes of what they catch. */
@Tag("once")
final class HeapspanExceptionTest {
    /** Fails as the JVM does for others. */
    private static final class Failing implements Serializable {
        private static final long serialVersionUID = 1L;

        private final String error;

        Failing(String error) {
            this.error = error;
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            switch (error) {
                case "internal" -> throw new InternalError("of a hook");
                case "memory" -> throw new OutOfMemoryError("of a hook");
                case "wrapped" -> throw new IOException("Map failed", new OutOfMemoryError("of a hook"));
                default -> throw new IOException(error);
            }
        }
    }

    private static void checkCauses(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            assertThat(cause).isNotInstanceOf(VirtualMachineError.class);
        }
    }

    @Test
    void noErrorOfTheJvmIsAmongItsCauses() {
        Heapspan heapspan = Heapspan.builder().allow("*").build();
        for (String error : new String[] {"internal", "memory", "wrapped"}) {
            byte[] image = heapspan.encode(new Failing(error));
            assertThatThrownBy(() -> heapspan.decode(image, Object.class))
                    .isInstanceOf(HeapspanException.class)
                    .satisfies(HeapspanExceptionTest::checkCauses)
                    .satisfies(e -> assertThat(e.getSuppressed())
                            .singleElement()
                            .asString()
                            .contains(error.equals("wrapped") ? "Map failed" : "of a hook"));
        }
    }

    @Test
    void otherCausesStay() {
        IOException cause = new IOException("no space");
        HeapspanException failure = new HeapspanException(Category.IO, "it failed", cause);
        assertThat(failure).hasCause(cause).hasNoSuppressedExceptions();
        assertThat(new HeapspanException(Category.IO, "it failed")).hasNoCause().hasNoSuppressedExceptions();
    }
}
