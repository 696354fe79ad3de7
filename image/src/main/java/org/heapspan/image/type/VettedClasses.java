package org.heapspan.image.type;

import java.util.Set;

/**
 * Classes of the JDK that untrusted input may hold: plain data, collections and exceptions. Classes that load code, open
 * connections, hold addresses or run scripts when they are read or used are not among them.
 */
public final class VettedClasses {
    private VettedClasses() {}

    private static final Set<String> PACKAGES = Set.of(
            "java.math",
            "java.time",
            "java.time.chrono",
            "java.time.temporal",
            "java.time.zone",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "java.util.concurrent.locks",
            "java.text",
            "java.util.regex",
            "java.util.function");

    private static final Set<String> CLASSES = Set.of(
            "java.lang.Object",
            "java.lang.String",
            "java.lang.Boolean",
            "java.lang.Byte",
            "java.lang.Short",
            "java.lang.Character",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Float",
            "java.lang.Double",
            "java.lang.Number",
            "java.lang.Enum",
            "java.lang.Record",
            "java.lang.StringBuilder",
            "java.lang.StringBuffer",
            "java.lang.StackTraceElement",
            "java.lang.Class",
            "java.lang.String$CaseInsensitiveComparator",
            "java.lang.invoke.SerializedLambda",
            "java.io.File",
            "java.net.URI",
            "java.net.URL",
            "java.net.InetAddress",
            "java.net.Inet4Address",
            "java.net.Inet6Address",
            "java.net.InetSocketAddress",
            "java.sql.Date",
            "java.sql.Time",
            "java.sql.Timestamp",
            "sun.util.calendar.ZoneInfo",
            "java.util.concurrent.TimeUnit",
            "java.nio.charset.Charset",
            "java.nio.file.Path",
            "java.nio.ByteBuffer",
            "java.net.Proxy$Type");

    public static boolean contains(String className) {
        if (CLASSES.contains(className)) {
            return true;
        }
        int dot = className.lastIndexOf('.');
        String packageName = dot < 0 ? "" : className.substring(0, dot);
        return PACKAGES.contains(packageName)
                || (packageName.startsWith("java.")
                        && (className.endsWith("Exception") || className.endsWith("Error")));
    }
}
