package org.heapspan.tests.conformance;

import java.io.File;
import java.io.Serializable;
import java.lang.annotation.ElementType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Currency;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is carried by a stable name instead of by its fields. */
@SuppressWarnings({"unchecked", "serial", "BooleanLiteral", "GetClassOnEnum", "ImmutableEnumChecker"})
final class SubstituteCases {

    private SubstituteCases() {}

    static void addTo(CaseList cases) {
        singletons(cases);
        names(cases);
        lambdas(cases);
        files(cases);
        buffers(cases);
        throwables(cases);
    }

    private static void singletons(CaseList cases) {
        cases.row("substitute: Class, enum constants (bodies too)");
        cases.arrives("class-objects", SubstituteCases::classObjects, (Object[] received) -> {
            Object[] fresh = classObjects();
            for (int i = 0; i < fresh.length; i++) {
                Check.same(fresh[i], received[i], "class " + i);
            }
        });
        cases.arrives(
                "enum-constants",
                () -> new Object[] {
                    HashContainerCases.Color.PINK,
                    HashContainerCases.Operation.PLUS,
                    Thread.State.BLOCKED,
                    ElementType.FIELD,
                    HashContainerCases.Operation.TIMES
                },
                (Object[] received) -> {
                    Check.same(HashContainerCases.Color.PINK, received[0], "plain");
                    Check.same(HashContainerCases.Operation.PLUS, received[1], "with body");
                    Check.same(Thread.State.BLOCKED, received[2], "nested JDK");
                    Check.same(ElementType.FIELD, received[3], "JDK");
                    Check.equal(42, ((HashContainerCases.Operation) received[4]).apply(6, 7), "method of the body");
                });
        cases.arrives(
                "enum-as-root",
                () -> HashContainerCases.Operation.TIMES,
                received -> Check.same(HashContainerCases.Operation.TIMES, received, "root"));
        cases.arrives(
                "enum-with-state",
                () -> {
                    Counter.FIRST.hits = 7;
                    return new Object[] {Counter.FIRST};
                },
                (Object[] received) -> {
                    Check.same(Counter.FIRST, received[0], "constant");
                    Check.equal(0, Counter.FIRST.hits, "the receiver's state stays its own");
                });
        cases.row("substitute: Boolean and small-Integer caches");
        cases.arrives(
                        "boxed-caches",
                        () -> new Object[] {
                            true,
                            false,
                            0,
                            -128,
                            127,
                            5L,
                            -1L,
                            (byte) 9,
                            (short) 100,
                            'a',
                            Integer.valueOf(1000),
                            Integer.valueOf(1000)
                        },
                        (Object[] received) -> {
                            Check.same(Boolean.TRUE, received[0], "TRUE");
                            Check.same(Boolean.FALSE, received[1], "FALSE");
                            Check.same(0, received[2], "0");
                            Check.same(Integer.valueOf(-128), received[3], "-128");
                            Check.same(Integer.valueOf(127), received[4], "127");
                            Check.same(Long.valueOf(5), received[5], "5L");
                            Check.same(Long.valueOf(-1), received[6], "-1L");
                            Check.same(Byte.valueOf((byte) 9), received[7], "byte");
                            Check.same(Short.valueOf((short) 100), received[8], "short");
                            Check.same(Character.valueOf('a'), received[9], "char");
                            Check.equal(1000, received[10], "not cached");
                        })
                .note("Java serialization makes new boxes for everything");
        cases.arrives("boxed-boolean-fields", () -> new Flags(Boolean.TRUE, Boolean.FALSE, 12), (Flags received) -> {
            Check.same(Boolean.TRUE, received.yes, "TRUE in a field");
            Check.same(Boolean.FALSE, received.no, "FALSE in a field");
            Check.same(12, received.small, "small Integer in a field");
        });
    }

    static final class Flags implements Serializable {
        final Boolean yes;
        final Boolean no;
        final Integer small;

        Flags(Boolean yes, Boolean no, Integer small) {
            this.yes = yes;
            this.no = no;
            this.small = small;
        }
    }

    enum Counter {
        FIRST;

        int hits;
    }

    private static Object[] classObjects() {
        return new Object[] {
            String.class,
            int.class,
            void.class,
            boolean.class,
            long[].class,
            String[][].class,
            SubstituteCases.class,
            Flags.class,
            Map.Entry.class,
            HashContainerCases.Operation.PLUS.getClass(),
            Override.class
        };
    }

    private static void names(CaseList cases) {
        cases.row("substitute: Locale, Currency, ZoneId, TimeZone, Charset, Pattern");
        cases.arrives(
                        "locales",
                        () -> new Object[] {
                            Locale.GERMANY,
                            Locale.ROOT,
                            Locale.forLanguageTag("zh-Hant-TW"),
                            Locale.forLanguageTag("th-TH-u-ca-buddhist-nu-thai"),
                            Locale.ENGLISH
                        },
                        (Object[] received) -> {
                            Check.equal(Locale.GERMANY, received[0], "GERMANY");
                            Check.equal(Locale.GERMANY.hashCode(), received[0].hashCode(), "hash");
                            Check.equal(Locale.ROOT, received[1], "ROOT");
                            Check.equal("Hant", ((Locale) received[2]).getScript(), "script");
                            Check.equal("buddhist", ((Locale) received[3]).getUnicodeLocaleType("ca"), "extension");
                            Check.same(
                                    Locale.forLanguageTag("en"),
                                    received[4],
                                    "a cached locale is the receiver's cached locale");
                        })
                .note("Locale.readResolve interns");
        cases.arrives(
                "currencies",
                () -> new Object[] {Currency.getInstance("EUR"), Currency.getInstance("JPY")},
                (Object[] received) -> {
                    Check.same(Currency.getInstance("EUR"), received[0], "EUR");
                    Check.equal(0, ((Currency) received[1]).getDefaultFractionDigits(), "digits of JPY");
                });
        cases.arrives(
                        "zones",
                        () -> new Object[] {
                            ZoneId.of("Asia/Tokyo"),
                            ZoneOffset.UTC,
                            ZoneOffset.ofHoursMinutes(5, 30),
                            ZoneId.of("UTC+3"),
                            TimeZone.getTimeZone("Europe/London"),
                            TimeZone.getTimeZone("GMT+05:00")
                        },
                        (Object[] received) -> {
                            Check.equal(ZoneId.of("Asia/Tokyo"), received[0], "region");
                            Check.same(ZoneOffset.UTC, received[1], "UTC");
                            Check.same(ZoneOffset.ofHoursMinutes(5, 30), received[2], "cached offset");
                            Check.equal(ZoneId.of("UTC+3"), received[3], "prefixed offset");
                            TimeZone london = TimeZone.getTimeZone("Europe/London");
                            Check.equal(london, received[4], "TimeZone");
                            Check.equal(
                                    london.getOffset(1_720_000_000_000L),
                                    ((TimeZone) received[4]).getOffset(1_720_000_000_000L),
                                    "offset in summer");
                            Check.equal(18_000_000, ((TimeZone) received[5]).getRawOffset(), "custom zone");
                        })
                .note("Java serialization carries the sender's transition table: not equal between JDK releases");
        cases.arrives(
                        "charsets",
                        () -> new Object[] {
                            new Holder(StandardCharsets.UTF_8), new Holder(Charset.forName("ISO-8859-2"))
                        },
                        (Object[] received) -> {
                            Check.same(StandardCharsets.UTF_8, ((Holder) received[0]).value, "UTF-8");
                            Check.equal(Charset.forName("ISO-8859-2"), ((Holder) received[1]).value, "ISO-8859-2");
                        })
                .note("Charset is not Serializable: Java serialization refuses it");
        cases.arrives(
                "patterns",
                () -> Pattern.compile("(?<word>[a-z]+)-(\\d+)", Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE),
                (Pattern received) -> {
                    Check.equal(Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE, received.flags(), "flags");
                    Matcher matcher = received.matcher("ABC-42");
                    Check.that(matcher.matches(), "matches");
                    Check.equal("ABC", matcher.group("word"), "named group");
                });
        cases.arrives(
                "locks-arrive-unlocked",
                () -> {
                    ReentrantLock lock = new ReentrantLock(true);
                    lock.lock();
                    return lock;
                },
                (ReentrantLock received) -> {
                    Check.that(!received.isLocked(), "unlocked");
                    Check.that(received.isFair(), "fair");
                    Check.that(received.tryLock(), "tryLock");
                    received.unlock();
                });
        cases.arrives(
                "internet-addresses",
                () -> new Object[] {
                    InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1}),
                    InetAddress.getByAddress(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}),
                    InetSocketAddress.createUnresolved("host.invalid", 99),
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 80)
                },
                (Object[] received) -> {
                    Check.equal(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), received[0], "IPv4");
                    Check.equal("localhost", ((InetAddress) received[0]).getHostName(), "host name");
                    Check.that(((InetAddress) received[1]).isLoopbackAddress(), "IPv6 loopback");
                    Check.that(((InetSocketAddress) received[2]).isUnresolved(), "unresolved");
                    Check.equal(80, ((InetSocketAddress) received[3]).getPort(), "port");
                });
    }

    static final class Holder implements Serializable {
        final Object value;

        Holder(Object value) {
            this.value = value;
        }
    }

    interface SerializableFunction<A, B> extends Function<A, B>, Serializable {}

    interface SerializableSupplier<A> extends Supplier<A>, Serializable {}

    interface Greeter {
        String greet(String name);
    }

    interface Counted {
        int count();
    }

    static final class GreetingHandler implements InvocationHandler, Serializable {
        final String greeting;
        int calls;
        Object ownProxy;

        GreetingHandler(String greeting) {
            this.greeting = greeting;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            calls++;
            return switch (method.getName()) {
                case "greet" -> greeting + " " + arguments[0];
                case "count" -> calls;
                case "hashCode" -> 5;
                case "equals" -> proxy == arguments[0];
                default -> "proxy";
            };
        }
    }

    private static String shout(String text) {
        return text.toUpperCase(Locale.ROOT);
    }

    private static void lambdas(CaseList cases) {
        cases.row("substitute: Proxy");
        cases.arrives(
                        "proxy",
                        () -> {
                            GreetingHandler handler = new GreetingHandler("hello");
                            handler.ownProxy = Proxy.newProxyInstance(
                                    SubstituteCases.class.getClassLoader(),
                                    new Class<?>[] {Greeter.class, Counted.class},
                                    handler);
                            return new Object[] {handler.ownProxy, handler};
                        },
                        (Object[] received) -> {
                            Check.that(Proxy.isProxyClass(received[0].getClass()), "is a proxy of this process");
                            Check.same(received[1], Proxy.getInvocationHandler(received[0]), "handler is shared");
                            Check.same(
                                    received[0], ((GreetingHandler) received[1]).ownProxy, "cycle through the handler");
                            Check.equal("hello you", ((Greeter) received[0]).greet("you"), "call");
                            Check.equal(2, ((Counted) received[0]).count(), "second interface");
                        })
                .needsRawMemory();
        cases.arrives(
                "proxy-as-hash-key",
                () -> {
                    Object proxy = Proxy.newProxyInstance(
                            SubstituteCases.class.getClassLoader(),
                            new Class<?>[] {Greeter.class},
                            new GreetingHandler("x"));
                    return new Object[] {proxy, new HashMap<>(Map.of(proxy, "v"))};
                },
                (Object[] received) -> Check.equal("v", ((Map<?, ?>) received[1]).get(received[0]), "get"));
        cases.row("substitute: serializable lambdas (SerializedLambda)");
        cases.arrives(
                "lambda-no-capture",
                () -> (SerializableFunction<String, Integer>) String::length,
                (Function<String, Integer> received) ->
                        Check.equal(5, received.apply("seven".substring(0, 5)), "apply"));
        cases.arrives(
                "lambda-capturing",
                () -> {
                    List<String> captured = new ArrayList<>(List.of("a"));
                    int number = 41;
                    SerializableSupplier<Object[]> supplier = () -> new Object[] {captured, number + 1};
                    return new Object[] {captured, supplier};
                },
                (Object[] received) -> {
                    Object[] made = ((Supplier<Object[]>) received[1]).get();
                    Check.same(received[0], made[0], "the captured list is the shared list");
                    Check.equal(42, made[1], "captured primitive");
                });
        cases.arrives(
                "lambda-method-references",
                () -> {
                    String bound = "bound";
                    return new Object[] {
                        (SerializableFunction<String, String>) SubstituteCases::shout,
                        (SerializableFunction<String, Boolean>) bound::equals,
                        (SerializableSupplier<List<String>>) ArrayList::new,
                        (SerializableFunction<String, String>) String::trim,
                        (BiFunction<String, String, String> & Serializable) String::concat
                    };
                },
                (Object[] received) -> {
                    Check.equal("HI", ((Function<String, String>) received[0]).apply("hi"), "static");
                    Check.equal(true, ((Function<String, Boolean>) received[1]).apply("bound"), "bound receiver");
                    Check.equal(new ArrayList<>(), ((Supplier<?>) received[2]).get(), "constructor");
                    Check.equal("x", ((Function<String, String>) received[3]).apply(" x "), "unbound");
                    Check.equal(
                            "ab", ((BiFunction<String, String, String>) received[4]).apply("a", "b"), "two arguments");
                });
        cases.arrives(
                "lambda-composed",
                () -> {
                    SerializableFunction<Integer, Integer> twice = x -> 2 * x;
                    SerializableFunction<Integer, Integer> composed = x -> twice.apply(twice.apply(x)) + 1;
                    return new Object[] {twice, composed, composed};
                },
                (Object[] received) -> {
                    Check.equal(13, ((Function<Integer, Integer>) received[1]).apply(3), "apply");
                    Check.same(received[1], received[2], "one lambda twice");
                });
        cases.arrives(
                "lambda-in-comparator-chain",
                () -> Comparator.comparing((SerializableFunction<String, Integer>) String::length)
                        .thenComparing(Comparator.reverseOrder()),
                (Comparator<String> received) -> {
                    String[] words = {"bb", "a", "aa", "c"};
                    Arrays.sort(words, received);
                    Check.equal(new String[] {"c", "a", "bb", "aa"}, words, "sorted");
                });
        cases.arrives(
                "lambda-capturing-this",
                () -> new Multiplier(6).function(),
                (Function<Integer, Integer> received) -> Check.equal(42, received.apply(7), "apply"));
    }

    static final class Multiplier implements Serializable {
        private final int factor;

        Multiplier(int factor) {
            this.factor = factor;
        }

        SerializableFunction<Integer, Integer> function() {
            return x -> x * factor;
        }
    }

    private static void files(CaseList cases) {
        cases.row("substitute: Path/File/URL");
        cases.arrives(
                        "paths",
                        () -> new Object[] {
                            new Holder(Path.of("a", "b", "ü.txt")), new Holder(Path.of("/")), new Holder(Path.of(""))
                        },
                        (Object[] received) -> {
                            Path path = (Path) ((Holder) received[0]).value;
                            Check.equal(Path.of("a", "b", "ü.txt"), path, "path");
                            Check.same(FileSystems.getDefault(), path.getFileSystem(), "file system");
                            Check.that(!Files.exists(path), "usable with Files");
                            Check.equal(Path.of("a"), path.subpath(0, 1), "subpath");
                            Check.equal(Path.of("/"), ((Holder) received[1]).value, "root");
                            Check.equal(Path.of(""), ((Holder) received[2]).value, "empty");
                        })
                .note("Path is not Serializable: Java serialization refuses it");
        cases.arrives("files", () -> new Object[] {new File("dir/x.txt"), new File("/")}, (Object[] received) -> {
            Check.equal(new File("dir/x.txt"), received[0], "file");
            Check.equal("x.txt", ((File) received[0]).getName(), "name");
            Check.equal(Path.of("dir/x.txt"), ((File) received[0]).toPath(), "toPath");
            Check.that(((File) received[1]).isDirectory(), "usable");
        });
        cases.arrives(
                "urls-and-uris",
                () -> new Object[] {
                    URI.create("file:///tmp/x").toURL(),
                    URI.create("http://user@localhost:81/p?q=1#f"),
                    URI.create("urn:a:b")
                },
                (Object[] received) -> {
                    Check.equal("file:/tmp/x", ((URL) received[0]).toExternalForm(), "url");
                    Check.equal("/tmp/x", ((URL) received[0]).getPath(), "path of the url");
                    URI uri = (URI) received[1];
                    Check.equal(URI.create("http://user@localhost:81/p?q=1#f"), uri, "uri");
                    Check.equal(81, uri.getPort(), "port");
                    Check.equal("q=1", uri.getQuery(), "query");
                    Check.that(((URI) received[2]).isOpaque(), "opaque");
                });
    }

    private static void buffers(CaseList cases) {
        cases.row("substitute: direct buffers (contents)");
        cases.arrives(
                        "byte-buffers",
                        () -> {
                            ByteBuffer heap = ByteBuffer.allocate(16);
                            heap.put(new byte[] {1, 2, 3, 4, 5, 6}).flip().position(2);
                            ByteBuffer direct = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
                            direct.putInt(0x01020304).putLong(-7).flip();
                            return new Object[] {
                                new Holder(heap), new Holder(direct), new Holder(heap.asReadOnlyBuffer())
                            };
                        },
                        (Object[] received) -> {
                            ByteBuffer heap = (ByteBuffer) ((Holder) received[0]).value;
                            Check.equal(2, heap.position(), "position");
                            Check.equal(6, heap.limit(), "limit");
                            Check.equal(16, heap.capacity(), "capacity");
                            Check.equal((byte) 3, heap.get(), "contents");
                            Check.equal((byte) 1, heap.get(0), "contents before the position");
                            ByteBuffer direct = (ByteBuffer) ((Holder) received[1]).value;
                            Check.that(direct.isDirect(), "direct");
                            Check.same(ByteOrder.LITTLE_ENDIAN, direct.order(), "order");
                            Check.equal(0x01020304, direct.getInt(), "int");
                            Check.equal(-7L, direct.getLong(), "long");
                            Check.that(!direct.hasRemaining(), "limit");
                            ByteBuffer readOnly = (ByteBuffer) ((Holder) received[2]).value;
                            Check.that(readOnly.isReadOnly(), "read only");
                            Check.equal((byte) 3, readOnly.get(), "contents of the read-only buffer");
                        })
                .note("ByteBuffer is not Serializable: Java serialization refuses it");
        cases.arrives(
                        "class-descriptor",
                        () -> java.io.ObjectStreamClass.lookup(AppException.class),
                        (java.io.ObjectStreamClass received) -> {
                            Check.same(AppException.class, received.forClass(), "described class");
                            Check.that(received.toString().contains("AppException"), "toString " + received);
                            Check.equal(
                                    java.io.ObjectStreamClass.lookup(AppException.class)
                                            .getSerialVersionUID(),
                                    received.getSerialVersionUID(),
                                    "serialVersionUID");
                        })
                .corpusAllowed();
        cases.refusedBySenderUnlessPeer(
                        "typed-buffers",
                        () -> new Object[] {
                            new Holder(IntBuffer.wrap(new int[] {1, 2, 3})),
                            new Holder(java.nio.CharBuffer.wrap("text"))
                        },
                        (Object[] received) -> {
                            Check.equal(3, ((IntBuffer) ((Holder) received[0]).value).get(2), "int buffer");
                            Check.equal("text", ((Holder) received[1]).value.toString(), "char buffer");
                        },
                        "CLASS_REFUSED",
                        "java.nio.HeapIntBuffer",
                        "a class of the JDK that is not Serializable")
                .note("not Serializable: Java serialization refuses it");
    }

    static final class AppException extends RuntimeException {
        final HashContainerCases.Color color;

        AppException(String message, Throwable cause, HashContainerCases.Color color) {
            super(message, cause);
            this.color = color;
        }
    }

    static final class Bare extends Exception {
        Bare() {
            super("bare", null, false, false);
        }
    }

    private static void throwables(CaseList cases) {
        cases.row("substitute: Throwable's stack trace elements");
        cases.arrives("throwable", SubstituteCases::failure, (AppException received) -> {
            Check.equal("outer", received.getMessage(), "message");
            Check.same(HashContainerCases.Color.CYAN, received.color, "field");
            Check.equal("inner", received.getCause().getMessage(), "cause");
            Check.equal("failure", received.getStackTrace()[0].getMethodName(), "stack trace");
            Check.equal(
                    SubstituteCases.class.getName(), received.getStackTrace()[0].getClassName(), "class in the trace");
            Check.equal(1, received.getSuppressed().length, "suppressed");
            Check.equal("closing", received.getSuppressed()[0].getMessage(), "suppressed message");
            Check.that(received.getSuppressed()[0].getStackTrace().length > 0, "suppressed trace");
            received.addSuppressed(new RuntimeException("later"));
            Check.equal(2, received.getSuppressed().length, "can suppress after arrival");
            java.io.StringWriter text = new java.io.StringWriter();
            received.printStackTrace(new java.io.PrintWriter(text));
            Check.that(text.toString().contains("Caused by: java.lang.IllegalStateException: inner"), "printed trace");
        });
        cases.arrives(
                "throwable-never-thrown",
                () -> new IllegalArgumentException("quiet"),
                (IllegalArgumentException received) -> {
                    Check.equal("quiet", received.getMessage(), "message");
                    Check.same(null, received.getCause(), "no cause (itself, internally)");
                    received.initCause(new RuntimeException("late"));
                    Check.equal("late", received.getCause().getMessage(), "initCause is still possible");
                    received.addSuppressed(new RuntimeException("s"));
                    Check.equal(1, received.getSuppressed().length, "suppressed list");
                });
        cases.arrives("throwable-without-trace", Bare::new, (Bare received) -> {
            Check.equal(0, received.getStackTrace().length, "trace");
            received.addSuppressed(new RuntimeException("ignored"));
            Check.equal(0, received.getSuppressed().length, "suppression stays disabled");
        });
        cases.arrives(
                "throwable-cyclic-cause",
                () -> {
                    RuntimeException first = new RuntimeException("first");
                    RuntimeException second = new RuntimeException("second", first);
                    first.initCause(second);
                    return first;
                },
                (RuntimeException received) ->
                        Check.same(received, received.getCause().getCause(), "cycle of causes"));
        cases.arrives("stack-trace-elements", () -> new Throwable().getStackTrace(), (StackTraceElement[] received) -> {
            Check.that(received.length > 0, "elements");
            Check.that(received[0].getLineNumber() > 0, "line");
            Check.that(received[0].toString().contains("SubstituteCases"), "text");
        });
    }

    private static AppException failure() {
        try {
            throw new AppException("outer", new IllegalStateException("inner"), HashContainerCases.Color.CYAN);
        } catch (AppException e) {
            e.addSuppressed(new java.io.IOException("closing"));
            return e;
        }
    }
}
