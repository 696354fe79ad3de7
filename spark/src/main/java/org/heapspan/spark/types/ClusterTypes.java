package org.heapspan.spark.types;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.LocalTypeRegistry;
import org.heapspan.TypeRegistry;
import org.heapspan.spark.settings.HeapspanLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's view of the types that its driver has numbered: the numbers from 0 on without a gap, fetched when the executor
 * starts and again when an unknown type or number turns up. A class is described to the driver, and by the driver, once for each JVM.
 *
 * <p>Who writes does not depend on the driver: if it does not answer at once, types have no number, and images describe them. Who
 * reads a number that others have written has to wait. Thread-safe.
 */
public final class ClusterTypes implements TypeRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** A task loses no more than this by a driver that hangs, and no more often than every {@link #SILENCE_MILLIS}. */
    private static final long WRITER_PATIENCE_MILLIS = 2_000;

    private static final long SILENCE_MILLIS = 10_000;

    /** As long as Spark itself waits for an answer ({@code spark.rpc.askTimeout}), and a little more. */
    private static final long READER_PATIENCE_MILLIS = 130_000;

    private static final long IDLE_SECONDS = 10;

    /** The way to the driver: {@code PluginContext.ask}. */
    public interface Driver {
        @Nullable
        Object ask(Object question) throws Exception;
    }

    private final LocalTypeRegistry view;
    private final Driver driver;
    private final Executor line;
    private final long writerPatienceMillis;
    private final long silenceMillis;

    /** Set once the driver numbers no further types. */
    private volatile boolean full;

    /** Until then writers do not ask, after an answer that did not come. */
    private final AtomicLong silentUntilNanos = new AtomicLong(System.nanoTime());

    private volatile boolean silenceTold;

    public ClusterTypes(UUID id, Driver driver) {
        this(id, driver, WRITER_PATIENCE_MILLIS, SILENCE_MILLIS);
    }

    /** For tests. */
    ClusterTypes(UUID id, Driver driver, long writerPatienceMillis, long silenceMillis) {
        this.view = new LocalTypeRegistry(id);
        this.driver = driver;
        this.writerPatienceMillis = writerPatienceMillis;
        this.silenceMillis = silenceMillis;
        this.line = line();
    }

    /** One thread, so that questions that wait for the driver find what an earlier answer has told. */
    private static Executor line() {
        ThreadPoolExecutor line =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "heapspan-types");
                    thread.setDaemon(true);
                    return thread;
                });
        line.allowCoreThreadTimeOut(true);
        return line;
    }

    @Override
    public UUID id() {
        return view.id();
    }

    /** How many types this JVM knows. */
    int size() {
        return view.size();
    }

    /** Fetches all there are; does not wait, and nothing depends on it. */
    public void fetch() {
        line.execute(() -> {
            try {
                exchange(List.of(), MOST_TYPES);
            } catch (Exception e) {
                LOG.debug("Heapspan: the types of the application could not be fetched yet from the driver", e);
            }
        });
    }

    @Override
    public int numberOf(String loaderScope, byte[] description) {
        return numbersOf(List.of(new Type(loaderScope, description)))[0];
    }

    @Override
    public int[] numbersOf(List<Type> types) {
        int[] numbers = knownNumbersOf(types);
        boolean complete = true;
        for (int number : numbers) {
            complete &= number != NO_NUMBER;
        }
        if (complete || full || System.nanoTime() - silentUntilNanos.get() < 0) {
            return numbers;
        }
        String failure = ask(types, 0, writerPatienceMillis);
        // A task that is killed says nothing about the driver, which other tasks go on to ask.
        if (failure != null && !Thread.currentThread().isInterrupted()) {
            silentUntilNanos.set(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(silenceMillis));
            if (!silenceTold) {
                silenceTold = true;
                LOG.warn(
                        "Heapspan: the driver does not assign numbers to classes ({}); shuffle blocks describe their"
                                + " classes instead, and the driver is asked again every {} s",
                        failure,
                        silenceMillis / 1000);
            }
        }
        return knownNumbersOf(types);
    }

    private int[] knownNumbersOf(List<Type> types) {
        return types.stream().mapToInt(view::knownNumberOf).toArray();
    }

    @Override
    public @Nullable Type typeOf(int number) {
        return typesOf(new int[] {number})[0];
    }

    @Override
    public @Nullable Type[] typesOf(int[] numbers) {
        int greatest = -1;
        for (int number : numbers) {
            greatest = Math.max(greatest, number);
        }
        // The driver's registry is full before; such a number is none of it.
        if (greatest >= view.size() && greatest < DriverTypes.MOST_NUMBERED) {
            String failure = ask(List.of(), greatest, READER_PATIENCE_MILLIS);
            if (failure != null) {
                throw new HeapspanException(
                        Category.IO,
                        "type " + greatest + " of registry " + id()
                                + " is not known here yet, and the driver did not answer: " + failure
                                + "; Spark tries the task again; with spark.heapspan.registry=false blocks have no such numbers");
            }
        }
        @Nullable Type[] types = new Type[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            types[i] = view.typeOf(numbers[i]);
        }
        return types;
    }

    /**
     * Asks the driver for what is not known here.
     *
     * @return null, or why there is no answer
     */
    private @Nullable String ask(List<Type> unknown, int number, long patienceMillis) {
        CompletableFuture<@Nullable Void> answered = CompletableFuture.runAsync(
                () -> {
                    try {
                        exchange(unknown, number);
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                line);
        try {
            answered.get(patienceMillis, TimeUnit.MILLISECONDS);
            return null;
        } catch (TimeoutException e) {
            answered.cancel(false);
            return "no answer within " + patienceMillis + " ms";
        } catch (ExecutionException e) {
            LOG.debug("Heapspan: the driver could not be asked for types", e);
            return String.valueOf(e.getCause());
        } catch (InterruptedException e) {
            // The task is being killed, which is for Spark to see.
            answered.cancel(false);
            Thread.currentThread().interrupt();
            return "the thread was interrupted";
        }
    }

    /** One round trip, if an earlier one has not told it. Only on the {@link #line}. */
    private void exchange(List<Type> unknown, int number) throws Exception {
        List<TypeText> asked = new ArrayList<>();
        for (Type type : unknown) {
            if (view.knownNumberOf(type) == NO_NUMBER) {
                asked.add(TypeText.of(type));
            }
        }
        int knownCount = view.size();
        if (asked.isEmpty() && number < knownCount) {
            return;
        }
        Object answer = driver.ask(new TypesQuestion(id(), knownCount, asked));
        if (!(answer instanceof TypesAnswer told) || told.types() == null) {
            full = true;
            throw new IllegalStateException(
                    "its version of Heapspan has no registry of types; give all JVMs the same heapspan-spark.jar");
        }
        full = told.full();
        if (told.firstNumber() > view.size()) {
            return;
        }
        int next = told.firstNumber();
        for (TypeText text : told.types()) {
            if (next++ == view.size()) {
                Type type = text.type();
                view.numberOf(type.loaderScope(), type.description());
            }
        }
    }
}
