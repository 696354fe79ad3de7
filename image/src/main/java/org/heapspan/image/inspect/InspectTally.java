package org.heapspan.image.inspect;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.heapspan.HeapspanException;
import org.heapspan.image.inspect.InspectType.Use;
import org.jspecify.annotations.Nullable;

/** What {@link InspectWalk} has counted: whose the bytes of an image are, and how much there is of what. */
final class InspectTally {
    /** Bytes that belong to no object. */
    final Use outside = new Use("");

    long roots;
    long resets;
    long references;
    long sharedReferences;
    long deferredBodies;

    private final Map<String, Use> uses = new LinkedHashMap<>();

    // Whose bytes are being read.
    private Use owner = outside;
    private long charged;

    /** The account of a class. */
    Use use(String className) {
        return uses.computeIfAbsent(className, Use::new);
    }

    /** Charges the bytes up to a position to whom they belong; those that follow belong to another. */
    void charge(long position, Use next) {
        owner.bytes += position - charged;
        charged = position;
        owner = next;
    }

    InspectedImage result(
            InspectSource source,
            @Nullable UUID registry,
            List<InspectedImage.Type> types,
            InspectedImage.Node tree,
            @Nullable HeapspanException problem) {
        List<InspectedImage.ClassUse> classes = uses.values().stream()
                .filter(use -> use.count > 0)
                .map(use -> new InspectedImage.ClassUse(use.className, use.count, use.bytes))
                .sorted(Comparator.comparingLong(InspectedImage.ClassUse::bytes)
                        .reversed()
                        .thenComparing(InspectedImage.ClassUse::className))
                .toList();
        return new InspectedImage(
                source.bytesRead(),
                source.header(registry),
                source.frames(),
                types,
                classes,
                roots,
                resets,
                references,
                sharedReferences,
                deferredBodies,
                outside.bytes,
                tree,
                problem);
    }
}
