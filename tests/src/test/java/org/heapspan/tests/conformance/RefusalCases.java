package org.heapspan.tests.conformance;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.Serializable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** What cannot be copied is refused, and the message names the path from the root. */
@SuppressWarnings({"serial", "UnusedVariable"})
final class RefusalCases {

    private RefusalCases() {}

    static final class Order implements Serializable {
        String id = "o";
        Object held;
        Thread thread;
    }

    static final class Root implements Serializable {
        String name = "root";
        final Order[] orders = {new Order(), new Order(), new Order(), new Order()};
    }

    static final class ListRoot implements Serializable {
        final List<Object> orders = new ArrayList<>();
        final Map<String, Object> byName = new LinkedHashMap<>();
    }

    static final class Counting {
        volatile int count;
    }

    private static int field;

    static void addTo(CaseList cases) {
        cases.row("refuse with a message naming the path from the root");
        cases.refusedBySender(
                "refuse-thread-in-typed-field",
                () -> {
                    Root root = new Root();
                    root.orders[3].thread = new Thread(() -> {});
                    return root;
                },
                "CLASS_REFUSED",
                "root.orders[3].thread: java.lang.Thread cannot be copied");
        cases.refusedBySender(
                "refuse-thread-as-root",
                () -> new Thread(() -> {}),
                "CLASS_REFUSED",
                "root: java.lang.Thread cannot be copied");
        cases.refusedBySender(
                "refuse-thread-in-list",
                () -> {
                    ListRoot root = new ListRoot();
                    Order order = new Order();
                    order.thread = new Thread(() -> {});
                    root.orders.addAll(List.of("a", new Order(), 3, order));
                    return root;
                },
                "CLASS_REFUSED",
                "root.orders",
                "[3].thread: java.lang.Thread cannot be copied");
        cases.refusedBySender(
                "refuse-thread-in-map-value",
                () -> {
                    ListRoot root = new ListRoot();
                    Order order = new Order();
                    order.thread = new Thread(() -> {});
                    root.byName.put("first", order);
                    return root;
                },
                "CLASS_REFUSED",
                "root.byName",
                ".thread: java.lang.Thread cannot be copied");
        cases.refusedBySender(
                "refuse-in-two-dimensional-array",
                () -> new Object[][] {{1}, {2, 3, new Object[] {ThreadLocal.withInitial(() -> 1)}}},
                "CLASS_REFUSED",
                "root[1][2][0]: java.lang.ThreadLocal");
        cases.refusedBySender(
                "refuse-behind-100000-nodes",
                () -> {
                    LargeCases.Node last = new LargeCases.Node(0);
                    last.payload = new Thread(() -> {});
                    LargeCases.Node first = last;
                    for (int i = 1; i < 100_000; i++) {
                        LargeCases.Node node = new LargeCases.Node(i);
                        node.next = first;
                        first = node;
                    }
                    return first;
                },
                "CLASS_REFUSED",
                ".payload",
                "java.lang.Thread cannot be copied");
        each(cases);
    }

    private static void refused(CaseList cases, String name, String className, ConformanceCase.Build<?> held) {
        ConformanceCase.Build<?> build = () -> {
            Root root = new Root();
            root.orders[3].held = held.build();
            return root;
        };
        if (className.isEmpty()) {
            cases.refusedBySender("refuse-" + name, build, "CLASS_REFUSED", "root.orders[3].held", "cannot be copied");
        } else {
            cases.refusedBySender(
                    "refuse-" + name, build, "CLASS_REFUSED", "root.orders[3].held: " + className, " cannot be copied");
        }
    }

    private static void each(CaseList cases) {
        refused(cases, "thread", "java.lang.Thread", () -> new Thread(() -> {}));
        refused(cases, "current-thread", "java.lang.Thread", Thread::currentThread);
        refused(
                cases,
                "thread-group",
                "java.lang.ThreadGroup",
                () -> Thread.currentThread().getThreadGroup());
        refused(cases, "thread-local", "java.lang.ThreadLocal", ThreadLocal::new);
        refused(cases, "inheritable-thread-local", "java.lang.InheritableThreadLocal", InheritableThreadLocal::new);
        refused(cases, "class-loader-application", "", ClassLoader::getSystemClassLoader);
        refused(cases, "class-loader-url", "java.net.URLClassLoader", () -> new URLClassLoader(new URL[0]));
        refused(cases, "module", "java.lang.Module", Object.class::getModule);
        refused(cases, "module-layer", "java.lang.ModuleLayer", ModuleLayer::boot);
        refused(cases, "protection-domain", "", RefusalCases.class::getProtectionDomain);
        refused(
                cases,
                "method-handle",
                "",
                () -> MethodHandles.lookup().findVirtual(String.class, "length", MethodType.methodType(int.class)));
        refused(cases, "lookup", "java.lang.invoke.MethodHandles$Lookup", MethodHandles::lookup);
        refused(
                cases,
                "var-handle",
                "",
                () -> MethodHandles.lookup().findStaticVarHandle(RefusalCases.class, "field", int.class));
        refused(cases, "method", "java.lang.reflect.Method", () -> String.class.getMethod("length"));
        refused(cases, "field", "java.lang.reflect.Field", () -> Order.class.getDeclaredField("id"));
        refused(cases, "constructor", "java.lang.reflect.Constructor", () -> Object.class.getConstructor());
        refused(
                cases,
                "parameter",
                "java.lang.reflect.Parameter",
                () -> String.class.getMethod("charAt", int.class).getParameters()[0]);
        refused(cases, "weak-reference", "java.lang.ref.WeakReference", () -> new WeakReference<>("referent"));
        refused(cases, "soft-reference", "java.lang.ref.SoftReference", () -> new SoftReference<>("referent"));
        refused(
                cases,
                "phantom-reference",
                "java.lang.ref.PhantomReference",
                () -> new PhantomReference<>("referent", new ReferenceQueue<>()));
        refused(cases, "reference-queue", "java.lang.ref.ReferenceQueue", ReferenceQueue::new);
        refused(cases, "cleaner", "java.lang.ref.Cleaner", Cleaner::create);
        refused(cases, "cleanable", "", () -> Cleaner.create().register(new Object(), () -> {}));
        refused(cases, "file-descriptor", "java.io.FileDescriptor", () -> FileDescriptor.out);
        refused(cases, "socket", "java.net.Socket", Socket::new);
        refused(cases, "server-socket", "java.net.ServerSocket", ServerSocket::new);
        refused(cases, "file-input-stream", "java.io.FileInputStream", () -> new FileInputStream("/dev/null"));
        refused(cases, "file-output-stream", "java.io.FileOutputStream", () -> new FileOutputStream("/dev/null"));
        refused(cases, "random-access-file", "java.io.RandomAccessFile", () -> new RandomAccessFile("/dev/null", "r"));
        refused(
                cases,
                "buffered-input-stream",
                "",
                () -> new BufferedInputStream(new FileInputStream(new File("/dev/null"))));
        refused(cases, "print-stream", "", () -> System.err);
        refused(cases, "file-channel", "", () -> FileChannel.open(java.nio.file.Path.of("/dev/null")));
        refused(cases, "executor-service", "", () -> {
            ExecutorService executor = Executors.newFixedThreadPool(1, task -> {
                Thread thread = new Thread(task);
                thread.setDaemon(true);
                return thread;
            });
            executor.submit(() -> {}).get();
            return executor;
        });
        refused(cases, "fork-join-pool", "java.util.concurrent.ForkJoinPool", ForkJoinPool::commonPool);
        refused(cases, "timer", "", () -> new Timer(true));
        refused(cases, "process-handle", "", ProcessHandle::current);
        refused(cases, "field-updater", "", () -> AtomicIntegerFieldUpdater.newUpdater(Counting.class, "count"));
        refused(cases, "stream-pipeline", "", () -> List.of(1).stream().map(x -> x + 1));
        refused(cases, "lambda-not-serializable", "", () -> (Runnable) () -> {});
        refused(cases, "hidden-class", "", RefusalCases::hiddenObject);
        cases.row("refuse: classes that hold native addresses are never raw");
        refused(cases, "inflater", "java.util.zip.Inflater", java.util.zip.Inflater::new);
        refused(cases, "crypto-handle", "", () -> java.nio.channels.Selector.open());
        cases.refusedBySender(
                        "refuse-memory-segment",
                        () -> {
                            Root root = new Root();
                            Class<?> arena = Class.forName("java.lang.foreign.Arena");
                            Object global = arena.getMethod("global").invoke(null);
                            root.orders[3].held =
                                    arena.getMethod("allocate", long.class).invoke(global, 16L);
                            return root;
                        },
                        "CLASS_REFUSED",
                        "root.orders[3].held",
                        "cannot be copied")
                .sinceJava(22);
        cases.refusedBySender(
                        "refuse-virtual-thread",
                        () -> {
                            Root root = new Root();
                            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
                            root.orders[3].thread = (Thread) Class.forName("java.lang.Thread$Builder")
                                    .getMethod("unstarted", Runnable.class)
                                    .invoke(builder, (Runnable) () -> {});
                            return root;
                        },
                        "CLASS_REFUSED",
                        "root.orders[3].thread: java.lang.VirtualThread cannot be copied")
                .sinceJava(21);
    }

    /** Only its bytes are used: it is defined once more as a hidden class. */
    static final class Template implements Serializable {
        int number = 1;
    }

    private static Object hiddenObject() throws Exception {
        try (InputStream in = RefusalCases.class.getResourceAsStream("RefusalCases$Template.class")) {
            Class<?> hidden = MethodHandles.lookup()
                    .defineHiddenClass(in.readAllBytes(), true)
                    .lookupClass();
            var constructor = hidden.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        }
    }
}
