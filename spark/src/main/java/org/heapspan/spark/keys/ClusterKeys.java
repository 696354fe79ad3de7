package org.heapspan.spark.keys;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.ObjectLinks;
import org.heapspan.spark.settings.HeapspanLog;
import org.heapspan.spark.statistics.NumberedKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * An executor's view of {@link DriverKeys}: the numbers from 0 on without a gap. A daemon thread asks the driver, so who writes does not wait. Who
 * reads a number that is not known here has to wait. Thread-safe.
 */
public final class ClusterKeys implements ObjectLinks, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeapspanLog.NAME);

    /** A shorter string has about as many bytes as a number. */
    static final int LEAST_CHARACTERS = 8;

    /** A longer one would take the room of many others. */
    static final int MOST_CHARACTERS = 1 << 10;

    private static final String KEY_FIELD = "_1";

    /** Keys that wait for a question; further ones are met again. */
    private static final int MOST_WAITING = 1 << 16;

    /** Of a question. */
    private static final int MOST_ASKED = 1 << 13;

    /** As long as Spark itself waits for an answer ({@code spark.rpc.askTimeout}), and a little more. */
    private static final long READER_PATIENCE_MILLIS = 130_000;

    private static final long PAUSE_AFTER_FAILURE_MILLIS = 10_000;

    /** The way to the driver: {@code PluginContext.ask}. */
    @FunctionalInterface
    public interface Driver {
        @Nullable
        Object ask(Object question) throws Exception;
    }

    private final UUID id;
    private final Driver driver;
    private final long readerPatienceMillis;
    private final long pauseAfterFailureMillis;
    private final KeySightings sightings = new KeySightings();
    private final ConcurrentHashMap<String, Integer> numbers = new ConcurrentHashMap<>();

    /** By number; replaced when it grows. Those below {@link #count} are set. */
    private volatile String[] keys = new String[0];

    private volatile int count;
    private volatile boolean full;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition news = lock.newCondition();

    // With the lock held.
    private List<String> waiting = new ArrayList<>();
    private int wanted;
    private boolean closed;
    private boolean started;

    /** Why the last question had no answer. */
    private @Nullable String failure;

    public ClusterKeys(UUID id, Driver driver) {
        this(id, driver, READER_PATIENCE_MILLIS, PAUSE_AFTER_FAILURE_MILLIS);
    }

    /** For tests. */
    ClusterKeys(UUID id, Driver driver, long readerPatienceMillis, long pauseAfterFailureMillis) {
        this.id = id;
        this.driver = driver;
        this.readerPatienceMillis = readerPatienceMillis;
        this.pauseAfterFailureMillis = pauseAfterFailureMillis;
    }

    /** How many keys have a number here. */
    public int size() {
        return count;
    }

    /** Keys of pairs, as all shuffles by key have them. */
    @Override
    public boolean isLinked(Field field) {
        return field.getDeclaringClass() == Tuple2.class && field.getName().equals(KEY_FIELD);
    }

    @Override
    public long numberOf(Object object) {
        if (!(object instanceof String key) || key.length() < LEAST_CHARACTERS || key.length() > MOST_CHARACTERS) {
            return NONE;
        }
        Integer number = numbers.get(key);
        if (number != null) {
            NumberedKeys.OF_THIS_JVM.written(key.length());
            return number;
        }
        if (!full && sightings.isEnough(key)) {
            note(key);
        }
        return NONE;
    }

    @Override
    public Object objectOf(long number) {
        if (number >= count) {
            await(number);
        }
        return keys[(int) number];
    }

    private void note(String key) {
        lock.lock();
        try {
            if (waiting.size() < MOST_WAITING) {
                waiting.add(key);
                wake();
            }
        } finally {
            lock.unlock();
        }
    }

    /** With the lock held. */
    private void wake() {
        if (!started) {
            started = true;
            Thread thread = new Thread(this::askUntilClosed, "heapspan-keys");
            thread.setDaemon(true);
            thread.start();
        }
        work.signal();
    }

    /** Waits until a number that another executor has written is known here. */
    private void await(long number) {
        lock.lock();
        try {
            failure = null;
            if (number < Integer.MAX_VALUE) {
                wanted = Math.max(wanted, (int) number + 1);
                wake();
            }
            long left = TimeUnit.MILLISECONDS.toNanos(readerPatienceMillis);
            while (number >= count) {
                String why = closed ? "this executor ends" : failure;
                if (number >= Integer.MAX_VALUE) {
                    why = "there is no such number";
                } else if (left <= 0) {
                    why = "no answer within " + readerPatienceMillis + " ms";
                }
                if (why != null) {
                    throw new HeapspanException(
                            Category.IO,
                            "key " + number + " of " + id + " is not known here, and the driver did not tell it: " + why
                                    + "; Spark tries the task again; without spark.heapspan.repeatedKeys blocks have no"
                                    + " such numbers");
                }
                left = news.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            // The task is being killed, which is for Spark to see.
            Thread.currentThread().interrupt();
            throw new HeapspanException(Category.IO, "interrupted while the driver was asked for key " + number, e);
        } finally {
            lock.unlock();
        }
    }

    private void askUntilClosed() {
        try {
            while (true) {
                List<String> asked;
                int wantedThen;
                lock.lock();
                try {
                    while (!closed && waiting.isEmpty() && wanted <= count) {
                        work.await();
                    }
                    if (closed) {
                        return;
                    }
                    asked = waiting.size() <= MOST_ASKED
                            ? List.copyOf(waiting)
                            : List.copyOf(waiting.subList(0, MOST_ASKED));
                    waiting = new ArrayList<>(waiting.subList(asked.size(), waiting.size()));
                    wantedThen = wanted;
                } finally {
                    lock.unlock();
                }
                if (!exchange(asked, wantedThen)) {
                    TimeUnit.MILLISECONDS.sleep(pauseAfterFailureMillis);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * One round trip; returns false if there is no answer.
     *
     * @param wantedThen what readers want that the question is for; of numbers that others want since, the answer may know nothing
     */
    private boolean exchange(List<String> asked, int wantedThen) {
        try {
            Object answer = driver.ask(new KeysQuestion(id, count, asked));
            if (!(answer instanceof KeysAnswer told) || told.keys() == null) {
                throw new IllegalStateException(
                        "its version of Heapspan numbers no keys; give all JVMs the same heapspan-spark.jar");
            }
            lock.lock();
            try {
                learn(told);
                // The rest of what did not fit into the message.
                wanted = Math.max(wanted, told.count());
                if (told.keys().isEmpty() && wantedThen > told.count()) {
                    failure = "it has " + told.count() + " keys";
                    wanted = told.count();
                }
                news.signalAll();
            } finally {
                lock.unlock();
            }
            return true;
        } catch (Exception | Error e) {
            // Also an answer that the heap has no room for: without this thread, readers would wait in vain from then
            // on.
            lock.lock();
            try {
                failure = e.toString();
                wanted = count;
                news.signalAll();
            } finally {
                lock.unlock();
            }
            LOG.debug("Heapspan: the driver could not be asked for keys", e);
            return false;
        }
    }

    /** With the lock held, which only the one thread that asks needs. */
    private void learn(KeysAnswer told) {
        List<String> more = told.keys();
        full = told.full();
        if (more == null || more.isEmpty() || told.firstNumber() != count) {
            return;
        }
        int known = count;
        String[] grown = keys;
        if (known + more.size() > grown.length) {
            grown = Arrays.copyOf(grown, Math.max(known + more.size(), 2 * grown.length));
        }
        for (String key : more) {
            grown[known++] = key;
        }
        keys = grown;
        count = known;
        // Not before readers find them.
        for (int number = known - more.size(); number < known; number++) {
            numbers.put(grown[number], number);
        }
        NumberedKeys.OF_THIS_JVM.known(more.size());
    }

    /** Asks no more. What is known stays. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            work.signal();
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
