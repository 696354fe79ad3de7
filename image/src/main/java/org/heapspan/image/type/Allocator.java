package org.heapspan.image.type;

import java.lang.reflect.Constructor;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.memory.Access;

/** Makes objects whose fields are still to be filled. */
public interface Allocator {
    public Object allocate(Class<?> type);

    /** No constructor runs at all. */
    static Allocator withoutConstructor(Class<?> type) {
        if (Access.RAW != null) {
            return Access::allocate;
        }
        return byConstructorOf(type, Object.class);
    }

    /** The constructor of the first superclass that is not Serializable runs, as Java serialization has it. */
    static Allocator asSerialization(Class<?> type) {
        Class<?> first = type;
        while (first != null && java.io.Serializable.class.isAssignableFrom(first)) {
            first = first.getSuperclass();
        }
        if (first == null || first == Object.class) {
            return withoutConstructor(type);
        }
        return byConstructorOf(type, first);
    }

    private static Allocator byConstructorOf(Class<?> type, Class<?> first) {
        Constructor<?> constructor = SerializationMethods.constructorFor(type, first);
        if (constructor == null) {
            throw new HeapspanException(
                    Category.ACCESS,
                    type.getName() + " cannot be instantiated: its superclass " + first.getName()
                            + " is not Serializable and has no accessible constructor without parameters; give it one, or make it"
                            + " Serializable");
        }
        return ignored -> {
            try {
                return constructor.newInstance();
            } catch (ReflectiveOperationException e) {
                throw new HeapspanException(
                        Category.HOOK,
                        "the constructor of " + first.getName() + " failed while making a " + type.getName(),
                        e);
            }
        };
    }
}
