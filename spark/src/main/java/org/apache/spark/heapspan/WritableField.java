package org.apache.spark.heapspan;

import java.lang.reflect.Field;

/** Fields of Spark in which something of ours takes the place of what Spark has put there. */
final class WritableField {
    private WritableField() {}

    /**
     * Finds a field that can be written.
     *
     * @throws ReflectiveOperationException if this version of Spark has none of that name and type, or this JVM does not let it be written
     */
    static Field of(Class<?> owner, String name, Class<?> type) throws ReflectiveOperationException {
        Field field = owner.getDeclaredField(name);
        if (field.getType() != type) {
            throw new NoSuchFieldException(owner.getName() + "." + name + " is a "
                    + field.getType().getName() + ", expected a " + type.getName());
        }
        try {
            field.setAccessible(true);
        } catch (RuntimeException e) { // InaccessibleObjectException, and whatever a security manager throws
            throw new IllegalAccessException(owner.getName() + "." + name + " cannot be reached: " + e.getMessage());
        }
        return field;
    }
}
