package org.heapspan.tests.conformance;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.chrono.HijrahDate;
import java.time.chrono.JapaneseDate;
import java.time.chrono.MinguoDate;
import java.time.chrono.ThaiBuddhistDate;
import java.time.temporal.ChronoField;
import java.time.temporal.ValueRange;
import java.time.temporal.WeekFields;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.Random;
import java.util.SimpleTimeZone;
import java.util.StringJoiner;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.DoubleAccumulator;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** Strings, numbers, dates, arrays: the values that a field-by-field copy carries correctly. */
@SuppressWarnings({"BooleanLiteral", "JavaUtilDate", "JdkObsolete", "UnnecessaryStringBuilder"})
final class ValueCases {

    private ValueCases() {}

    static void addTo(CaseList cases) {
        strings(cases);
        primitivesAndArrays(cases);
        numbers(cases);
        dates(cases);
        atomics(cases);
    }

    private static String text(int length, int firstChar) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) (firstChar + i % 64));
        }
        return text.toString();
    }

    private static void equalValue(CaseList cases, String name, ConformanceCase.Build<?> build) {
        cases.arrives(name, build, received -> {
            Object fresh = build.build();
            Check.equal(fresh, received, "value");
            Check.equal(fresh.hashCode(), received.hashCode(), "hashCode");
            Check.equal(fresh.toString(), received.toString(), "toString");
            Check.isExactly(fresh.getClass(), received);
        });
    }

    private static void strings(CaseList cases) {
        cases.row("raw: String");
        equalValue(cases, "string-empty", () -> new String(new char[0]));
        equalValue(cases, "string-latin1", () -> text(40, 'A'));
        equalValue(cases, "string-latin1-high", () -> "naïve café ÿ");
        equalValue(cases, "string-utf16", () -> text(33, 0x4e00));
        equalValue(cases, "string-emoji", () -> "grin \uD83D\uDE00 end");
        equalValue(cases, "string-lone-surrogates", () -> "\uD800a\uDC00\uDC00\uD83D");
        equalValue(cases, "string-nul", () -> "a\0b\0");
        equalValue(cases, "string-length-254", () -> text(254, 'a'));
        equalValue(cases, "string-length-255", () -> text(255, 'a'));
        equalValue(cases, "string-length-256", () -> text(256, 'a'));
        equalValue(cases, "string-length-65536", () -> text(65_536, 'a'));
        equalValue(cases, "string-1mb-latin1", () -> text(1 << 20, 'a'));
        equalValue(cases, "string-1mb-utf16", () -> text(1 << 20, 0x3b1));
        cases.arrives(
                "string-hash-zero",
                () -> {
                    String zero = "\0\0\0";
                    Check.equal(0, zero.hashCode(), "hash computed before sending");
                    return zero;
                },
                (String received) -> Check.equal(0, received.hashCode(), "hash"));
        cases.arrives(
                "string-sharing",
                () -> {
                    String shared = new String("shared");
                    return new Object[] {shared, shared, new String("shared")};
                },
                (Object[] received) -> {
                    Check.same(received[0], received[1], "one string twice");
                    Check.equal("shared", received[2], "equal string");
                });
        cases.arrives(
                "string-builder",
                () -> new Object[] {new StringBuilder("αβγ").append("def"), new StringBuffer("xyz")},
                (Object[] received) -> {
                    StringBuilder builder = (StringBuilder) received[0];
                    StringBuffer buffer = (StringBuffer) received[1];
                    Check.equal("αβγdef!", builder.append('!').toString(), "builder");
                    Check.equal("xyz-1", buffer.append(-1).toString(), "buffer");
                });
        cases.arrivesOrRefusedByPeers(
                        "string-joiner",
                        () -> new StringJoiner(",", "[", "]").add("a").add("b"),
                        (StringJoiner received) ->
                                Check.equal("[a,b,c]", received.add("c").toString(), "joined"))
                .needsRawMemory();
        cases.arrivesOrRefusedByPeers(
                        "plain-classes-of-the-jdk",
                        () -> {
                            java.util.IntSummaryStatistics statistics = new java.util.IntSummaryStatistics();
                            statistics.accept(3);
                            statistics.accept(5);
                            java.util.StringTokenizer tokens = new java.util.StringTokenizer("a b c");
                            tokens.nextToken();
                            return new Object[] {
                                statistics,
                                tokens,
                                new java.util.SplittableRandom(7),
                                new java.util.concurrent.atomic.AtomicStampedReference<>("a", 4),
                                new java.text.ParsePosition(9)
                            };
                        },
                        (Object[] received) -> {
                            java.util.IntSummaryStatistics statistics = (java.util.IntSummaryStatistics) received[0];
                            Check.equal(8L, statistics.getSum(), "sum");
                            Check.equal(5, statistics.getMax(), "greatest");
                            Check.equal("b", ((java.util.StringTokenizer) received[1]).nextToken(), "next token");
                            Check.equal(
                                    new java.util.SplittableRandom(7).nextLong(),
                                    ((java.util.SplittableRandom) received[2]).nextLong(),
                                    "next number");
                            java.util.concurrent.atomic.AtomicStampedReference<?> stamped =
                                    (java.util.concurrent.atomic.AtomicStampedReference<?>) received[3];
                            Check.equal(4, stamped.getStamp(), "stamp");
                            Check.equal("a", stamped.getReference(), "reference");
                            Check.equal(9, ((java.text.ParsePosition) received[4]).getIndex(), "index");
                        })
                .needsRawMemory();
    }

    private static void primitivesAndArrays(CaseList cases) {
        cases.row("raw: primitives and arrays");
        equalValue(cases, "boxed-long-min", () -> Long.MIN_VALUE);
        equalValue(cases, "boxed-double-nan", () -> Double.longBitsToDouble(0x7ff8000000000000L));
        equalValue(cases, "boxed-character", () -> '\uFFFF');
        equalValue(cases, "boxed-float-negative-zero", () -> -0.0f);
        cases.arrives(
                        "array-double-nan-bits",
                        () -> new double[] {Double.longBitsToDouble(0x7ff80000deadbeefL), -0.0, Double.MIN_VALUE},
                        (double[] received) -> {
                            Check.equal(0x7ff80000deadbeefL, Double.doubleToRawLongBits(received[0]), "payload of NaN");
                            Check.equal(
                                    Double.doubleToRawLongBits(-0.0), Double.doubleToRawLongBits(received[1]), "-0.0");
                        })
                .note("Java serialization writes every NaN as the canonical one");
        cases.arrives("array-empty-of-each-kind", ValueCases::emptyArrays, (Object[] received) -> {
            Object[] fresh = emptyArrays();
            for (int i = 0; i < fresh.length; i++) {
                Check.equal(fresh[i].getClass(), received[i].getClass(), "class of array " + i);
                Check.equal(0, java.lang.reflect.Array.getLength(received[i]), "length");
            }
        });
        for (int length : new int[] {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100, 254, 255, 256, 1000, 70_001}) {
            cases.arrives(
                    "array-each-primitive-" + length,
                    () -> primitiveArrays(length),
                    (Object[] received) -> Check.equal(primitiveArrays(length), received, "contents"));
        }
        cases.arrives(
                "array-multi-dimensional",
                () -> new Object[] {
                    new int[][] {{1, 2}, {}, null, {3}},
                    new long[2][3][4],
                    new String[][] {{"a"}, {null, "b"}},
                    new int[0][]
                },
                (Object[] received) -> {
                    Check.isExactly(int[][].class, received[0]);
                    Check.equal(
                            new Object[] {
                                new int[][] {{1, 2}, {}, null, {3}},
                                new long[2][3][4],
                                new String[][] {{"a"}, {null, "b"}},
                                new int[0][]
                            },
                            received,
                            "contents");
                });
        cases.arrives(
                "array-shared-rows",
                () -> {
                    int[] rowArray = {1, 2, 3};
                    return new int[][] {rowArray, rowArray};
                },
                (int[][] received) -> Check.same(received[0], received[1], "row"));
        cases.arrives(
                "array-containing-itself",
                () -> {
                    Object[] self = new Object[3];
                    self[0] = self;
                    self[2] = new Object[] {self};
                    return self;
                },
                (Object[] received) -> {
                    Check.same(received, received[0], "element 0");
                    Check.same(received, ((Object[]) received[2])[0], "element 2");
                    Check.same(null, received[1], "element 1");
                });
        cases.arrives(
                "array-component-types",
                () -> new Object[] {
                    new Number[] {1, 2.0},
                    new Comparable<?>[] {"a", 1},
                    new Runnable[1],
                    new Object[][] {new String[] {"x"}}
                },
                (Object[] received) -> {
                    Check.isExactly(Number[].class, received[0]);
                    Check.isExactly(Comparable[].class, received[1]);
                    Check.isExactly(Runnable[].class, received[2]);
                    Check.isExactly(String[].class, ((Object[]) received[3])[0]);
                });
        cases.arrives("null-root", () -> null, received -> Check.same(null, received, "root"));
        cases.arrives(
                "boxed-shared-large",
                () -> {
                    Integer large = Integer.valueOf(123_456);
                    return new Object[] {large, large, 123_456L};
                },
                (Object[] received) -> {
                    Check.equal(123_456, received[0], "value");
                    Check.equal(received[0], received[1], "value twice");
                });
    }

    private static Object[] emptyArrays() {
        return new Object[] {
            new boolean[0],
            new byte[0],
            new short[0],
            new char[0],
            new int[0],
            new float[0],
            new long[0],
            new double[0],
            new Object[0],
            new String[0],
            new int[0][0],
            new Thread.State[0]
        };
    }

    private static Object[] primitiveArrays(int length) {
        boolean[] booleans = new boolean[length];
        byte[] bytes = new byte[length];
        short[] shorts = new short[length];
        char[] chars = new char[length];
        int[] ints = new int[length];
        float[] floats = new float[length];
        long[] longs = new long[length];
        double[] doubles = new double[length];
        for (int i = 0; i < length; i++) {
            booleans[i] = (i * 7 & 4) != 0;
            bytes[i] = (byte) (i * 31);
            shorts[i] = (short) (i * 3001);
            chars[i] = (char) (i * 40_503);
            ints[i] = i * 0x9E3779B9;
            floats[i] = i / 3f;
            longs[i] = i * 0x9E3779B97F4A7C15L;
            doubles[i] = i / 7.0;
        }
        return new Object[] {booleans, bytes, shorts, chars, ints, floats, longs, doubles};
    }

    private static void numbers(CaseList cases) {
        cases.row("raw: UUID, BigX");
        equalValue(cases, "uuid", () -> new UUID(0x123456789abcdef0L, -42));
        equalValue(cases, "big-integer", () -> new BigInteger("-123456789012345678901234567890123456789"));
        equalValue(cases, "big-integer-zero", () -> BigInteger.ZERO);
        cases.arrives(
                "big-integer-arithmetic",
                () -> BigInteger.ONE.shiftLeft(2000).subtract(BigInteger.ONE),
                (BigInteger received) -> {
                    Check.equal(2000, received.bitLength(), "bitLength");
                    Check.equal(2000, received.bitCount(), "bitCount");
                    Check.equal(BigInteger.ONE.shiftLeft(2000), received.add(BigInteger.ONE), "sum");
                });
        equalValue(cases, "big-decimal", () -> new BigDecimal("-12345678901234567890.000100"));
        equalValue(cases, "big-decimal-compact", () -> new BigDecimal("12.50"));
        equalValue(cases, "math-context", () -> new MathContext(7, RoundingMode.HALF_DOWN));
        cases.row("raw table: BitSet, Random, LongAdder");
        cases.arrives(
                "bit-set",
                () -> {
                    BitSet bits = new BitSet(10);
                    bits.set(3);
                    bits.set(200, 300);
                    return bits;
                },
                (BitSet received) -> {
                    Check.equal(101, received.cardinality(), "cardinality");
                    Check.equal(200, received.nextSetBit(4), "nextSetBit");
                    Check.equal(300, received.length(), "length");
                    received.set(5000);
                    Check.that(received.get(5000), "set after arrival");
                });
        cases.arrives(
                "random",
                () -> {
                    Random random = new Random(77);
                    random.nextGaussian();
                    return random;
                },
                (Random received) -> {
                    Random fresh = new Random(77);
                    fresh.nextGaussian();
                    Check.equal(fresh.nextGaussian(), received.nextGaussian(), "pending gaussian");
                    Check.equal(fresh.nextLong(), received.nextLong(), "sequence");
                });
        cases.arrives(
                "long-adder",
                () -> {
                    LongAdder adder = new LongAdder();
                    adder.add(40);
                    adder.increment();
                    return adder;
                },
                (LongAdder received) -> {
                    received.increment();
                    Check.equal(42L, received.sum(), "sum");
                });
        cases.arrives(
                "long-adder-contended",
                () -> {
                    LongAdder adder = new LongAdder();
                    Thread[] threads = new Thread[8];
                    for (int i = 0; i < threads.length; i++) {
                        threads[i] = new Thread(() -> {
                            for (int k = 0; k < 10_000; k++) {
                                adder.increment();
                            }
                        });
                        threads[i].start();
                    }
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    return adder;
                },
                (LongAdder received) -> Check.equal(80_000L, received.sum(), "sum over the striped cells"));
        cases.arrives(
                "accumulators",
                () -> {
                    DoubleAdder adder = new DoubleAdder();
                    adder.add(1.5);
                    LongAccumulator maximum = new LongAccumulator((SerializableLongOperator) Math::max, 3);
                    maximum.accumulate(9);
                    DoubleAccumulator product = new DoubleAccumulator((SerializableDoubleOperator) (a, b) -> a * b, 1);
                    product.accumulate(4);
                    return new Object[] {adder, maximum, product};
                },
                (Object[] received) -> {
                    Check.equal(1.5, ((DoubleAdder) received[0]).sum(), "adder");
                    LongAccumulator maximum = (LongAccumulator) received[1];
                    maximum.accumulate(11);
                    Check.equal(11L, maximum.get(), "maximum");
                    Check.equal(4.0, ((DoubleAccumulator) received[2]).get(), "product");
                });
    }

    interface SerializableLongOperator extends java.util.function.LongBinaryOperator, java.io.Serializable {}

    interface SerializableDoubleOperator extends java.util.function.DoubleBinaryOperator, java.io.Serializable {}

    private static void dates(CaseList cases) {
        cases.row("raw: java.time values");
        equalValue(cases, "time-local-date", () -> LocalDate.of(2024, 2, 29));
        equalValue(cases, "time-local-time", () -> LocalTime.of(23, 59, 58, 999_999_999));
        equalValue(cases, "time-local-time-hour", () -> LocalTime.of(7, 0));
        equalValue(cases, "time-local-date-time", () -> LocalDateTime.of(1999, 12, 31, 23, 59, 59, 1));
        equalValue(cases, "time-instant", () -> Instant.ofEpochSecond(-5, 7));
        equalValue(cases, "time-duration", () -> Duration.ofSeconds(-3, 5));
        equalValue(cases, "time-period", () -> Period.of(1, -2, 3));
        equalValue(cases, "time-year", () -> Year.of(2024));
        equalValue(cases, "time-year-month", () -> YearMonth.of(2024, 11));
        equalValue(cases, "time-month-day", () -> MonthDay.of(2, 29));
        equalValue(
                cases,
                "time-offset-date-time",
                () -> OffsetDateTime.of(2024, 1, 2, 3, 4, 5, 6, ZoneOffset.ofHours(-7)));
        equalValue(cases, "time-offset-time", () -> OffsetTime.of(3, 4, 5, 6, ZoneOffset.UTC));
        equalValue(cases, "time-hijrah-date", () -> HijrahDate.of(1445, 3, 4));
        equalValue(cases, "time-japanese-date", () -> JapaneseDate.of(2021, 3, 4));
        equalValue(cases, "time-minguo-date", () -> MinguoDate.of(110, 3, 4));
        equalValue(cases, "time-thai-date", () -> ThaiBuddhistDate.of(2564, 3, 4));
        equalValue(cases, "time-value-range", () -> ValueRange.of(1, 28, 31));
        cases.arrives(
                "time-enums-keep-identity",
                () -> new Object[] {
                    DayOfWeek.FRIDAY, ChronoField.EPOCH_DAY, TimeUnit.DAYS, ZoneOffset.UTC, LocalTime.MIDNIGHT
                },
                (Object[] received) -> {
                    Check.same(DayOfWeek.FRIDAY, received[0], "DayOfWeek");
                    Check.same(ChronoField.EPOCH_DAY, received[1], "ChronoField");
                    Check.same(TimeUnit.DAYS, received[2], "TimeUnit");
                    Check.equal(ZoneOffset.UTC, received[3], "ZoneOffset");
                    Check.equal(LocalTime.MIDNIGHT, received[4], "LocalTime");
                });
        cases.arrives(
                "time-week-fields",
                () -> WeekFields.of(DayOfWeek.SUNDAY, 2),
                (WeekFields received) -> Check.same(WeekFields.of(DayOfWeek.SUNDAY, 2), received, "cached WeekFields"));
        cases.row("raw table: ZonedDateTime");
        cases.arrives(
                "time-zoned-date-time",
                () -> ZonedDateTime.of(2024, 10, 27, 2, 30, 0, 0, ZoneId.of("Europe/Berlin"))
                        .withLaterOffsetAtOverlap(),
                (ZonedDateTime received) -> {
                    ZonedDateTime fresh = ZonedDateTime.of(2024, 10, 27, 2, 30, 0, 0, ZoneId.of("Europe/Berlin"))
                            .withLaterOffsetAtOverlap();
                    Check.equal(fresh, received, "value");
                    Check.equal(fresh.plusDays(200), received.plusDays(200), "arithmetic over a rule change");
                    Check.equal(fresh.getZone().getRules(), received.getZone().getRules(), "rules");
                });
        cases.row("raw table: Calendar; Date, java.sql.Timestamp");
        cases.arrives(
                "calendar",
                () -> {
                    Calendar calendar = new GregorianCalendar(TimeZone.getTimeZone("America/New_York"), Locale.GERMANY);
                    calendar.setTimeInMillis(1_700_000_000_000L);
                    return calendar;
                },
                (Calendar received) -> {
                    Check.equal(1_700_000_000_000L, received.getTimeInMillis(), "instant");
                    Check.equal("America/New_York", received.getTimeZone().getID(), "zone");
                    Check.equal(Calendar.MONDAY, received.getFirstDayOfWeek(), "first day of week");
                    received.add(Calendar.MONTH, 13);
                    Calendar fresh = new GregorianCalendar(TimeZone.getTimeZone("America/New_York"), Locale.GERMANY);
                    fresh.setTimeInMillis(1_700_000_000_000L);
                    fresh.add(Calendar.MONTH, 13);
                    Check.equal(fresh.getTimeInMillis(), received.getTimeInMillis(), "after add");
                });
        cases.arrives(
                "calendar-with-pending-set",
                () -> {
                    Calendar calendar = new GregorianCalendar(2024, Calendar.JANUARY, 31);
                    calendar.setTimeZone(TimeZone.getTimeZone("UTC"));
                    calendar.set(Calendar.MONTH, Calendar.MARCH);
                    return calendar;
                },
                (Calendar received) -> Check.equal(Calendar.MARCH, received.get(Calendar.MONTH), "month"));
        equalValue(cases, "date", () -> new Date(1_234_567_890_123L));
        cases.arrives(
                "date-after-deprecated-setter",
                () -> {
                    Date date = new Date(0);
                    setHours(date);
                    return date;
                },
                (Date received) -> {
                    Date fresh = new Date(0);
                    setHours(fresh);
                    Check.equal(fresh, received, "date with a cached calendar");
                    Check.equal(fresh.hashCode(), received.hashCode(), "hash");
                });
        cases.arrives(
                "sql-timestamp",
                () -> {
                    java.sql.Timestamp timestamp = new java.sql.Timestamp(1_234_567_890_000L);
                    timestamp.setNanos(123_456_789);
                    return timestamp;
                },
                (java.sql.Timestamp received) -> {
                    Check.equal(123_456_789, received.getNanos(), "nanos");
                    Check.equal(1_234_567_890_123L, received.getTime(), "time");
                });
        equalValue(cases, "sql-date", () -> new java.sql.Date(86_400_000L * 100));
        equalValue(cases, "sql-time", () -> new java.sql.Time(3_600_000));
        cases.arrives(
                "simple-time-zone",
                () -> new SimpleTimeZone(3_600_000, "HOME"),
                (TimeZone received) -> Check.equal(new SimpleTimeZone(3_600_000, "HOME"), received, "zone"));
    }

    @SuppressWarnings("deprecation")
    private static void setHours(Date date) {
        date.setHours(5);
    }

    private static void atomics(CaseList cases) {
        cases.row("raw: AtomicX");
        cases.arrives(
                "atomics",
                () -> new Object[] {
                    new AtomicInteger(7),
                    new AtomicLong(8),
                    new AtomicBoolean(true),
                    new AtomicReference<>("ref"),
                    new AtomicIntegerArray(new int[] {1, 2}),
                    new AtomicLongArray(new long[] {3}),
                    new AtomicReferenceArray<>(new String[] {"a", null})
                },
                (Object[] received) -> {
                    Check.equal(8, ((AtomicInteger) received[0]).incrementAndGet(), "AtomicInteger");
                    Check.equal(9L, ((AtomicLong) received[1]).incrementAndGet(), "AtomicLong");
                    Check.that(((AtomicBoolean) received[2]).compareAndSet(true, false), "AtomicBoolean");
                    Check.equal("ref", ((AtomicReference<?>) received[3]).get(), "AtomicReference");
                    Check.equal(3, ((AtomicIntegerArray) received[4]).incrementAndGet(1), "AtomicIntegerArray");
                    Check.equal(4L, ((AtomicLongArray) received[5]).incrementAndGet(0), "AtomicLongArray");
                    @SuppressWarnings("unchecked")
                    AtomicReferenceArray<Object> references = (AtomicReferenceArray<Object>) received[6];
                    Check.that(references.compareAndSet(1, null, "b"), "AtomicReferenceArray");
                });
        cases.arrives(
                "atomic-reference-cycle",
                () -> {
                    AtomicReference<Object> reference = new AtomicReference<>();
                    reference.set(reference);
                    return reference;
                },
                (AtomicReference<?> received) -> Check.same(received, received.get(), "itself"));
    }
}
