package org.heapspan.tests.conformance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** A call of a method that is known by name only, which throws what the method throws. */
final class Call {

    private Call() {}

    static Object of(Method method, Object target, Object... arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (Exception) e.getCause();
        }
    }
}
