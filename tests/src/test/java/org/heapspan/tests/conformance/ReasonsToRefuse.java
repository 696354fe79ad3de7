package org.heapspan.tests.conformance;

import java.util.LinkedHashMap;
import java.util.Map;

/** Why an object does not arrive by Heapspan, by patterns of names. */
final class ReasonsToRefuse {

    private ReasonsToRefuse() {}

    private static final Map<String, String> REASONS = reasons();

    private static Map<String, String> reasons() {
        Map<String, String> reasons = new LinkedHashMap<>();
        reasons.put("java\\.io\\.FileDescriptor", "names an open file of its process");
        reasons.put("java\\.io\\.ObjectStreamField", "describes a field of a loaded class");
        reasons.put(
                "java\\.io\\..*",
                "streams, readers and writers are refused with their subclasses: most of them use a resource of one JVM");
        reasons.put("java\\.lang\\.Module", "belongs to a class loader of its process");
        reasons.put(
                "java\\.lang\\.annotation\\.AnnotationTypeMismatchException",
                "its field `element` is transient, so Java serialization loses it too");
        reasons.put("java\\.lang\\.reflect\\.(Constructor|Field|Method)", "describes a member of a loaded class");
        reasons.put("java\\.lang\\.(InheritableThreadLocal|ScopedValue|ThreadLocal)", "its values belong to threads");
        reasons.put(
                "java\\.lang\\.(ProcessBuilder|Runtime|SecurityManager|StackWalker)",
                "stands for its process, not for a value");
        reasons.put("java\\.net\\.DatagramPacket", "belongs to a socket");
        reasons.put(
                "java\\.(lang\\.Character\\$UnicodeBlock|nio\\.ByteOrder|nio\\.charset\\.CoderResult)",
                "programs compare it by identity, which a copy of its fields does not keep");
        reasons.put("java\\.nio\\..*Buffer\\.wrap.*", "holds an offset that depends on the layout of the heap");
        reasons.put("java\\.util\\.(Formatter|Scanner)", "has a position in a source or destination of its process");
        reasons.put("java\\.util\\.Collections.enumeration.*", "its class in the JDK is not Serializable");
        reasons.put("java\\.util\\.InvalidPropertiesFormatException", "its own `writeObject` throws an exception");
        reasons.put("java\\.util\\.PropertyResourceBundle", "the JDK caches it by class loader and locale");
        reasons.put(".*WeakHashMap", "a garbage collection may remove its entries at any time");
        reasons.put("java\\.util\\.concurrent\\..*", "threads of its JVM wait for it");
        reasons.put(
                "java\\.util\\.regex\\.Matcher", "holds the nodes of its pattern, whose classes are those of one JDK");
        reasons.put("scala\\.collection\\.mutable\\.ArrayBufferView", "holds a function that is not Serializable");
        return reasons;
    }

    /** A clause; null if there is no reason. */
    static String of(String name) {
        for (Map.Entry<String, String> each : REASONS.entrySet()) {
            if (name.matches(each.getKey())) {
                return each.getValue();
            }
        }
        return null;
    }
}
