package org.heapspan.spark;

import java.io.Serializable;
import org.heapspan.Encoding;
import org.heapspan.Heapspan;

/**
 * What of the configuration the serializer needs where there is no {@code SparkConf}: it travels with each shuffle to the executors.
 *
 * @param groupBytes at how many bytes a group leaves
 * @param encoding of groups and single values
 * @param verifiedShare how many raw images both engines decode; negative to leave that to the system property
 */
record SerializerOptions(int groupBytes, Encoding encoding, double verifiedShare) implements Serializable {

    static SerializerOptions of(HeapspanConfiguration configuration) {
        boolean verifies = configuration.isGiven(HeapspanConfiguration.VERIFY);
        return new SerializerOptions(
                configuration.get(HeapspanConfiguration.GROUP_BYTES),
                configuration.get(HeapspanConfiguration.ENCODING),
                verifies ? configuration.get(HeapspanConfiguration.VERIFY) : -1);
    }

    /** What encodes and decodes with these options. */
    Heapspan heapspan(ClassLoader loader) {
        Heapspan.Builder builder = Heapspan.builder().classLoader(loader);
        return (verifiedShare < 0 ? builder : builder.verify(verifiedShare)).build();
    }
}
