package org.heapspan.image.type;

import java.util.Set;

/**
 * Classes of the JDK that are not Serializable and are nothing but their fields: values, builders, positions within an array. A copy of
 * the fields behaves as the original does, in JDK 17 and later, as long as both sides have the same fields; where a JDK has others, an
 * image of the class is refused and not mapped by names.
 */
public final class PlainClasses {
    private PlainClasses() {}

    private static final Set<String> NAMES = Set.of(
            "java.lang.Runtime$Version",
            "java.net.HttpCookie",
            "java.net.PasswordAuthentication",
            "java.net.Proxy",
            "java.text.Annotation",
            "java.text.AttributedString",
            "java.text.FieldPosition",
            "java.text.ParsePosition",
            "java.text.StringCharacterIterator",
            "java.util.Arrays$ArrayItr",
            "java.util.Base64$Decoder",
            "java.util.Base64$Encoder",
            "java.util.Calendar$Builder",
            "java.util.Collections$EmptyEnumeration",
            "java.util.Collections$EmptyIterator",
            "java.util.Collections$EmptyListIterator",
            "java.util.DoubleSummaryStatistics",
            "java.util.HexFormat",
            "java.util.ImmutableCollections$ListItr",
            "java.util.IntSummaryStatistics",
            "java.util.KeyValueHolder",
            "java.util.Locale$LanguageRange",
            "java.util.LongSummaryStatistics",
            "java.util.Observable",
            "java.util.SplittableRandom",
            "java.util.SplittableRandom$AbstractSplittableGeneratorProxy",
            "java.util.StringJoiner",
            "java.util.StringTokenizer",
            "java.util.concurrent.CopyOnWriteArrayList$COWIterator",
            "java.util.concurrent.ThreadPoolExecutor$AbortPolicy",
            "java.util.concurrent.ThreadPoolExecutor$CallerRunsPolicy",
            "java.util.concurrent.ThreadPoolExecutor$DiscardOldestPolicy",
            "java.util.concurrent.ThreadPoolExecutor$DiscardPolicy",
            "java.util.concurrent.atomic.AtomicMarkableReference",
            "java.util.concurrent.atomic.AtomicMarkableReference$Pair",
            "java.util.concurrent.atomic.AtomicStampedReference",
            "java.util.concurrent.atomic.AtomicStampedReference$Pair",
            "java.util.jar.Attributes",
            "java.util.jar.Attributes$Name");

    public static boolean contains(Class<?> type) {
        return NAMES.contains(type.getName()) && JdkClasses.contain(type);
    }
}
