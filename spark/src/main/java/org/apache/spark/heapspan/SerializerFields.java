package org.apache.spark.heapspan;

import java.lang.reflect.Field;
import org.apache.spark.serializer.Serializer;

/** Final fields in which Spark keeps serializers. */
final class SerializerFields {
    private SerializerFields() {}

    /**
     * Finds a field that can be written.
     *
     * @throws ReflectiveOperationException if this version of Spark has none of that name and type, or this JVM does not let it be written
     */
    static Field writable(Class<?> owner, String name) throws ReflectiveOperationException {
        Field field = owner.getDeclaredField(name);
        if (field.getType() != Serializer.class) {
            throw new NoSuchFieldException(owner.getName() + "." + name + " is a "
                    + field.getType().getName() + ", expected a " + Serializer.class.getName());
        }
        try {
            field.setAccessible(true);
        } catch (RuntimeException e) { // InaccessibleObjectException, and whatever a security manager throws
            throw new IllegalAccessException(owner.getName() + "." + name + " cannot be reached: " + e.getMessage());
        }
        return field;
    }
}
