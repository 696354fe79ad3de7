package org.heapspan.tests.conformance;

import org.apache.fory.Fory;
import org.heapspan.tests.conformance.ConformanceCase.TransientMode;
import org.heapspan.tests.conformance.ConformanceCase.Trust;

/** Fory, Java mode, references on (of strings too), compatible mode and enums by name for the evolution cases, no registration. */
final class ForyCodec implements Codec {

    private final Fory fory = Fory.builder()
            .withXlang(false)
            .withRefTracking(true)
            .withCompatible(true)
            .ignoreStringRef(false)
            .serializeEnumByName(true)
            .withMaxDepth(1_000_000)
            .requireClassRegistration(false)
            .suppressClassRegistrationWarnings(true)
            .withClassLoader(EvolvingClasses.loader())
            .build();

    @Override
    public String name() {
        return "fory";
    }

    @Override
    public byte[] encode(Object root, TransientMode mode) {
        return fory.serialize(root);
    }

    @Override
    public Object decode(byte[] bytes, TransientMode mode, Trust trust, ClassLoader loader) {
        return fory.deserialize(bytes);
    }
}
