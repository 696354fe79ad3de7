package org.heapspan.tests.conformance;

import java.io.ByteArrayOutputStream;
import java.io.FilePermission;
import java.io.ObjectStreamClass;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.text.BreakIterator;
import java.text.Collator;
import java.text.NumberFormat;
import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.chrono.HijrahChronology;
import java.time.chrono.HijrahDate;
import java.time.chrono.IsoChronology;
import java.time.chrono.JapaneseChronology;
import java.time.chrono.MinguoChronology;
import java.time.chrono.ThaiBuddhistChronology;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Currency;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Formatter;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.PropertyPermission;
import java.util.Scanner;
import java.util.Set;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.DoubleAccumulator;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.heapspan.tests.conformance.ClassSamples.Maker;

/** Samples that no constructor with plain arguments gives. */
@SuppressWarnings({"JdkObsolete", "JavaUtilDate"}) // Users have old classes, too.
final class HandMadeSamples {

    private HandMadeSamples() {}

    /** Classes of which no object is sent: making one opens a file or port, or begins a thread; or plain arguments make none that works. */
    private static final Set<String> NOT_MADE = Set.of(
            "java.io.FileInputStream",
            "java.io.FileOutputStream",
            "java.io.FileReader",
            "java.io.FileWriter",
            "java.io.PipedInputStream",
            "java.io.PipedReader",
            "java.io.RandomAccessFile",
            "java.lang.Thread",
            "java.lang.invoke.SerializedLambda",
            "java.net.DatagramSocket",
            "java.net.InetAddress",
            "java.net.MulticastSocket",
            "java.net.ServerSocket",
            "java.net.Socket",
            "java.security.KeyRep",
            "java.security.PEMRecord",
            "java.util.Timer",
            "java.util.concurrent.ThreadLocalRandom",
            "java.util.jar.JarFile",
            "java.util.zip.ZipFile");

    private static final Map<String, Maker> BY_CLASS = byClass();

    private static Map<String, Maker> byClass() {
        Map<String, Maker> makers = new LinkedHashMap<>();
        NOT_MADE.forEach(name -> makers.put(name, () -> null));
        makers.put("java.io.FilePermission", () -> new FilePermission("/tmp/x", "read"));
        makers.put("java.io.ObjectStreamClass", () -> ObjectStreamClass.lookup(ArrayList.class));
        makers.put("java.io.PrintStream", () -> new PrintStream(new ByteArrayOutputStream()));
        makers.put("java.io.PrintWriter", () -> new PrintWriter(new StringWriter()));
        makers.put("java.lang.Class", () -> String.class);
        makers.put("java.lang.Module", String.class::getModule);
        makers.put("java.lang.reflect.Method", () -> String.class.getMethod("length"));
        makers.put("java.lang.reflect.Field", () -> Integer.class.getField("MAX_VALUE"));
        makers.put("java.lang.reflect.Constructor", () -> String.class.getConstructor());
        makers.put("java.net.Inet4Address", () -> InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        makers.put("java.net.Inet6Address", () -> InetAddress.getByAddress(new byte[16]));
        makers.put(
                "java.net.InetSocketAddress",
                () -> new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 80));
        makers.put(
                "java.net.Proxy",
                () -> new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved("localhost", 80)));
        makers.put("java.net.URL", () -> URI.create("file:/x").toURL());
        makers.put("java.text.RuleBasedCollator", () -> Collator.getInstance(Locale.US));
        makers.put(
                "java.time.ZonedDateTime",
                () -> ZonedDateTime.of(LocalDateTime.of(2020, 1, 2, 3, 4), ZoneId.of("Europe/Berlin")));
        makers.put("java.time.chrono.HijrahChronology", () -> HijrahChronology.INSTANCE);
        makers.put("java.time.chrono.HijrahDate", () -> HijrahDate.of(1440, 2, 3));
        makers.put("java.time.chrono.IsoChronology", () -> IsoChronology.INSTANCE);
        makers.put("java.time.chrono.JapaneseChronology", () -> JapaneseChronology.INSTANCE);
        makers.put("java.time.chrono.MinguoChronology", () -> MinguoChronology.INSTANCE);
        makers.put("java.time.chrono.ThaiBuddhistChronology", () -> ThaiBuddhistChronology.INSTANCE);
        makers.put(
                "java.time.zone.ZoneOffsetTransition",
                () -> ZoneOffsetTransition.of(
                        LocalDateTime.of(2020, 1, 2, 3, 4), ZoneOffset.UTC, ZoneOffset.ofHours(1)));
        makers.put("java.util.Base64$Decoder", Base64::getDecoder);
        makers.put("java.util.Base64$Encoder", Base64::getEncoder);
        makers.put("java.util.BitSet", () -> BitSet.valueOf(new long[] {5}));
        makers.put("java.util.Currency", () -> Currency.getInstance("EUR"));
        makers.put("java.util.EnumMap", () -> new EnumMap<>(Map.of(DayOfWeek.MONDAY, 1)));
        makers.put("java.util.Formatter", () -> new Formatter(new StringBuilder("text")));
        makers.put("java.util.GregorianCalendar", () -> {
            GregorianCalendar calendar = new GregorianCalendar(TimeZone.getTimeZone("UTC"), Locale.US);
            calendar.setTimeInMillis(1_000_000);
            return calendar;
        });
        makers.put("java.util.Locale$LanguageRange", () -> new Locale.LanguageRange("de"));
        makers.put("java.util.PriorityQueue", () -> new PriorityQueue<>(List.of("b", "a")));
        makers.put("java.util.PropertyPermission", () -> new PropertyPermission("x", "read"));
        makers.put("java.util.Scanner", () -> new Scanner("some text"));
        makers.put("java.util.SimpleTimeZone", () -> new SimpleTimeZone(3_600_000, "X"));
        // Keys that Integer itself holds, so that no collection empties it.
        makers.put("java.util.WeakHashMap", () -> new WeakHashMap<>(Map.of(1, "a", 2, "b")));
        makers.put("java.util.concurrent.ConcurrentHashMap$KeySetView", () -> {
            Set<String> keys = ConcurrentHashMap.newKeySet();
            keys.add("a");
            return keys;
        });
        makers.put("java.util.concurrent.atomic.DoubleAccumulator", () -> new DoubleAccumulator(Maximum.MAXIMUM, 1));
        makers.put("java.util.concurrent.atomic.LongAccumulator", () -> new LongAccumulator(Maximum.MAXIMUM, 1));
        makers.put(
                "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock",
                () -> new ReentrantReadWriteLock().readLock());
        makers.put(
                "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock",
                () -> new ReentrantReadWriteLock().writeLock());
        makers.put("java.util.regex.Matcher", () -> Pattern.compile("a").matcher("banana"));
        return makers;
    }

    /** A function that is one object. */
    private enum Maximum implements DoubleBinaryOperator, LongBinaryOperator {
        MAXIMUM;

        @Override
        public double applyAsDouble(double left, double right) {
            return Math.max(left, right);
        }

        @Override
        public long applyAsLong(long left, long right) {
            return Math.max(left, right);
        }
    }

    static Maker of(String className) {
        return BY_CLASS.get(className);
    }

    private static List<Integer> list() {
        return new ArrayList<>(List.of(1, 2, 3));
    }

    private static <M extends Map<String, Integer>> M filled(M map) {
        map.put("a", 1);
        map.put("b", 2);
        return map;
    }

    /** By how they are made: objects of classes that are not public. */
    static Map<String, Maker> others() {
        Map<String, Maker> makers = new LinkedHashMap<>();
        makers.put("java.util.List.of(..)", () -> List.of(1, 2, 3));
        makers.put("java.util.Set.of(.)", () -> Set.of("a"));
        makers.put("java.util.Map.of(..)", () -> Map.of("a", 1));
        makers.put("java.util.Map.entry(..)", () -> Map.entry("a", 1));
        makers.put("java.util.Arrays.asList(..)", () -> Arrays.asList(1, 2, 3));
        makers.put("java.util.stream.Stream.toList()", () -> Stream.of(1, 2, 3).toList());
        makers.put("java.util.Optional.of(.)", () -> Optional.of("a"));
        makers.put("java.util.EnumSet.of(..)", () -> EnumSet.of(DayOfWeek.MONDAY, DayOfWeek.FRIDAY));
        makers.put("java.util.Comparator.naturalOrder()", Comparator::naturalOrder);
        makers.put("java.util.TimeZone.getTimeZone(.)", () -> TimeZone.getTimeZone("Europe/Berlin"));
        makers.put("java.time.ZoneId.of(.)", () -> ZoneId.of("Europe/Berlin"));
        makers.put("java.nio.file.Path.of(.)", () -> Path.of("a", "b"));
        makers.put("java.nio.charset.StandardCharsets.UTF_8", () -> StandardCharsets.UTF_8);
        makers.put("java.nio.ByteBuffer.wrap(.)", () -> ByteBuffer.wrap(new byte[] {1, 2}));
        makers.put("java.nio.ByteBuffer.allocateDirect(.)", () -> ByteBuffer.allocateDirect(2));
        makers.put("java.nio.IntBuffer.wrap(.)", () -> IntBuffer.wrap(new int[] {1, 2}));
        makers.put("java.nio.CharBuffer.wrap(.)", () -> CharBuffer.wrap("text"));
        makers.put("java.text.NumberFormat.getInstance(.)", () -> NumberFormat.getInstance(Locale.US));
        makers.put("java.text.BreakIterator.getWordInstance(.)", () -> BreakIterator.getWordInstance(Locale.US));
        wrappers(makers);
        views(makers);
        iterators(makers);
        return makers;
    }

    private static void wrappers(Map<String, Maker> makers) {
        String prefix = "java.util.Collections.";
        makers.put(prefix + "emptyList()", Collections::emptyList);
        makers.put(prefix + "emptySet()", Collections::emptySet);
        makers.put(prefix + "emptyMap()", Collections::emptyMap);
        makers.put(prefix + "emptyIterator()", Collections::emptyIterator);
        makers.put(prefix + "singletonList(.)", () -> Collections.singletonList(1));
        makers.put(prefix + "singleton(.)", () -> Collections.singleton(1));
        makers.put(prefix + "singletonMap(..)", () -> Collections.singletonMap("a", 1));
        makers.put(prefix + "nCopies(..)", () -> Collections.nCopies(3, "a"));
        makers.put(prefix + "reverseOrder()", Collections::reverseOrder);
        makers.put(prefix + "reverseOrder(.)", () -> Collections.reverseOrder(String.CASE_INSENSITIVE_ORDER));
        makers.put(prefix + "newSetFromMap(.)", () -> {
            Set<String> set = Collections.newSetFromMap(new HashMap<>());
            set.add("a");
            return set;
        });
        makers.put(prefix + "asLifoQueue(.)", () -> Collections.asLifoQueue(new ArrayDeque<>(List.of(1, 2))));
        makers.put(prefix + "enumeration(.)", () -> Collections.enumeration(list()));
        makers.put(prefix + "unmodifiableCollection(.)", () -> Collections.unmodifiableCollection(list()));
        makers.put(prefix + "unmodifiableList(.)", () -> Collections.unmodifiableList(list()));
        makers.put(prefix + "unmodifiableSet(.)", () -> Collections.unmodifiableSet(new TreeSet<>(list())));
        makers.put(prefix + "unmodifiableMap(.)", () -> Collections.unmodifiableMap(filled(new TreeMap<>())));
        makers.put(prefix + "synchronizedList(.)", () -> Collections.synchronizedList(list()));
        makers.put(prefix + "synchronizedMap(.)", () -> Collections.synchronizedMap(filled(new TreeMap<>())));
        makers.put(prefix + "checkedList(..)", () -> Collections.checkedList(list(), Integer.class));
        makers.put(
                prefix + "checkedMap(..)",
                () -> Collections.checkedMap(filled(new TreeMap<>()), String.class, Integer.class));
    }

    private static void views(Map<String, Maker> makers) {
        Map<String, Maker> maps = new LinkedHashMap<>();
        maps.put("java.util.HashMap", () -> filled(new HashMap<>()));
        maps.put("java.util.LinkedHashMap", () -> filled(new LinkedHashMap<>()));
        maps.put("java.util.TreeMap", () -> filled(new TreeMap<>()));
        maps.put("java.util.EnumMap", () -> new EnumMap<>(Map.of(DayOfWeek.MONDAY, 1)));
        maps.put("java.util.concurrent.ConcurrentHashMap", () -> filled(new ConcurrentHashMap<>()));
        maps.put("java.util.concurrent.ConcurrentSkipListMap", () -> filled(new ConcurrentSkipListMap<>()));
        maps.forEach((name, maker) -> {
            makers.put(name + ".keySet()", () -> ((Map<?, ?>) maker.make()).keySet());
            makers.put(name + ".values()", () -> ((Map<?, ?>) maker.make()).values());
            makers.put(name + ".entrySet()", () -> ((Map<?, ?>) maker.make()).entrySet());
        });
        makers.put(
                "java.util.TreeMap.headMap(.)",
                () -> filled(new TreeMap<String, Integer>()).headMap("b"));
        makers.put(
                "java.util.TreeMap.descendingMap()",
                () -> filled(new TreeMap<String, Integer>()).descendingMap());
        makers.put("java.util.TreeSet.headSet(.)", () -> new TreeSet<>(list()).headSet(3));
        Map<String, Maker> lists = new LinkedHashMap<>();
        lists.put("java.util.ArrayList", HandMadeSamples::list);
        lists.put("java.util.LinkedList", () -> new LinkedList<>(list()));
        lists.put("java.util.Vector", () -> new Vector<>(list()));
        lists.put("java.util.Arrays.asList(..)", () -> Arrays.asList(1, 2, 3));
        lists.put("java.util.List.of(..)", () -> List.of(1, 2, 3));
        lists.put("java.util.concurrent.CopyOnWriteArrayList", () -> new CopyOnWriteArrayList<>(list()));
        lists.forEach((name, maker) -> makers.put(name + ".subList(..)", () -> ((List<?>) maker.make()).subList(1, 3)));
        makers.put(
                "java.util.ArrayList.reversed()",
                () -> List.class.getMethod("reversed").invoke(list()));
    }

    private static void iterators(Map<String, Maker> makers) {
        Map<String, Maker> collections = new LinkedHashMap<>();
        collections.put("java.util.ArrayList", HandMadeSamples::list);
        collections.put("java.util.LinkedList", () -> new LinkedList<>(list()));
        collections.put("java.util.ArrayDeque", () -> new ArrayDeque<>(list()));
        collections.put("java.util.PriorityQueue", () -> new PriorityQueue<>(list()));
        collections.put("java.util.TreeSet", () -> new TreeSet<>(list()));
        collections.put(
                "java.util.HashMap.keySet()", () -> filled(new HashMap<>()).keySet());
        collections.put("java.util.Arrays.asList(..)", () -> Arrays.asList(1, 2, 3));
        collections.put("java.util.List.of(..)", () -> List.of(1, 2, 3));
        collections.put("java.util.concurrent.CopyOnWriteArrayList", () -> new CopyOnWriteArrayList<>(list()));
        collections.forEach(
                (name, maker) -> makers.put(name + ".iterator()", () -> ((Collection<?>) maker.make()).iterator()));
        makers.put(
                "java.util.TreeMap.firstEntry()",
                () -> filled(new TreeMap<String, Integer>()).firstEntry());
    }
}
