package org.heapspan.spark.settings;

import java.io.Serializable;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;
import org.heapspan.HeapspanBuilder;
import org.heapspan.ObjectLinks;
import org.heapspan.TypeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * What of the configuration the serializer needs where there is no {@code SparkConf}: it travels with each shuffle to the executors.
 *
 * @param groupBytes at how many bytes a group leaves
 * @param encoding of groups and single values
 * @param verifiedShare how many raw images both engines decode; negative to leave that to the system property
 */
public record SerializerOptions(int groupBytes, Encoding encoding, double verifiedShare) implements Serializable {

    // The JVM makes the methods that a record has by itself when they are first called, and what reads a record when it
    // is first read. That takes time when it starts.

    private Object writeReplace() {
        return new Sent(groupBytes, encoding, verifiedShare);
    }

    private static final class Sent implements Serializable {
        private static final long serialVersionUID = 1L;

        private final int groupBytes;
        private final Encoding encoding;
        private final double verifiedShare;

        Sent(int groupBytes, Encoding encoding, double verifiedShare) {
            this.groupBytes = groupBytes;
            this.encoding = encoding;
            this.verifiedShare = verifiedShare;
        }

        private Object readResolve() {
            return new SerializerOptions(groupBytes, encoding, verifiedShare);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SerializerOptions options
                && groupBytes == options.groupBytes
                && encoding == options.encoding
                && Double.compare(verifiedShare, options.verifiedShare) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * groupBytes + encoding.hashCode()) + Double.hashCode(verifiedShare);
    }

    public static SerializerOptions of(HeapspanConfiguration configuration) {
        boolean verifies = configuration.isGiven(HeapspanConfiguration.VERIFY);
        return new SerializerOptions(
                configuration.get(HeapspanConfiguration.GROUP_BYTES),
                configuration.get(HeapspanConfiguration.ENCODING),
                verifies ? configuration.get(HeapspanConfiguration.VERIFY) : -1);
    }

    /**
     * What encodes and decodes with these options.
     *
     * @param loader where classes are found
     * @param registry numbers classes; null to describe them
     * @param links numbers objects; null to write them all
     */
    public Heapspan heapspan(ClassLoader loader, @Nullable TypeRegistry registry, @Nullable ObjectLinks links) {
        HeapspanBuilder builder = Heapspan.builder().classLoader(loader);
        if (registry != null) {
            builder.typeRegistry(registry);
        }
        if (links != null) {
            builder.links(links);
        }
        return (verifiedShare < 0 ? builder : builder.verify(verifiedShare)).build();
    }
}
