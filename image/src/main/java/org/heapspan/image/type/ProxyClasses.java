package org.heapspan.image.type;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * The classes of proxies as images name them, and those that untrusted images had made. A class lives as long as its loader, and any choice and order of interfaces has a
 * class of its own, so that images could fill the memory for classes.
 */
public final class ProxyClasses {
    private ProxyClasses() {}

    /** Far more than programs have, and some megabytes. */
    public static final int MOST_OF_LOADER = 1000;

    /** In front of the name of each interface; no name of a class has it. */
    private static final String MARK = ";";

    /** The interfaces of the classes, by loader. Guarded by itself. */
    private static final Map<ClassLoader, Set<List<String>>> BY_LOADER = new WeakHashMap<>();

    /** The text for a class: its name, or the names of the interfaces of a proxy, because each JVM numbers the classes of proxies. */
    public static String text(Class<?> type) {
        if (!Proxy.isProxyClass(type)) {
            return type.getName();
        }
        StringBuilder text = new StringBuilder();
        for (Class<?> each : type.getInterfaces()) {
            text.append(MARK).append(each.getName());
        }
        return text.toString();
    }

    /** The names of the interfaces of a proxy, whose class a {@linkplain #text text} stands for; null if it stands for another class. */
    public static @Nullable List<String> interfaceNames(String text) {
        return text.startsWith(MARK) ? List.of(text.substring(1).split(MARK, -1)) : null;
    }

    /**
     * Counts a class that is about to be made, unless it was before.
     *
     * @throws HeapspanException of category LIMIT
     */
    public static void count(@Nullable ClassLoader loader, Class<?>[] interfaces) {
        // Of the names, which each interface has in one place: its name keeps no class alive.
        List<String> names = Arrays.stream(interfaces).map(Class::getName).toList();
        ClassLoader key = loader == null ? ClassLoader.getSystemClassLoader() : loader;
        synchronized (BY_LOADER) {
            Set<List<String>> known = BY_LOADER.computeIfAbsent(key, unused -> new HashSet<>());
            if (known.size() < MOST_OF_LOADER) {
                known.add(names);
            } else if (!known.contains(names)) {
                throw new HeapspanException(
                        Category.LIMIT,
                        "images from untrusted sources have named " + MOST_OF_LOADER
                                + " different combinations of interfaces of proxies, the limit for " + loader
                                + ", each of which needs a class that stays; admit fewer interfaces (allow, or an"
                                + " ObjectInputFilter)");
            }
        }
    }
}
