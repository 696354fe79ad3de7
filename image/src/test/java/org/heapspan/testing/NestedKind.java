package org.heapspan.testing;

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
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;

/** Objects that must be complete at once, or are written by methods: each takes stack where they lie one within another. */
public enum NestedKind {
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
                    NestedKind.class.getClassLoader(), new Class<?>[] {Runnable.class}, new Handler(content));
        }
    },
    LAMBDA {
        @Override
        Object around(Object content) {
            return step(content);
        }
    },
    EXCEPTION {
        @Override
        Object around(Object content) {
            return new Failure(content);
        }
    },
    SYNCHRONIZED_LIST {
        @Override
        Object around(Object content) {
            return Collections.synchronizedList(new ArrayList<>(List.of(content)));
        }
    };

    abstract Object around(Object content);

    /** So many of them, one within another. */
    public final Object nested(int levels) {
        Object nested = "core";
        for (int i = 0; i < levels; i++) {
            nested = around(nested);
        }
        return nested;
    }

    /** So many of all kinds, one within another. */
    public static Object mixed(int levels) {
        Object nested = "core";
        for (int i = 0; i < levels; i++) {
            nested = values()[i % values().length].around(nested);
        }
        return nested;
    }

    /** A function of a class that is Serializable. */
    interface Step extends UnaryOperator<Object>, Serializable {}

    private static Step step(Object content) {
        return content instanceof Step inner ? x -> inner.apply(x) : x -> content;
    }

    /** Calls from a thread that has a stack of the given size. */
    public static <T> T onStack(long sizeBytes, Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(null, task, "stack of " + sizeBytes, sizeBytes);
        thread.start();
        thread.join();
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        }
    }

    /** Has the hooks of Throwable. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final Object content;

        Failure(Object content) {
            super("level");
            this.content = content;
        }
    }

    /** Goes into any sorted container. */
    public record Key(Object content) implements Comparable<Key>, Serializable {
        @Override
        public int compareTo(Key other) {
            return 0;
        }
    }

    private static final class Hooked implements Serializable {
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

    private static final class Replaced implements Serializable {
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

    private record Handler(Object content) implements InvocationHandler, Serializable {
        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            return method.getName();
        }
    }
}
