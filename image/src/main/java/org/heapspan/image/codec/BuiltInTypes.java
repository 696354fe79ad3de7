package org.heapspan.image.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Date;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.Link;
import org.jspecify.annotations.Nullable;

/**
 * The types that the format itself knows, with their tags. A tag, once given out in a released version of the format, keeps its
 * meaning; new ones are added at the end, below {@link ImageFormat#TAG_FIRST_DESCRIBED_TYPE}, in {@link #TAGS} and {@link #make}.
 *
 * <p>Codecs are made when they are first asked for: a program uses a few of them, and making all of them would take longer than
 * everything else before the first object is written.
 */
public final class BuiltInTypes {
    private BuiltInTypes() {}

    public static final int STRING_TAG = 3;
    public static final int CHARSET_TAG = 40;
    public static final int PATH_TAG = 41;
    public static final int BYTE_BUFFER_TAG = 42;
    public static final int TIME_ZONE_TAG = 48;
    public static final int IMMUTABLE_LIST_TAG = 49;
    public static final int IMMUTABLE_SET_TAG = 50;
    public static final int IMMUTABLE_MAP_TAG = 51;
    public static final int EMPTY_TAG = 52;
    public static final int CONCURRENT_HASH_MAP_TAG = 53;
    public static final int COPY_ON_WRITE_ARRAY_LIST_TAG = 54;
    public static final int ENUM_SET_TAG = 55;
    public static final int ENUM_MAP_TAG = 56;
    public static final int TREE_SET_TAG = 57;
    public static final int COMPARED_TREE_MAP_TAG = 58;
    public static final int COMPARED_TREE_SET_TAG = 59;
    public static final int PRIORITY_QUEUE_TAG = 60;
    public static final int OWN_OBJECT_TAG = 61;

    static final Codec STRING = new ValueCodecs.OfString(STRING_TAG);
    static final NumberCodec INTEGER = new ValueCodecs.OfInteger(8);
    static final NumberCodec LONG = new ValueCodecs.OfLong(9);

    private static final Map<Class<?>, Integer> TAGS = tags();

    private static final AtomicReferenceArray<@Nullable Codec> CODECS =
            new AtomicReferenceArray<>(ImageFormat.TAG_FIRST_DESCRIBED_TYPE);

    @SuppressWarnings({"JdkObsolete", "JavaUtilDate"}) // Users have LinkedList and Date.
    private static Map<Class<?>, Integer> tags() {
        Map<Class<?>, Integer> tags = new HashMap<>(128);
        Class<?>[] fromStringOn = {
            String.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            boolean[].class,
            byte[].class,
            short[].class,
            char[].class,
            int[].class,
            long[].class,
            float[].class,
            double[].class,
            Object[].class,
            String[].class,
            Class.class,
            ReplacingCodec.Reading.class,
            ArrayList.class,
            HashMap.class,
            LinkedHashMap.class,
            TreeMap.class,
            HashSet.class,
            LinkedHashSet.class,
            Optional.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            Date.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            Instant.class,
            Duration.class,
            Charset.class,
            Path.class,
            ByteBuffer.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class,
            LinkedList.class,
            ArrayDeque.class,
            TimeZone.class
        };
        for (int i = 0; i < fromStringOn.length; i++) {
            tags.put(fromStringOn[i], STRING_TAG + i);
        }
        putAll(tags, ImmutableCollectionCodecs.listClasses(), IMMUTABLE_LIST_TAG);
        putAll(tags, ImmutableCollectionCodecs.setClasses(), IMMUTABLE_SET_TAG);
        putAll(tags, ImmutableCollectionCodecs.mapClasses(), IMMUTABLE_MAP_TAG);
        putAll(tags, ImmutableCollectionCodecs.emptyClasses(), EMPTY_TAG);
        putAll(tags, EnumCollectionCodecs.OfEnumSet.classes(), ENUM_SET_TAG);
        tags.put(ConcurrentHashMap.class, CONCURRENT_HASH_MAP_TAG);
        tags.put(CopyOnWriteArrayList.class, COPY_ON_WRITE_ARRAY_LIST_TAG);
        tags.put(EnumMap.class, ENUM_MAP_TAG);
        tags.put(TreeSet.class, TREE_SET_TAG);
        tags.put(PriorityQueue.class, PRIORITY_QUEUE_TAG);
        tags.put(Link.class, ImageFormat.TAG_LINK);
        return tags;
    }

    private static void putAll(Map<Class<?>, Integer> tags, List<Class<?>> classes, int tag) {
        for (Class<?> type : classes) {
            tags.put(type, tag);
        }
    }

    @SuppressWarnings("JdkObsolete") // Users have LinkedList.
    private static @Nullable Codec make(int tag) {
        return switch (tag) {
            case STRING_TAG -> STRING;
            case 4 -> ValueCodecs.ofBoolean(tag);
            case 5 -> ValueCodecs.ofByte(tag);
            case 6 -> ValueCodecs.ofShort(tag);
            case 7 -> ValueCodecs.ofCharacter(tag);
            case 8 -> INTEGER;
            case 9 -> LONG;
            case 10 -> ValueCodecs.ofFloat(tag);
            case 11 -> new ValueCodecs.OfDouble(tag);
            case 12 -> new PrimitiveArrayCodec(boolean[].class, tag);
            case 13 -> new PrimitiveArrayCodec(byte[].class, tag);
            case 14 -> new PrimitiveArrayCodec(short[].class, tag);
            case 15 -> new PrimitiveArrayCodec(char[].class, tag);
            case 16 -> new PrimitiveArrayCodec(int[].class, tag);
            case 17 -> new PrimitiveArrayCodec(long[].class, tag);
            case 18 -> new PrimitiveArrayCodec(float[].class, tag);
            case 19 -> new PrimitiveArrayCodec(double[].class, tag);
            case 20 -> new ObjectArrayCodec(Object[].class, tag);
            case 21 -> new ObjectArrayCodec(String[].class, tag);
            case 22 -> ValueCodecs.ofClass(tag);
            case ImageFormat.TAG_REPLACED -> new ReplacingCodec.Reading(tag);
            case 24 -> new CollectionCodecs.OfArrayList(tag);
            case 25 -> new MapCodecs.OfHashMap(tag);
            case 26 -> new MapCodecs.OfLinkedHashMap(tag);
            case 27 -> new MapCodecs.OfTreeMap(tag);
            case 28 -> new CollectionCodecs.OfSet(HashSet.class, tag, HashSet::new);
            case 29 -> new CollectionCodecs.OfSet(LinkedHashSet.class, tag, LinkedHashSet::new);
            case 30 -> new ValueCodecs.OfOptional(tag);
            case 31 -> ValueCodecs.ofBigInteger(tag);
            case 32 -> ValueCodecs.ofBigDecimal(tag);
            case 33 -> ValueCodecs.ofUuid(tag);
            case 34 -> ValueCodecs.ofDate(tag);
            case 35 -> new ValueCodecs.OfLocalDate(tag);
            case 36 -> ValueCodecs.ofLocalTime(tag);
            case 37 -> ValueCodecs.ofLocalDateTime(tag);
            case 38 -> ValueCodecs.ofInstant(tag);
            case 39 -> ValueCodecs.ofDuration(tag);
            case CHARSET_TAG -> new SubstituteCodec.OfCharset(tag);
            case PATH_TAG -> new SubstituteCodec.OfPath(tag);
            case BYTE_BUFFER_TAG -> new SubstituteCodec.OfByteBuffer(tag);
            case 43 -> ofOptionalInt(tag);
            case 44 -> ofOptionalLong(tag);
            case 45 -> ofOptionalDouble(tag);
            case 46 -> new CollectionCodecs.OfQueue(LinkedList.class, tag, LinkedList::new);
            case 47 -> new CollectionCodecs.OfQueue(ArrayDeque.class, tag, ArrayDeque::new);
            case TIME_ZONE_TAG -> new SubstituteCodec.OfTimeZone(tag);
            case IMMUTABLE_LIST_TAG -> new ImmutableCollectionCodecs.OfList(tag);
            case IMMUTABLE_SET_TAG -> new ImmutableCollectionCodecs.OfSet(tag);
            case IMMUTABLE_MAP_TAG -> new ImmutableCollectionCodecs.OfMap(tag);
            case EMPTY_TAG -> new ImmutableCollectionCodecs.OfEmpty(tag);
            case CONCURRENT_HASH_MAP_TAG -> new ConcurrentCollectionCodecs.OfConcurrentHashMap(tag);
            case COPY_ON_WRITE_ARRAY_LIST_TAG -> new ConcurrentCollectionCodecs.OfCopyOnWriteArrayList(tag);
            case ENUM_SET_TAG -> new EnumCollectionCodecs.OfEnumSet(tag);
            case ENUM_MAP_TAG -> new EnumCollectionCodecs.OfEnumMap(tag);
            case TREE_SET_TAG -> new CollectionCodecs.OfTreeSet(tag);
            case COMPARED_TREE_MAP_TAG -> new ComparedCodecs.OfTreeMap(tag);
            case COMPARED_TREE_SET_TAG -> ComparedCodecs.OfCollection.treeSet(tag);
            case PRIORITY_QUEUE_TAG -> ComparedCodecs.OfCollection.priorityQueue(tag);
            case OWN_OBJECT_TAG -> new OwnObjectCodec(tag);
            case ImageFormat.TAG_LINK -> new Link.OfLink(tag);
            default -> null;
        };
    }

    private static Codec ofOptionalInt(int tag) {
        return new ValueCodecs.OfFunctions<>(
                OptionalInt.class,
                tag,
                0,
                (w, v) -> {
                    w.writeByte(v.isPresent() ? 1 : 0);
                    w.writeInt(v.orElse(0));
                },
                r -> {
                    boolean present = r.readByte() != 0;
                    int value = r.readInt();
                    return present ? OptionalInt.of(value) : OptionalInt.empty();
                });
    }

    private static Codec ofOptionalLong(int tag) {
        return new ValueCodecs.OfFunctions<>(
                OptionalLong.class,
                tag,
                0,
                (w, v) -> {
                    w.writeByte(v.isPresent() ? 1 : 0);
                    w.writeLong(v.orElse(0));
                },
                r -> {
                    boolean present = r.readByte() != 0;
                    long value = r.readLong();
                    return present ? OptionalLong.of(value) : OptionalLong.empty();
                });
    }

    private static Codec ofOptionalDouble(int tag) {
        return new ValueCodecs.OfFunctions<>(
                OptionalDouble.class,
                tag,
                0,
                (w, v) -> {
                    w.writeByte(v.isPresent() ? 1 : 0);
                    w.writeLong(Double.doubleToRawLongBits(v.orElse(0)));
                },
                r -> {
                    boolean present = r.readByte() != 0;
                    double value = Double.longBitsToDouble(r.readLong());
                    return present ? OptionalDouble.of(value) : OptionalDouble.empty();
                });
    }

    /** The codec of a built-in type, or null if the format has no type of that tag. */
    public static @Nullable Codec codec(int tag) {
        if (tag < 0 || tag >= ImageFormat.TAG_FIRST_DESCRIBED_TYPE) {
            return null;
        }
        Codec codec = CODECS.getAcquire(tag);
        return codec != null ? codec : makeOnce(tag);
    }

    private static @Nullable Codec makeOnce(int tag) {
        // Readers and writers compare codecs by identity, so that there must be one only.
        synchronized (CODECS) {
            Codec codec = CODECS.get(tag);
            if (codec == null) {
                codec = make(tag);
                CODECS.setRelease(tag, codec);
            }
            return codec;
        }
    }

    /** The codec of a built-in type that the format has. */
    public static Codec known(int tag) {
        Codec codec = codec(tag);
        if (codec == null) {
            throw new IllegalStateException("the format has no type of tag " + tag);
        }
        return codec;
    }

    /** The codec of exactly this class, or null if it is not built in. */
    public static @Nullable Codec codecOf(Class<?> type) {
        Integer tag = TAGS.get(type);
        return tag == null ? null : codec(tag);
    }
}
