package org.heapspan.tests.random;

import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A random graph over generated classes: every reference goes to some object of the graph that fits, so sharing and cycles
 * are the rule.
 */
@SuppressWarnings({"EnumOrdinal", "JdkObsolete"})
final class RandomGraph {

    private final SplittableRandom random;
    private final List<Numbered> objects = new ArrayList<>();
    private final List<String> strings = new ArrayList<>();
    private final List<Object> containers = new ArrayList<>();

    RandomGraph(long seed) {
        random = new SplittableRandom(seed);
    }

    Object make(List<Class<? extends Numbered>> classes, int objectCount) throws ReflectiveOperationException {
        for (int i = 0; i < 1 + objectCount / 4; i++) {
            strings.add(randomString());
        }
        for (int i = 0; i < objectCount; i++) {
            Numbered object = (Numbered) classes.get(random.nextInt(classes.size()))
                    .getMethod("make")
                    .invoke(null);
            object.number = i;
            objects.add(object);
        }
        for (int i = 0; i < 1 + objectCount / 10; i++) {
            containers.add(emptyContainer());
        }
        for (Object each : containers) {
            fill(each);
        }
        for (Numbered each : objects) {
            for (Class<?> type = each.getClass(); type != Numbered.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        field.set(each, valueFor(field.getType(), 0));
                    }
                }
            }
        }
        Object[] root = new Object[1 + random.nextInt(8)];
        for (int i = 0; i < root.length; i++) {
            root[i] = valueFor(Object.class, 0);
        }
        root[0] = random.nextInt(10) == 0 ? root : objects.get(random.nextInt(objects.size()));
        return root;
    }

    private Object emptyContainer() {
        return switch (random.nextInt(10)) {
            case 0 -> new HashMap<>();
            case 1 -> new LinkedHashMap<>();
            case 2 -> new TreeMap<>();
            case 3 -> new HashSet<>();
            case 4 -> new LinkedHashSet<>();
            case 5 -> new LinkedList<>();
            case 6 -> new ArrayDeque<>();
            case 7 -> new IdentityHashMap<>();
            default -> new ArrayList<>();
        };
    }

    @SuppressWarnings("unchecked")
    private void fill(Object container) {
        int size = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(20);
        for (int i = 0; i < size; i++) {
            if (container instanceof TreeMap) {
                ((Map<Object, Object>) container).put("t" + random.nextInt(100), valueFor(Object.class, 1));
            } else if (container instanceof IdentityHashMap) {
                ((Map<Object, Object>) container).put(anObject(Numbered.class), valueFor(Object.class, 1));
            } else if (container instanceof Map) {
                ((Map<Object, Object>) container).put(key(), valueFor(Object.class, 1));
            } else if (container instanceof Set) {
                ((Set<Object>) container).add(key());
            } else if (container instanceof ArrayDeque) {
                ((ArrayDeque<Object>) container).add(anObject(Numbered.class));
            } else {
                ((List<Object>) container).add(valueFor(Object.class, 1));
            }
        }
    }

    /** Something that can be told apart without its place in the table: found by value, by identity or by enum. */
    private Object key() {
        return switch (random.nextInt(6)) {
            case 0 -> "k" + random.nextInt(1000);
            case 1 -> random.nextInt(1000);
            case 2 -> new UUID(random.nextInt(100), 7);
            case 3 -> Numbered.Kind.values()[random.nextInt(3)];
            default -> objects.get(random.nextInt(objects.size()));
        };
    }

    private String randomString() {
        int length = random.nextInt(5) == 0 ? random.nextInt(300) : random.nextInt(12);
        boolean wide = random.nextInt(4) == 0;
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) (wide ? random.nextInt(0x10000) : 32 + random.nextInt(200)));
        }
        return text.toString();
    }

    private Object anObject(Class<?> type) {
        int start = random.nextInt(objects.size());
        for (int i = 0; i < Math.min(objects.size(), 60); i++) {
            Numbered candidate = objects.get((start + i) % objects.size());
            if (type.isInstance(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    private Object aContainer(Class<?> type) {
        int start = random.nextInt(containers.size());
        for (int i = 0; i < containers.size(); i++) {
            Object candidate = containers.get((start + i) % containers.size());
            if (type.isInstance(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    private Object valueFor(Class<?> type, int depth) {
        if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == byte.class) {
            return (byte) random.nextInt();
        } else if (type == short.class) {
            return (short) random.nextInt();
        } else if (type == char.class) {
            return (char) random.nextInt();
        } else if (type == int.class || type == Integer.class) {
            return random.nextBoolean() ? random.nextInt(300) - 150 : random.nextInt();
        } else if (type == float.class) {
            return (float) random.nextDouble();
        } else if (type == long.class || type == Long.class) {
            return random.nextBoolean() ? random.nextLong(300) - 150 : random.nextLong();
        } else if (type == double.class) {
            return random.nextDouble();
        } else if (random.nextInt(8) == 0) {
            return null;
        } else if (type == String.class) {
            return strings.get(random.nextInt(strings.size()));
        } else if (type == Number.class) {
            return random.nextBoolean() ? (Object) random.nextDouble() : BigInteger.valueOf(random.nextLong());
        } else if (type == Numbered.Kind.class) {
            return Numbered.Kind.values()[random.nextInt(3)];
        } else if (type.isArray()) {
            return array(type, depth);
        } else if (List.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type) || type == Set.class) {
            return aContainer(type);
        } else if (Numbered.class.isAssignableFrom(type)) {
            return anObject(type);
        } else if (type == Comparable.class) {
            return random.nextBoolean() ? strings.get(random.nextInt(strings.size())) : (Object) random.nextInt(50);
        }
        return anything(type == Serializable.class, depth);
    }

    private Object anything(boolean serializable, int depth) {
        return switch (random.nextInt(12)) {
            case 0 -> strings.get(random.nextInt(strings.size()));
            case 1 -> random.nextInt(400);
            case 2 -> LocalDate.ofEpochDay(random.nextInt(100_000));
            case 3 -> Numbered.Kind.values()[random.nextInt(3)];
            case 4 -> serializable ? random.nextDouble() : aContainer(Object.class);
            case 5 -> depth > 2 ? null : array(Object[].class, depth);
            case 6 -> depth > 2 ? null : array(byte[].class, depth);
            default -> objects.get(random.nextInt(objects.size()));
        };
    }

    private Object array(Class<?> type, int depth) {
        if (depth > 3) {
            return null;
        }
        int length = random.nextInt(6) == 0 ? random.nextInt(100) : random.nextInt(6);
        Class<?> component = type.getComponentType();
        Object array = Array.newInstance(component, length);
        if (array instanceof byte[] bytes) {
            Arrays.fill(bytes, (byte) length);
            return array;
        }
        for (int i = 0; i < length; i++) {
            Object value = valueFor(component, depth + 1);
            if (value != null) {
                Array.set(array, i, value);
            }
        }
        return array;
    }
}
