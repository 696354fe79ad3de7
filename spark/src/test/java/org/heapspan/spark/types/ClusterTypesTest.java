package org.heapspan.spark.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.TypeRegistry;
import org.heapspan.testing.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class ClusterTypesTest {
    private static final TypeRegistry.Type RED = type("red");
    private static final TypeRegistry.Type GREEN = type("green");
    private static final TypeRegistry.Type BLUE = type("blue");

    private final DriverTypes driver = new DriverTypes();
    private final List<TypesQuestion> asked = new ArrayList<>();

    private static TypeRegistry.Type type(String name) {
        return new TypeRegistry.Type("", name.getBytes(StandardCharsets.UTF_8));
    }

    private static Object travelled(Object message) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(message);
        }
        return new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
    }

    /** As Spark carries them. */
    private Object answer(Object question) throws Exception {
        TypesQuestion arrived = (TypesQuestion) travelled(question);
        synchronized (asked) {
            asked.add(arrived);
        }
        return travelled(driver.answer(arrived));
    }

    private ClusterTypes executor() {
        return asking(this::answer);
    }

    /** Waits for the driver however slow the machine is, and is silent from a failure on. */
    private ClusterTypes asking(ClusterTypes.Driver way) {
        return new ClusterTypes(driver.id(), way, Eventually.MOST_MILLIS, Eventually.MOST_MILLIS);
    }

    private int questions() {
        synchronized (asked) {
            return asked.size();
        }
    }

    @Test
    void executorsAgreeOnNumbersAndAskOnceForEach() {
        ClusterTypes one = executor();
        ClusterTypes other = executor();
        assertThat(one.numbersOf(List.of(RED, GREEN))).containsExactly(0, 1);
        assertThat(questions()).isEqualTo(1);
        assertThat(one.numbersOf(List.of(GREEN, RED))).containsExactly(1, 0);
        assertThat(questions()).isEqualTo(1);
        assertThat(other.numbersOf(List.of(BLUE))).containsExactly(2);
        assertThat(other.numbersOf(List.of(RED, BLUE))).containsExactly(0, 2);
        assertThat(questions()).isEqualTo(2);
        assertThat(driver.size()).isEqualTo(3);
    }

    @Test
    void aNumberThatIsNotKnownYetIsAskedForInOneRoundTripWithAllThatIsNew() {
        executor().numbersOf(List.of(RED, GREEN, BLUE));
        ClusterTypes reader = executor();
        TypeRegistry.Type[] types = reader.typesOf(new int[] {2, 0});
        assertThat(types[0].description()).isEqualTo(BLUE.description());
        assertThat(types[1].description()).isEqualTo(RED.description());
        assertThat(reader.typeOf(1).description()).isEqualTo(GREEN.description());
        assertThat(questions()).isEqualTo(2);
        assertThat(reader.typeOf(7)).isNull();
        assertThat(reader.typeOf(TypeRegistry.MOST_TYPES)).isNull();
        assertThat(questions()).isEqualTo(3);
    }

    @Test
    void anExecutorThatStartsFetchesWhatThereIs() throws Exception {
        executor().numbersOf(List.of(RED, GREEN));
        ClusterTypes late = executor();
        late.fetch();
        Eventually.holds("both types are there", () -> late.size() == 2);
        assertThat(late.numbersOf(List.of(RED, GREEN))).containsExactly(0, 1);
        assertThat(questions()).isEqualTo(2);
    }

    @Test
    void writersDoWithoutADriverThatFails() {
        ClusterTypes types = asking(question -> {
            asked.add((TypesQuestion) question);
            throw new IOException("connection refused");
        });
        assertThat(types.numbersOf(List.of(RED, BLUE))).containsOnly(TypeRegistry.NO_NUMBER);
        assertThat(types.numberOf("", GREEN.description())).isEqualTo(TypeRegistry.NO_NUMBER);
        assertThat(questions()).as("silent after a failure").isEqualTo(1);
    }

    @Test
    void writersAskADriverThatHasFailedAgainLater() throws Exception {
        AtomicBoolean reachable = new AtomicBoolean();
        ClusterTypes types = new ClusterTypes(
                driver.id(),
                question -> {
                    if (!reachable.get()) {
                        throw new IOException("connection refused");
                    }
                    return answer(question);
                },
                Eventually.MOST_MILLIS,
                100);
        assertThat(types.numbersOf(List.of(RED, BLUE))).containsOnly(TypeRegistry.NO_NUMBER);
        reachable.set(true);
        Eventually.holds("it asks again", () -> Arrays.equals(types.numbersOf(List.of(RED, BLUE)), new int[] {0, 1}));
    }

    @Test
    void writersDoNotWaitForADriverThatHangs() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        ClusterTypes types = new ClusterTypes(
                driver.id(),
                question -> {
                    answers.await();
                    return answer(question);
                },
                100,
                Eventually.MOST_MILLIS);
        assertThat(types.numbersOf(List.of(RED))).containsExactly(TypeRegistry.NO_NUMBER);
        assertThat(types.numbersOf(List.of(RED))).containsExactly(TypeRegistry.NO_NUMBER);
        // Only now does the driver answer.
        answers.countDown();
        // The late answer is as good as any.
        Eventually.holds("the answer is there", () -> types.size() > 0);
        assertThat(types.numbersOf(List.of(RED))).containsExactly(0);
    }

    @Test
    void anInterruptedTaskStaysInterruptedAndWritesDescriptions() {
        ClusterTypes types = executor();
        Thread.currentThread().interrupt();
        assertThat(types.numbersOf(List.of(RED))).hasSize(1);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(types.numbersOf(List.of(BLUE))).as("for another task").doesNotContain(TypeRegistry.NO_NUMBER);
    }

    @Test
    void readersSayWhichNumberCannotBeAskedFor() {
        ClusterTypes types = new ClusterTypes(driver.id(), question -> {
            throw new IOException("connection refused");
        });
        assertThatThrownBy(() -> types.typeOf(3))
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.IO))
                .hasMessageContaining("type 3 of registry " + driver.id())
                .hasMessageContaining("connection refused");
    }

    /** A driver of another version answers null to what it does not know. */
    @Test
    void aDriverThatKnowsNothingOfTypesIsAskedOnce() {
        ClusterTypes types = new ClusterTypes(
                driver.id(),
                question -> {
                    asked.add((TypesQuestion) question);
                    return null;
                },
                Eventually.MOST_MILLIS,
                0);
        assertThat(types.numbersOf(List.of(RED))).containsExactly(TypeRegistry.NO_NUMBER);
        assertThat(types.numbersOf(List.of(RED))).containsExactly(TypeRegistry.NO_NUMBER);
        assertThat(questions()).isEqualTo(1);
    }

    @Test
    void messagesMayLackComponents() throws Exception {
        assertThat(driver.answer(new TypesQuestion(driver.id(), 0, null)).types())
                .isEmpty();
        assertThat(driver.answer(new TypesQuestion(UUID.randomUUID(), 0, null)).full())
                .isTrue();
        ClusterTypes types = new ClusterTypes(driver.id(), question -> new TypesAnswer(0, null, false));
        assertThat(types.numbersOf(List.of(RED))).containsExactly(TypeRegistry.NO_NUMBER);
    }

    @Test
    void aFullRegistryLeavesFurtherTypesWithoutNumbers() {
        DriverTypes small = new DriverTypes(1);
        ClusterTypes types = new ClusterTypes(
                small.id(),
                question -> {
                    asked.add((TypesQuestion) question);
                    return small.answer((TypesQuestion) question);
                },
                Eventually.MOST_MILLIS,
                Eventually.MOST_MILLIS);
        assertThat(types.numbersOf(List.of(RED, BLUE))).containsExactly(0, TypeRegistry.NO_NUMBER);
        assertThat(types.numbersOf(List.of(GREEN, RED))).containsExactly(TypeRegistry.NO_NUMBER, 0);
        assertThat(questions()).isEqualTo(1);
        assertThat(small.numberOf("", GREEN.description())).isEqualTo(TypeRegistry.NO_NUMBER);
    }
}
