package org.heapspan.vm;

/** The ways to reach raw object memory, best first. */
public enum AccessMeans {
    /**
     * Heapspan's native library exports {@code jdk.internal.misc} to our module through JNI. Needs no flag; JDK 24 and
     * later print one warning when the library is loaded unless {@code --enable-native-access} names our module.
     */
    NATIVE_LIBRARY("native"),

    /**
     * {@code sun.misc.Unsafe} reads the trusted lookup once, which then exports {@code jdk.internal.misc} to our
     * module. JDK 24 and later print one warning; {@code --sun-misc-unsafe-memory-access=deny} closes this door.
     */
    SUN_UNSAFE("unsafe"),

    /** No raw memory: reflection on open packages, {@code ReflectionFactory} and method handles only. */
    REFLECTION("reflection");

    /** Name of the property that forces one means: {@code native}, {@code unsafe} or {@code reflection}. */
    public static final String PROPERTY = "heapspan.access";

    private final String propertyValue;

    AccessMeans(String propertyValue) {
        this.propertyValue = propertyValue;
    }

    /** The value of property {@value #PROPERTY} that forces this means. */
    public String propertyValue() {
        return propertyValue;
    }
}
