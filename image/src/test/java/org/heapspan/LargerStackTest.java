package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.heapspan.testing.NestedKind.onStack;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.heapspan.HeapspanException.Category;
import org.heapspan.testing.NestedKind;
import org.junit.jupiter.api.Test;

/** What methods of classes see, and what can go wrong, where a graph goes on on the stack of another thread. */
final class LargerStackTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final int STACK_BYTES = 512 << 10;

    /** Too many for four times the stack, compiled or not: the C library may hand a thread the stack of an ended one, up to four times as large. */
    private static final int LEVELS = 20_000;

    /** Calls what a test asks for while it is written and read, many levels below the root. */
    private static final class Inner implements Serializable {
        private static final long serialVersionUID = 1L;

        /** Calls of the threads that run a test. */
        private static final ThreadLocal<Runnable> CALL = new InheritableThreadLocal<>();

        private void writeObject(ObjectOutputStream stream) throws IOException {
            stream.defaultWriteObject();
            CALL.get().run();
            stream.writeObject("written");
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            CALL.get().run();
            assertThat(stream.readObject()).isEqualTo("written");
        }
    }

    private static Object deep() {
        Object nested = new Inner();
        for (int i = 0; i < LEVELS; i++) {
            nested = List.of(nested);
        }
        return nested;
    }

    private static byte[] encoded(Object graph) throws Exception {
        return onStack(1 << 30, () -> {
            Inner.CALL.set(() -> {});
            return HEAPSPAN.encode(graph);
        });
    }

    /** Calls from a thread with a small stack, on which inner objects make another call. */
    private static <T> T calling(Runnable inner, Callable<T> call) throws Exception {
        return onStack(STACK_BYTES, () -> {
            Inner.CALL.set(inner);
            return call.call();
        });
    }

    /** What waits for a lock. */
    private static Runnable waitingFor(Object lock) {
        return () -> {
            synchronized (lock) {
                assertThat(Thread.holdsLock(lock)).isTrue();
            }
        };
    }

    private static void assertDeadlockNoticed(Callable<?> call) {
        assertThatThrownBy(call::call)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("lock");
    }

    @Test
    void monitorOfTheCallerEndsTheOperation() throws Exception {
        Object graph = deep();
        byte[] image = encoded(graph);
        Object lock = new Object();
        calling(waitingFor(lock), () -> {
            for (int attempt = 0; attempt < 2; attempt++) {
                synchronized (lock) {
                    assertDeadlockNoticed(() -> HEAPSPAN.encode(graph));
                    assertDeadlockNoticed(() -> HEAPSPAN.decode(image, Object.class));
                }
                // Nobody holds it now.
                assertThat(HEAPSPAN.encode(graph)).isEqualTo(image);
                HEAPSPAN.decode(image, Object.class);
            }
            return null;
        });
    }

    @Test
    void lockOfTheCallerEndsTheOperation() throws Exception {
        Object graph = deep();
        byte[] image = encoded(graph);
        ReentrantLock lock = new ReentrantLock();
        Runnable inner = () -> {
            lock.lock();
            try {
                assertThat(lock.isHeldByCurrentThread()).isTrue();
            } finally {
                lock.unlock();
            }
        };
        calling(inner, () -> {
            lock.lock();
            try {
                assertDeadlockNoticed(() -> HEAPSPAN.encode(graph));
                assertDeadlockNoticed(() -> HEAPSPAN.decode(image, Object.class));
            } finally {
                lock.unlock();
            }
            assertThat(HEAPSPAN.encode(graph)).isEqualTo(image);
            return null;
        });
    }

    @Test
    void monitorThatNobodyWaitsForDoesNoHarm() throws Exception {
        Object graph = deep();
        byte[] image = encoded(graph);
        calling(() -> {}, () -> {
            synchronized (graph) {
                assertThat(HEAPSPAN.encode(graph)).isEqualTo(image);
                HEAPSPAN.decode(image, Object.class);
            }
            return null;
        });
    }

    @Test
    void groupThatIsLostSaysSo() throws Exception {
        Object graph = deep();
        Object lock = new Object();
        calling(waitingFor(lock), () -> {
            GroupWriter group = HEAPSPAN.groupWriter();
            group.write("before");
            synchronized (lock) {
                assertDeadlockNoticed(() -> {
                    group.write(graph);
                    return null;
                });
            }
            assertThatThrownBy(group::finish)
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.USAGE));
            group.write("another");
            assertThat(HEAPSPAN.groupReader(group.finish()).next()).isEqualTo("another");
            return null;
        });
    }

    @Test
    void groupWithoutRecordsIsNotLostAndKeepsItsLimit() throws Exception {
        Object graph = deep();
        Object lock = new Object();
        calling(waitingFor(lock), () -> {
            GroupWriter group = HEAPSPAN.groupWriter();
            group.limitTo(4 << 20);
            synchronized (lock) {
                assertDeadlockNoticed(() -> {
                    group.write(graph);
                    return null;
                });
            }
            assertThatThrownBy(() -> group.write(new byte[8 << 20])).hasMessageContaining("longer than " + (4 << 20));
            group.write("behind");
            assertThat(HEAPSPAN.groupReader(group.finish()).readAll()).containsExactly("behind");
            return null;
        });
    }

    @Test
    void interruptsReachMethodsAndStay() throws Exception {
        Object graph = deep();
        Set<Boolean> seen = ConcurrentHashMap.newKeySet();
        calling(() -> seen.add(Thread.currentThread().isInterrupted()), () -> {
            Thread.currentThread().interrupt();
            byte[] image = HEAPSPAN.encode(graph);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            HEAPSPAN.decode(image, Object.class);
            assertThat(Thread.interrupted()).isTrue();
            return null;
        });
        assertThat(seen).containsExactly(true);
    }

    @Test
    void interruptThatAMethodTakesIsGone() throws Exception {
        Object graph = deep();
        calling(Thread::interrupted, () -> {
            Thread.currentThread().interrupt();
            HEAPSPAN.encode(graph);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            return null;
        });
    }

    @Test
    void methodsHaveTheClassLoaderOfTheCaller() throws Exception {
        Object graph = deep();
        ClassLoader loader = new ClassLoader(LargerStackTest.class.getClassLoader()) {};
        Set<ClassLoader> seen = ConcurrentHashMap.newKeySet();
        calling(() -> seen.add(Thread.currentThread().getContextClassLoader()), () -> {
            Thread.currentThread().setContextClassLoader(loader);
            return HEAPSPAN.copy(graph);
        });
        assertThat(seen).containsExactly(loader);
    }

    /** Streams may ask which thread uses them, and what it holds. */
    @Test
    void streamsSeeTheCallersThreadOnly() throws Exception {
        // Much behind the deep object, so that frames leave and come while the larger stack is in use.
        Object graph = new Object[] {deep(), null};
        Object nested = List.of(new byte[1 << 20], new Inner());
        for (int i = 0; i < LEVELS; i++) {
            nested = Optional.of(nested);
        }
        ((Object[]) graph)[1] = nested;
        Set<Thread> methods = ConcurrentHashMap.newKeySet();
        Set<Thread> transfers = new HashSet<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        calling(() -> methods.add(Thread.currentThread()), () -> {
            OutputStream target = new FilterOutputStream(bytes) {
                @Override
                public void write(byte[] source, int offset, int length) throws IOException {
                    transfers.add(Thread.currentThread());
                    super.out.write(source, offset, length);
                }
            };
            HEAPSPAN.encodeTo(graph, target);
            InputStream source = new FilterInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    transfers.add(Thread.currentThread());
                    return super.in.read(into, offset, length);
                }
            };
            HEAPSPAN.decodeFrom(source, Object.class);
            assertThat(transfers).containsExactly(Thread.currentThread());
            assertThat(methods).doesNotContain(Thread.currentThread());
            return null;
        });
    }

    private record Linked(Object target) implements Serializable {}

    /** What knows the objects behind links may know them for a thread only. */
    @Test
    void linksAreAskedForOnTheCallersThread() throws Exception {
        Set<Thread> asked = ConcurrentHashMap.newKeySet();
        Object target = new int[] {1};
        Heapspan linking = Heapspan.builder()
                .links(new ObjectLinks() {
                    @Override
                    public boolean isLinked(Field field) {
                        return field.getDeclaringClass() == Linked.class;
                    }

                    @Override
                    public long numberOf(Object object) {
                        asked.add(Thread.currentThread());
                        return 7;
                    }

                    @Override
                    public Object objectOf(long number) {
                        return target;
                    }
                })
                .build();
        Object nested = new Linked(target);
        for (int i = 0; i < LEVELS; i++) {
            nested = Optional.of(nested);
        }
        Object graph = nested;
        onStack(STACK_BYTES, () -> {
            linking.encode(graph);
            assertThat(asked).containsExactly(Thread.currentThread());
            return null;
        });
    }

    /** Others wait for a class that is being initialised, and nobody could tell. */
    @Test
    void initialisersOfClassesStayOnTheirThread() throws Exception {
        byte[] image = encoded(NestedKind.LIST.nested(LEVELS));
        Throwable failure = onStack(STACK_BYTES, () -> {
            Initialised.image = image;
            return Initialised.Holder.FAILURE;
        });
        assertThat(failure)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
    }

    private static final class Initialised {
        static byte[] image = {};

        static final class Holder {
            static final Throwable FAILURE;

            static {
                Throwable failure = new AssertionError("decoded");
                try {
                    HEAPSPAN.decode(image, Object.class);
                } catch (HeapspanException e) {
                    failure = e;
                }
                FAILURE = failure;
            }
        }
    }

    /** One byte for each level: the stacks of an operation have a limit, whatever the bytes say. */
    @Test
    void hostileNestingEndsAtTheLimit() throws Exception {
        byte[] shallow = Heapspan.builder().checksum(false).build().encode(Optional.of(Optional.of("x")));
        byte optional = shallow[20];
        assertThat(shallow[21]).isEqualTo(optional);
        int levels = 5_000_000;
        byte[] hostile = new byte[shallow.length + levels];
        System.arraycopy(shallow, 0, hostile, 0, 20);
        java.util.Arrays.fill(hostile, 20, 20 + levels, optional);
        System.arraycopy(shallow, 20, hostile, 20 + levels, shallow.length - 20);
        int body = hostile.length - 20;
        for (int i = 0; i < 4; i++) {
            hostile[8 + i] = (byte) (body >>> 8 * i);
        }
        onStack(STACK_BYTES, () -> {
            assertThatThrownBy(() -> HEAPSPAN.decode(hostile, Object.class))
                    .isInstanceOfSatisfying(
                            HeapspanException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.LIMIT));
            assertThat(HEAPSPAN.decode(shallow, Object.class)).isEqualTo(Optional.of(Optional.of("x")));
            return null;
        });
    }
}
