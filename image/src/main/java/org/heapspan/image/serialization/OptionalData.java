package org.heapspan.image.serialization;

import java.io.IOException;
import java.io.OptionalDataException;
import java.io.StreamCorruptedException;
import java.lang.reflect.Constructor;
import org.heapspan.image.type.SerializationMethods;

/** Makes the exception of an object stream that has no object where one is asked for: its constructors are not public. */
final class OptionalData {
    private static final Constructor<?> CONSTRUCTOR;

    static {
        Constructor<?> constructor = SerializationMethods.constructorFor(OptionalDataException.class, Object.class);
        if (constructor == null) {
            throw new IllegalStateException("no means to make an OptionalDataException");
        }
        CONSTRUCTOR = constructor;
    }

    private OptionalData() {}

    /**
     * The exception.
     *
     * @param length how many bytes of primitive data come first; 0 at the end
     */
    static IOException exception(int length) {
        try {
            OptionalDataException exception = (OptionalDataException) CONSTRUCTOR.newInstance();
            exception.length = length;
            exception.eof = length == 0;
            return exception;
        } catch (ReflectiveOperationException e) {
            return new StreamCorruptedException(
                    length == 0 ? "no object is left" : length + " bytes of primitive data come first");
        }
    }
}
