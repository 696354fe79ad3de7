package org.heapspan.tests.conformance;

import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.locks.StampedLock;

/**
 * What an object answers to its public methods without parameters: two objects that were made alike answer alike. Methods that change
 * the object are called too, for each object in the same order.
 */
final class Likeness {

    private Likeness() {}

    /** Methods that wait, that depend on where or when an object was made, or that say which object it is. */
    private static final Set<String> UNASKED = Set.of(
            "hashCode",
            "capacity",
            "getClass",
            "clone",
            "take",
            "read",
            "readLine",
            "readAllBytes",
            "readAllLines",
            "readAllAsString",
            "takeFirst",
            "takeLast",
            "join",
            "await",
            "arriveAndAwaitAdvance",
            "getStackTrace",
            "fillInStackTrace",
            "getNextEntry",
            "generateSeed",
            "getSeed",
            "start",
            "waitFor",
            "inheritIO",
            "lastModified",
            "getFreeSpace",
            "getUsableSpace",
            "getTotalSpace",
            "createNewFile",
            "mkdir",
            "mkdirs",
            "delete",
            "freeMemory",
            "maxMemory",
            "totalMemory",
            "availableProcessors",
            "getContent",
            "openConnection",
            "openStream",
            "getHostName",
            "getCanonicalHostName",
            "randomUUID",
            "millis",
            "instant");

    /** Answers by method; only what can be compared. */
    static Map<String, String> answers(Object object) {
        Map<String, String> answers = new TreeMap<>();
        Method[] methods = object.getClass().getMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName).thenComparing(Method::toString));
        for (Method method : methods) {
            Method callable = callable(method, object.getClass());
            if (callable != null) {
                answers.put(method.getName(), answer(callable, object));
            }
        }
        return answers;
    }

    /** The method where a public, exported class or interface declares it; null if it is not to be asked. */
    private static Method callable(Method method, Class<?> type) {
        boolean asked = method.getParameterCount() == 0
                && method.getReturnType() != void.class
                && !Modifier.isStatic(method.getModifiers())
                && !UNASKED.contains(method.getName())
                && !(method.getName().equals("get") && Future.class.isAssignableFrom(type))
                && type != ReferenceQueue.class
                && type != StampedLock.class
                && type != SecureRandom.class;
        if (!asked) {
            return null;
        }
        return declared(method, type);
    }

    private static Method declared(Method method, Class<?> type) {
        if (type == null) {
            return null;
        }
        boolean exported = Modifier.isPublic(type.getModifiers())
                && type.getModule().isExported(type.getPackageName(), Likeness.class.getModule());
        if (exported) {
            try {
                return type.getMethod(method.getName());
            } catch (NoSuchMethodException inheritedElsewhere) {
                // The next one may have it.
            }
        }
        for (Class<?> each : type.getInterfaces()) {
            Method found = declared(method, each);
            if (found != null) {
                return found;
            }
        }
        return declared(method, type.getSuperclass());
    }

    private static String answer(Method method, Object object) {
        try {
            return shown(method.invoke(object), 0);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof VirtualMachineError error) {
                throw error;
            }
            return "throws " + thrown.getClass().getName();
        } catch (IllegalAccessException | IllegalArgumentException e) {
            return "not asked";
        }
    }

    private static String shown(Object value, int depth) {
        if (value == null) {
            return "null";
        }
        if (value.getClass().isArray()) {
            StringBuilder text = new StringBuilder(value.getClass().getName());
            for (int i = 0; i < Math.min(100, Array.getLength(value)); i++) {
                text.append(' ').append(shown(Array.get(value, i), depth + 1));
            }
            return text.toString();
        }
        boolean plain = value instanceof CharSequence
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Enum<?>
                || value instanceof Class<?>
                || value instanceof Collection<?>
                || value instanceof Map<?, ?>
                || value instanceof Optional<?>
                || value.getClass().getName().startsWith("java.time.")
                || value.getClass().getName().startsWith("scala.");
        // Texts of objects without one of their own name their identity hash codes.
        // Each JVM numbers the classes of lambdas.
        String className = value.getClass().getName().replaceAll("\\$\\$Lambda.*", "\\$\\$Lambda");
        return className + (plain ? " " + withoutHashCodes(String.valueOf(value)) : "");
    }

    private static String withoutHashCodes(String text) {
        return text.replaceAll("@[0-9a-f]+", "@");
    }

    /** Fails unless an object that was received is like one that was made here. */
    static void check(Object expected, Object received) throws ReflectiveOperationException {
        Check.isExactly(expected.getClass(), received);
        boolean comparable =
                expected.getClass().getMethod("equals", Object.class).getDeclaringClass() != Object.class;
        if (comparable && !isEqualOnlyToItself(expected) && !expected.equals(received)) {
            throw new AssertionError("not equal to one that was made here");
        }
        Map<String, String> ours = answers(expected);
        Map<String, String> theirs = answers(received);
        ours.forEach((method, answer) -> {
            if (!answer.equals(theirs.get(method))) {
                throw new AssertionError(
                        method + "() gives " + shortened(theirs.get(method)) + ", expected " + shortened(answer));
            }
        });
    }

    /** Whether two objects that were made alike differ anyway, so that equality says nothing. */
    private static boolean isEqualOnlyToItself(Object object) {
        return object instanceof java.util.IdentityHashMap<?, ?>;
    }

    private static String shortened(String text) {
        return text == null || text.length() <= 160 ? text : text.substring(0, 160) + "…";
    }
}
