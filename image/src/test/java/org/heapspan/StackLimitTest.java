package org.heapspan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.heapspan.HeapspanException.Category;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects that exist only with complete contents, or are written by methods, nest as deeply as the stack lets them. */
final class StackLimitTest {
    private static final Heapspan HEAPSPAN = Heapspan.create();
    private static final int SMALL_STACK_BYTES = 512 << 10;
    private static final int LARGE_STACK_BYTES = 1 << 30;
    private static final int DEEP_LEVELS = 20_000;

    /** Goes into any sorted container. */
    record Key(Object content) implements Comparable<Key>, Serializable {
        @Override
        public int compareTo(Key other) {
            return 0;
        }
    }

    static final class Hooked implements Serializable {
        transient Object content;

        Hooked(Object content) {
            this.content = content;
        }

        private void writeObject(ObjectOutputStream stream) throws IOException {
            stream.defaultWriteObject();
            stream.writeObject(content);
        }

        private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
            stream.defaultReadObject();
            content = stream.readObject();
        }
    }

    static final class Replaced implements Serializable {
        final transient Object content;

        Replaced(Object content) {
            this.content = content;
        }

        record Form(Object content) implements Serializable {
            private Object readResolve() {
                return new Replaced(content);
            }
        }

        private Object writeReplace() {
            return new Form(content);
        }
    }

    /** Reads and writes itself. */
    public static final class External implements Externalizable {
        Object content;

        /** For deserialization. */
        public External() {}

        @Override
        public void writeExternal(ObjectOutput output) throws IOException {
            output.writeObject(content);
        }

        @Override
        public void readExternal(ObjectInput input) throws IOException, ClassNotFoundException {
            content = input.readObject();
        }
    }

    record Handler(Object content) implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return method.getName();
        }
    }

    enum Kind {
        LIST {
            @Override
            Object around(Object content) {
                return List.of(content);
            }
        },
        SET {
            @Override
            Object around(Object content) {
                return Set.of(content);
            }
        },
        MAP {
            @Override
            Object around(Object content) {
                return Map.of("key", content);
            }
        },
        OPTIONAL {
            @Override
            Object around(Object content) {
                return Optional.of(content);
            }
        },
        COMPARED_MAP {
            @Override
            Object around(Object content) {
                TreeMap<String, Object> map = new TreeMap<>(Comparator.<String>naturalOrder());
                map.put("key", content);
                return map;
            }
        },
        COMPARED_SET {
            @Override
            Object around(Object content) {
                TreeSet<Key> set = new TreeSet<>(Comparator.<Key>naturalOrder());
                set.add(new Key(content));
                return set;
            }
        },
        QUEUE {
            @Override
            Object around(Object content) {
                return new PriorityQueue<>(List.of(new Key(content)));
            }
        },
        HOOKED {
            @Override
            Object around(Object content) {
                return new Hooked(content);
            }
        },
        REPLACED {
            @Override
            Object around(Object content) {
                return new Replaced(content);
            }
        },
        EXTERNAL {
            @Override
            Object around(Object content) {
                External external = new External();
                external.content = content;
                return external;
            }
        },
        PROXY {
            @Override
            Object around(Object content) {
                return Proxy.newProxyInstance(
                        StackLimitTest.class.getClassLoader(), new Class<?>[] {Runnable.class}, new Handler(content));
            }
        };

        abstract Object around(Object content);

        final Object nested(int levels) {
            Object nested = "core";
            for (int i = 0; i < levels; i++) {
                nested = around(nested);
            }
            return nested;
        }
    }

    private static <T> T onStack(long sizeBytes, Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(null, task, "stack of " + sizeBytes, sizeBytes);
        thread.start();
        thread.join();
        try {
            return task.get();
        } catch (java.util.concurrent.ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        }
    }

    private static void assertStackTooSmall(Callable<?> call) {
        assertThatThrownBy(call::call)
                .isInstanceOfSatisfying(
                        HeapspanException.class, e -> assertThat(e.category()).isEqualTo(Category.LIMIT))
                .hasMessageContaining("stack")
                .hasMessageContaining("-Xss");
    }

    /** Raw images copy some of these as they lie in the heap, which needs no stack. */
    private static void assertWorksOrStackTooSmall(Callable<?> call) throws Exception {
        try {
            call.call();
        } catch (HeapspanException e) {
            assertStackTooSmall(() -> {
                throw e;
            });
        }
    }

    private static byte[] streamed(Object... objects) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream stream = new HeapspanObjectOutputStream(bytes)) {
            for (Object each : objects) {
                stream.writeObject(each);
            }
        }
        return bytes.toByteArray();
    }

    /** What works before and after: a graph with objects of the kind, in every way. */
    private static void assertWorks(Kind kind) throws Exception {
        Object shallow = new ArrayList<>(List.of(kind.nested(20), kind.nested(1)));
        byte[] image = HEAPSPAN.encode(shallow);
        assertThat(HEAPSPAN.encode(HEAPSPAN.decode(image, Object.class))).isEqualTo(image);
        assertThat(HEAPSPAN.encode(HEAPSPAN.copy(shallow))).isEqualTo(image);
        byte[] raw = HEAPSPAN.encode(shallow, Encoding.RAW);
        assertThat(HEAPSPAN.encode(HEAPSPAN.decodeTrusted(raw, Object.class))).isEqualTo(image);
    }

    @ParameterizedTest
    @EnumSource
    void saysWhatToDoWhereTheStackEnds(Kind kind) throws Exception {
        Object deep = onStack(LARGE_STACK_BYTES, () -> kind.nested(DEEP_LEVELS));
        byte[] image = onStack(LARGE_STACK_BYTES, () -> HEAPSPAN.encode(deep));
        byte[] stream = onStack(LARGE_STACK_BYTES, () -> streamed("first", deep, "last"));
        onStack(SMALL_STACK_BYTES, () -> {
            assertWorks(kind);
            for (int attempt = 0; attempt < 2; attempt++) {
                assertStackTooSmall(() -> HEAPSPAN.encode(deep));
                assertWorksOrStackTooSmall(() -> HEAPSPAN.encode(deep, Encoding.RAW));
                assertStackTooSmall(() -> HEAPSPAN.copy(deep));
                assertStackTooSmall(() -> HEAPSPAN.decode(image, Object.class));
                assertStackTooSmall(() -> streamed("first", deep));
                for (IdentityScope scope : IdentityScope.values()) {
                    GroupWriter group = HEAPSPAN.groupWriter(scope);
                    group.write("before");
                    assertStackTooSmall(() -> {
                        group.write(deep);
                        return null;
                    });
                    group.write("after");
                    GroupReader records = HEAPSPAN.groupReader(group.finish());
                    assertThat(List.of(records.next(), records.next())).containsExactly("before", "after");
                    assertThat(records.hasNext()).isFalse();
                }
                try (ObjectInputStream input = new HeapspanObjectInputStream(new ByteArrayInputStream(stream))) {
                    assertThat(input.readObject()).isEqualTo("first");
                    assertStackTooSmall(input::readObject);
                    // Somewhere in the middle of it: nothing that follows can be found.
                    assertThatThrownBy(input::readObject).isInstanceOf(IOException.class);
                }
                assertWorks(kind);
            }
            return null;
        });
        byte[] again = onStack(LARGE_STACK_BYTES, () -> HEAPSPAN.encode(HEAPSPAN.decode(image, Object.class)));
        assertThat(again).isEqualTo(image);
    }
}
