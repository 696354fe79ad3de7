package org.heapspan.tests.conformance;

import java.util.LinkedHashMap;
import java.util.Map;

/** Why Heapspan does not carry what another serializer carries, by patterns of names. */
final class ReasonsToRefuse {

    private ReasonsToRefuse() {}

    private static final Map<String, String> REASONS = reasons();

    private static Map<String, String> reasons() {
        Map<String, String> reasons = new LinkedHashMap<>();
        reasons.put("java\\.io\\.FileDescriptor", "names an open file of its process");
        reasons.put("java\\.io\\.ObjectStreamField", "belongs to a class and holds its reflection");
        reasons.put(
                "java\\.io\\..*",
                "streams, readers and writers are refused with their subclasses: most are open in their JVM only");
        reasons.put("java\\.lang\\.(InheritableThreadLocal|ScopedValue|ThreadLocal)", "its values belong to threads");
        reasons.put(
                "java\\.lang\\.(ProcessBuilder|Runtime|SecurityManager|StackWalker)",
                "stands for its process, not for a value");
        reasons.put("java\\.net\\.DatagramPacket", "a part of a socket's work");
        reasons.put(
                "java\\.nio\\.(ByteOrder|charset\\.CoderResult)",
                "programs compare it by identity, which a copy of its fields does not keep");
        reasons.put("java\\.nio\\..*Buffer\\.wrap.*", "holds an offset that depends on the layout of the heap");
        reasons.put("java\\.util\\.(Formatter|Scanner)", "stands at a place of a source or destination");
        reasons.put("java\\.util\\.InvalidPropertiesFormatException", "its own `writeObject` refuses");
        reasons.put("java\\.util\\.PropertyResourceBundle", "is cached by loader and locale");
        reasons.put(".*WeakHashMap", "a collection may empty it at any time");
        reasons.put("java\\.util\\.concurrent\\..*", "threads wait for it");
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
