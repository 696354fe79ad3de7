package org.heapspan.image;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The types that the format itself knows, with their tags. A tag, once given out in a released version of the format, keeps its
 * meaning; new ones are added at the end, below {@link ImageFormat#TAG_FIRST_DESCRIBED_TYPE}.
 */
final class BuiltInTypes {
    private BuiltInTypes() {}

    static final int STRING_TAG = 3;
    static final int REPLACED_TAG = 23;
    static final int CHARSET_TAG = 40;
    static final int PATH_TAG = 41;
    static final int BYTE_BUFFER_TAG = 42;
    static final int TIME_ZONE_TAG = 48;
    static final int IMMUTABLE_LIST_TAG = 49;
    static final int IMMUTABLE_SET_TAG = 50;
    static final int IMMUTABLE_MAP_TAG = 51;
    static final int EMPTY_TAG = 52;
    static final int CONCURRENT_HASH_MAP_TAG = 53;
    static final int COPY_ON_WRITE_ARRAY_LIST_TAG = 54;
    static final int ENUM_SET_TAG = 55;
    static final int ENUM_MAP_TAG = 56;
    static final int TREE_SET_TAG = 57;
    static final int COMPARED_TREE_MAP_TAG = 58;
    static final int COMPARED_TREE_SET_TAG = 59;
    static final int PRIORITY_QUEUE_TAG = 60;

    static final Codec STRING = new ValueCodecs.OfString(STRING_TAG);
    static final NumberCodec INTEGER = new ValueCodecs.OfInteger(8);
    static final NumberCodec LONG = new ValueCodecs.OfLong(9);

    /** The variants of tree maps and sets that have a comparator. */
    static final Codec COMPARED_TREE_MAP = new ComparedCodecs.OfTreeMap(COMPARED_TREE_MAP_TAG);

    static final Codec COMPARED_TREE_SET = ComparedCodecs.OfCollection.treeSet(COMPARED_TREE_SET_TAG);

    private static final @Nullable Codec[] BY_TAG = new Codec[ImageFormat.TAG_FIRST_DESCRIBED_TYPE];
    private static final Map<Class<?>, Codec> BY_CLASS = new HashMap<>();

    static {
        addAll();
    }

    @SuppressWarnings("JdkObsolete") // Users have LinkedList.
    private static void addAll() {
        add(STRING);
        add(ValueCodecs.ofBoolean(4));
        add(ValueCodecs.ofByte(5));
        add(ValueCodecs.ofShort(6));
        add(ValueCodecs.ofCharacter(7));
        add(INTEGER);
        add(LONG);
        add(ValueCodecs.ofFloat(10));
        add(new ValueCodecs.OfDouble(11));
        add(new PrimitiveArrayCodec(boolean[].class, 12));
        add(new PrimitiveArrayCodec(byte[].class, 13));
        add(new PrimitiveArrayCodec(short[].class, 14));
        add(new PrimitiveArrayCodec(char[].class, 15));
        add(new PrimitiveArrayCodec(int[].class, 16));
        add(new PrimitiveArrayCodec(long[].class, 17));
        add(new PrimitiveArrayCodec(float[].class, 18));
        add(new PrimitiveArrayCodec(double[].class, 19));
        add(new ObjectArrayCodec(Object[].class, 20));
        add(new ObjectArrayCodec(String[].class, 21));
        add(ValueCodecs.ofClass(22));
        add(new ReplacingCodec.Reading(REPLACED_TAG));
        add(new CollectionCodecs.OfArrayList(24));
        add(new MapCodecs.OfHashMap(25));
        add(new MapCodecs.OfLinkedHashMap(26));
        add(new CollectionCodecs.OfSet(HashSet.class, 28, HashSet::new));
        add(new CollectionCodecs.OfSet(LinkedHashSet.class, 29, LinkedHashSet::new));
        add(new ValueCodecs.OfOptional(30));
        add(ValueCodecs.ofBigInteger(31));
        add(ValueCodecs.ofBigDecimal(32));
        add(ValueCodecs.ofUuid(33));
        add(ValueCodecs.ofDate(34));
        add(ValueCodecs.ofLocalDate(35));
        add(ValueCodecs.ofLocalTime(36));
        add(ValueCodecs.ofLocalDateTime(37));
        add(ValueCodecs.ofInstant(38));
        add(ValueCodecs.ofDuration(39));
        add(new SubstituteCodec.OfCharset(CHARSET_TAG));
        add(new SubstituteCodec.OfPath(PATH_TAG));
        add(new SubstituteCodec.OfByteBuffer(BYTE_BUFFER_TAG));
        add(new CollectionCodecs.OfQueue(LinkedList.class, 46, LinkedList::new));
        add(new CollectionCodecs.OfQueue(ArrayDeque.class, 47, ArrayDeque::new));
        add(new SubstituteCodec.OfTimeZone(TIME_ZONE_TAG));
        add(new ImmutableCollectionCodecs.OfList(IMMUTABLE_LIST_TAG), ImmutableCollectionCodecs.listClasses());
        add(new ImmutableCollectionCodecs.OfSet(IMMUTABLE_SET_TAG), ImmutableCollectionCodecs.setClasses());
        add(new ImmutableCollectionCodecs.OfMap(IMMUTABLE_MAP_TAG), ImmutableCollectionCodecs.mapClasses());
        add(new ImmutableCollectionCodecs.OfEmpty(EMPTY_TAG), ImmutableCollectionCodecs.OfEmpty.classes());
        add(new ConcurrentCollectionCodecs.OfConcurrentHashMap(CONCURRENT_HASH_MAP_TAG));
        add(new ConcurrentCollectionCodecs.OfCopyOnWriteArrayList(COPY_ON_WRITE_ARRAY_LIST_TAG));
        add(new EnumCollectionCodecs.OfEnumSet(ENUM_SET_TAG), EnumCollectionCodecs.OfEnumSet.classes());
        add(new EnumCollectionCodecs.OfEnumMap(ENUM_MAP_TAG));
        add(COMPARED_TREE_MAP);
        add(COMPARED_TREE_SET);
        // After their variants: these are the first choice for their classes.
        add(new MapCodecs.OfTreeMap(27));
        add(new CollectionCodecs.OfTreeSet(TREE_SET_TAG));
        add(ComparedCodecs.OfCollection.priorityQueue(PRIORITY_QUEUE_TAG));
        add(new ValueCodecs.OfFunctions<>(
                OptionalInt.class,
                43,
                0,
                (w, v) -> {
                    w.writeByte(v.isPresent() ? 1 : 0);
                    w.writeInt(v.orElse(0));
                },
                r -> {
                    boolean present = r.readByte() != 0;
                    int value = r.readInt();
                    return present ? OptionalInt.of(value) : OptionalInt.empty();
                }));
        add(new ValueCodecs.OfFunctions<>(
                OptionalLong.class,
                44,
                0,
                (w, v) -> {
                    w.writeByte(v.isPresent() ? 1 : 0);
                    w.writeLong(v.orElse(0));
                },
                r -> {
                    boolean present = r.readByte() != 0;
                    long value = r.readLong();
                    return present ? OptionalLong.of(value) : OptionalLong.empty();
                }));
        add(new ValueCodecs.OfFunctions<>(
                OptionalDouble.class,
                45,
                0,
                (w, v) -> {
                    w.writeByte(v.isPresent() ? 1 : 0);
                    w.writeLong(Double.doubleToRawLongBits(v.orElse(0)));
                },
                r -> {
                    boolean present = r.readByte() != 0;
                    double value = Double.longBitsToDouble(r.readLong());
                    return present ? OptionalDouble.of(value) : OptionalDouble.empty();
                }));
    }

    /** A codec for more than one class. */
    private static void add(Codec codec, List<Class<?>> classes) {
        add(codec);
        classes.forEach(type -> BY_CLASS.put(type, codec));
    }

    private static void add(Codec codec) {
        if (BY_TAG[codec.builtInTag] != null) {
            throw new IllegalStateException("tag " + codec.builtInTag + " is given twice");
        }
        BY_TAG[codec.builtInTag] = codec;
        BY_CLASS.put(codec.type, codec);
    }

    /** The codec of a built-in type, or null if the format has no type of that tag. */
    static @Nullable Codec codec(int tag) {
        return tag < 0 || tag >= BY_TAG.length ? null : BY_TAG[tag];
    }

    /** The codec of exactly this class. */
    static @Nullable Codec codecOf(Class<?> type) {
        return BY_CLASS.get(type);
    }
}
