package org.heapspan.image.type;

/** The classes of the JDK's own modules. */
public final class JdkClasses {
    private JdkClasses() {}

    /** Whether a class belongs to the JDK's own modules. */
    public static boolean contain(Class<?> type) {
        Module module = type.getModule();
        String name = module.getName();
        return name != null && (name.startsWith("java.") || name.startsWith("jdk."));
    }
}
