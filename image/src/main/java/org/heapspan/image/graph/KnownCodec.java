package org.heapspan.image.graph;

/**
 * A codec that generated code refers to as a constant, with the facts that writers need. It is a record, because the JIT treats the
 * components of a constant record as constants, and does not do so with the fields of a constant codec.
 *
 * @param codec the codec, of the local class
 * @param type its class
 * @param traits its {@linkplain Codec#traits traits}
 * @param builtInTag its tag, or 0
 * @param serial its number within the registry
 */
public record KnownCodec(Codec codec, Class<?> type, int traits, int builtInTag, int serial) {
    public static KnownCodec of(Codec codec) {
        return new KnownCodec(codec, codec.type, codec.traits, codec.builtInTag, codec.serial);
    }

    boolean has(int trait) {
        return (traits & trait) != 0;
    }
}
