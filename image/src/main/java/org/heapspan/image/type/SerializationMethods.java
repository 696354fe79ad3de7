package org.heapspan.image.type;

import java.io.Externalizable;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.heapspan.image.memory.Access;
import org.jspecify.annotations.Nullable;

/**
 * The private methods with which classes take part in Java serialization, found through {@code sun.reflect.ReflectionFactory}
 * (module jdk.unsupported), which gives them out for any Serializable class, those of the JDK included, without opening a
 * package.
 */
public final class SerializationMethods {
    private SerializationMethods() {}

    private static final @Nullable Object FACTORY;
    private static final Class<?> FACTORY_CLASS;
    private static final boolean DEFAULT_METHODS;

    static {
        Object factory = null;
        Class<?> factoryClass = Object.class;
        try {
            factoryClass = Class.forName("sun.reflect.ReflectionFactory");
            factory = factoryClass.getMethod("getReflectionFactory").invoke(null);
        } catch (ReflectiveOperationException noSuchModule) {
            // A run-time image without jdk.unsupported: only classes without hooks can be copied.
        }
        FACTORY = factory;
        FACTORY_CLASS = factoryClass;
        DEFAULT_METHODS = declares(factoryClass, "defaultReadObjectForSerialization");
    }

    private static boolean declares(Class<?> type, String name) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Object ask(String method, Class<?>[] parameterTypes, Object... arguments) {
        if (FACTORY == null) {
            return null;
        }
        try {
            return FACTORY_CLASS.getMethod(method, parameterTypes).invoke(FACTORY, arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            throw Access.sneaky(cause == null ? e : cause);
        } catch (ReflectiveOperationException e) {
            throw Access.sneaky(e);
        }
    }

    private static @Nullable MethodHandle method(String factoryMethod, Class<?> type) {
        if (!Serializable.class.isAssignableFrom(type)) {
            return null;
        }
        return (MethodHandle) ask(factoryMethod, new Class<?>[] {Class.class}, type);
    }

    /** {@code (object, ObjectOutputStream) -> void}, or null if the class declares none. */
    public static @Nullable MethodHandle writeObject(Class<?> type) {
        return method("writeObjectForSerialization", type);
    }

    /** {@code (object, ObjectInputStream) -> void}. */
    public static @Nullable MethodHandle readObject(Class<?> type) {
        return method("readObjectForSerialization", type);
    }

    /** Whether this JDK gives out what {@link #defaultWriteObject} and {@link #defaultReadObject} ask for. */
    public static boolean hasDefaultMethods() {
        return DEFAULT_METHODS;
    }

    /** {@code (object, ObjectOutputStream) -> void}: puts the class's fields; null where the JDK (before 24) gives out none. */
    public static @Nullable MethodHandle defaultWriteObject(Class<?> type) {
        return DEFAULT_METHODS ? method("defaultWriteObjectForSerialization", type) : null;
    }

    /** {@code (object, ObjectInputStream) -> void}: gets and sets the class's fields. */
    public static @Nullable MethodHandle defaultReadObject(Class<?> type) {
        return DEFAULT_METHODS ? method("defaultReadObjectForSerialization", type) : null;
    }

    /** {@code (object) -> void}. */
    public static @Nullable MethodHandle readObjectNoData(Class<?> type) {
        // JDK 17's factory looks for a method with a parameter, which readObjectNoData has not.
        try {
            Method method = type.getDeclaredMethod("readObjectNoData");
            if (!Serializable.class.isAssignableFrom(type) || method.getReturnType() != void.class) {
                return null;
            }
            MethodHandles.Lookup trusted = Access.MACHINE.trustedLookup();
            if (trusted != null) {
                return trusted.unreflect(method);
            }
            method.setAccessible(true);
            return MethodHandles.lookup().unreflect(method);
        } catch (NoSuchMethodException none) {
            return null;
        } catch (IllegalAccessException | InaccessibleObjectException outOfReach) {
            return method("readObjectNoDataForSerialization", type);
        }
    }

    /** {@code (object) -> Object}; inherited ones count, as far as they are accessible from the class. */
    public static @Nullable MethodHandle writeReplace(Class<?> type) {
        return method("writeReplaceForSerialization", type);
    }

    /** {@code (object) -> Object}. */
    public static @Nullable MethodHandle readResolve(Class<?> type) {
        return method("readResolveForSerialization", type);
    }

    /** A constructor that makes a {@code type} by running only the no-argument constructor of one of its superclasses. */
    public static @Nullable Constructor<?> constructorFor(Class<?> type, Class<?> superclass) {
        try {
            return (Constructor<?>) ask(
                    "newConstructorForSerialization",
                    new Class<?>[] {Class.class, Constructor.class},
                    type,
                    superclass.getDeclaredConstructor());
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /** The public no-argument constructor of an Externalizable class. */
    public static @Nullable Constructor<?> externalConstructor(Class<?> type) {
        if (!Externalizable.class.isAssignableFrom(type)) {
            return null;
        }
        return (Constructor<?>) ask("newConstructorForExternalization", new Class<?>[] {Class.class}, type);
    }

    /** Whether {@code writeExternal} and {@code readExternal} of a class are called; not those of a record, as in Java serialization. */
    public static boolean isExternal(Class<?> type) {
        return Externalizable.class.isAssignableFrom(type) && !type.isRecord();
    }

    /** Whether the class or one of its superclasses takes part in serialization by code of its own. */
    public static boolean hasHooks(Class<?> type) {
        if (!Serializable.class.isAssignableFrom(type)) {
            return false;
        }
        if (isExternal(type) || readResolve(type) != null) {
            return true;
        }
        for (Class<?> c = type; c != null && Serializable.class.isAssignableFrom(c); c = c.getSuperclass()) {
            if (!type.isRecord() && (writeObject(c) != null || readObject(c) != null || readObjectNoData(c) != null)) {
                return true;
            }
            if (hasPersistentFields(c)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasPersistentFields(Class<?> type) {
        try {
            var field = type.getDeclaredField("serialPersistentFields");
            int wanted = java.lang.reflect.Modifier.PRIVATE
                    | java.lang.reflect.Modifier.STATIC
                    | java.lang.reflect.Modifier.FINAL;
            return (field.getModifiers() & wanted) == wanted;
        } catch (NoSuchFieldException e) {
            return false;
        }
    }
}
