package org.heapspan.vm;

import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Writes through {@link RawMemory}, reads through Java, and the other way round. */
final class RawMemoryRoundTrip {
    private RawMemoryRoundTrip() {}

    static class Fields {
        boolean aBoolean = true;
        byte aByte = -1;
        short aShort = -2;
        char aChar = 'x';
        int anInt = -3;
        long aLong = -4L;
        float aFloat = 5.5f;
        double aDouble = 6.5;
        String aReference = "seven";
    }

    static final class MoreFields extends Fields {
        final int aFinal;
        byte oneMore = 9;

        MoreFields(int aFinal) {
            this.aFinal = aFinal;
        }
    }

    record Point(int x, long y, String name) {}

    static final class Statics {
        static int number = 1;
        static String text = "one";
    }

    abstract static class Unborn {}

    static final class NeverConstructed {
        int value = 7;

        NeverConstructed() {
            throw new IllegalStateException("constructor ran");
        }
    }

    static void check(RawMemory memory) throws Exception {
        instanceFields(memory, new Fields());
        instanceFields(memory, new MoreFields(8));
        instanceFields(memory, new Point(1, 2, "three"));
        hiddenClass(memory);
        finalAndRecordFields(memory);
        statics(memory);
        arrays(memory);
        instances(memory);
        nativeMemory(memory);
    }

    /** Reads every field raw and compares with reflection; copies it into an empty instance and compares again. */
    private static void instanceFields(RawMemory memory, Object object) throws Exception {
        Object copy = memory.allocateInstance(object.getClass());
        List<Long> offsets = new ArrayList<>();
        for (Class<?> c = object.getClass(); c != Object.class && c != Record.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) {
                    continue;
                }
                field.setAccessible(true);
                long offset = memory.objectFieldOffset(field);
                expect(!offsets.contains(offset), "distinct offset of " + field);
                offsets.add(offset);
                expect(
                        field.get(object).equals(read(memory, object, offset, field.getType())),
                        "value of " + field + ", got " + read(memory, object, offset, field.getType()));
                write(memory, copy, offset, field.getType(), field.get(object));
                expect(field.get(object).equals(field.get(copy)), "copied value of " + field);
            }
        }
    }

    private static void hiddenClass(RawMemory memory) throws Exception {
        byte[] classFile;
        try (InputStream in = Fields.class.getResourceAsStream("RawMemoryRoundTrip$Fields.class")) {
            classFile = in.readAllBytes();
        }
        Class<?> hidden =
                MethodHandles.lookup().defineHiddenClass(classFile, true).lookupClass();
        expect(hidden.isHidden(), "a hidden class");
        Object object = memory.allocateInstance(hidden);
        Field field = hidden.getDeclaredField("aLong");
        long offset = memory.objectFieldOffset(field);
        memory.putLong(object, offset, 77L);
        field.setAccessible(true);
        expect(field.getLong(object) == 77L, "field of a hidden class");
    }

    private static void finalAndRecordFields(RawMemory memory) throws Exception {
        Point point = (Point) memory.allocateInstance(Point.class);
        memory.putInt(point, memory.objectFieldOffset(Point.class.getDeclaredField("x")), 10);
        memory.putLong(point, memory.objectFieldOffset(Point.class.getDeclaredField("y")), 20L);
        memory.putReference(point, memory.objectFieldOffset(Point.class.getDeclaredField("name")), "thirty");
        expect(point.equals(new Point(10, 20, "thirty")), "a record built raw, got " + point);
    }

    private static void statics(RawMemory memory) throws Exception {
        memory.ensureClassInitialized(Statics.class);
        Field number = Statics.class.getDeclaredField("number");
        memory.putInt(memory.staticFieldBase(number), memory.staticFieldOffset(number), 11);
        Field text = Statics.class.getDeclaredField("text");
        memory.putReference(memory.staticFieldBase(text), memory.staticFieldOffset(text), "eleven");
        expect(Statics.number == 11 && Statics.text.equals("eleven"), "static fields");
    }

    private static void arrays(RawMemory memory) {
        Map<Class<?>, Object> values = Map.of(
                boolean.class,
                true,
                byte.class,
                (byte) 1,
                short.class,
                (short) 2,
                char.class,
                'c',
                int.class,
                4,
                long.class,
                5L,
                float.class,
                6f,
                double.class,
                7d);
        values.forEach((component, value) -> {
            Object array = Array.newInstance(component, 5);
            long base = memory.arrayBaseOffset(array.getClass());
            int scale = memory.arrayIndexScale(array.getClass());
            write(memory, array, base + 4L * scale, component, value);
            expect(Array.get(array, 4).equals(value), "last element of " + component + "[]");
            expect(read(memory, array, base + 4L * scale, component).equals(value), component + "[] read back");
            Object copy = memory.allocateUninitializedArray(component, 5);
            expect(copy.getClass() == array.getClass() && Array.getLength(copy) == 5, "array of " + component);
            memory.copyMemory(array, base, copy, base, 5L * scale);
            expect(Array.get(copy, 4).equals(value), "copied element of " + component + "[]");
        });
        String[] strings = {"a", "b", "c"};
        long base = memory.arrayBaseOffset(String[].class);
        int scale = memory.arrayIndexScale(String[].class);
        expect("b".equals(memory.getReference(strings, base + scale)), "reference element");
        memory.putReference(strings, base + 2L * scale, "z");
        expect(Arrays.equals(strings, new String[] {"a", "b", "z"}), "reference element written");
        expect(memory.arrayBaseOffset(int[][].class) == base, "arrays of arrays are arrays of references");
    }

    private static void instances(RawMemory memory) throws Exception {
        NeverConstructed object = (NeverConstructed) memory.allocateInstance(NeverConstructed.class);
        expect(object.value == 0, "an instance without constructor");
        try {
            memory.allocateInstance(Unborn.class);
            throw new AssertionError("abstract class instantiated");
        } catch (InstantiationException expected) {
            // as documented
        }
        try {
            memory.arrayBaseOffset(String.class);
            throw new AssertionError("String has no elements");
        } catch (IllegalArgumentException expected) {
            // as documented
        }
        try {
            memory.copyMemory(new Object[1], 16, new Object[1], 16, 4);
            throw new AssertionError("references copied without barriers");
        } catch (RuntimeException expected) {
            // as documented
        }
    }

    private static void nativeMemory(RawMemory memory) {
        long address = memory.allocateMemory(64);
        memory.setMemory(null, address, 64, (byte) 0x5a);
        expect(memory.getLong(null, address + 56) == 0x5a5a5a5a5a5a5a5aL, "memory set");
        memory.putLongUnaligned(null, address + 3, 0x0102030405060708L);
        expect(memory.getLongUnaligned(null, address + 3) == 0x0102030405060708L, "unaligned long");
        byte[] bytes = new byte[8];
        memory.copyMemory(null, address + 3, bytes, memory.arrayBaseOffset(byte[].class), 8);
        expect(bytes[0] == 8 && bytes[7] == 1, "native memory copied to an array");
        memory.freeMemory(address);
    }

    private static Object read(RawMemory memory, Object base, long offset, Class<?> type) {
        if (type == boolean.class) {
            return memory.getBoolean(base, offset);
        } else if (type == byte.class) {
            return memory.getByte(base, offset);
        } else if (type == short.class) {
            return memory.getShort(base, offset);
        } else if (type == char.class) {
            return memory.getChar(base, offset);
        } else if (type == int.class) {
            return memory.getInt(base, offset);
        } else if (type == long.class) {
            return memory.getLong(base, offset);
        } else if (type == float.class) {
            return memory.getFloat(base, offset);
        } else if (type == double.class) {
            return memory.getDouble(base, offset);
        }
        return memory.getReference(base, offset);
    }

    private static void write(RawMemory memory, Object base, long offset, Class<?> type, Object value) {
        if (type == boolean.class) {
            memory.putBoolean(base, offset, (Boolean) value);
        } else if (type == byte.class) {
            memory.putByte(base, offset, (Byte) value);
        } else if (type == short.class) {
            memory.putShort(base, offset, (Short) value);
        } else if (type == char.class) {
            memory.putChar(base, offset, (Character) value);
        } else if (type == int.class) {
            memory.putInt(base, offset, (Integer) value);
        } else if (type == long.class) {
            memory.putLong(base, offset, (Long) value);
        } else if (type == float.class) {
            memory.putFloat(base, offset, (Float) value);
        } else if (type == double.class) {
            memory.putDouble(base, offset, (Double) value);
        } else {
            memory.putReference(base, offset, value);
        }
    }

    private static void expect(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError("expected " + what);
        }
    }
}
