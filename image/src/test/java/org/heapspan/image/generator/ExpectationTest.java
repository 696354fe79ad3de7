package org.heapspan.image.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Externalizable;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.heapspan.Mode;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.policy.PolicyCodecRegistry;
import org.junit.jupiter.api.Test;

/** Which objects generated code stores without comparing. */
final class ExpectationTest {
    private static final CodecRegistry REGISTRY = PolicyCodecRegistry.of(Mode.SERIAL, Map.of());

    static final class Plain implements Serializable {
        int number;
    }

    record Point(int x, int y) implements Serializable {}

    enum Plant {
        TREE,
        HERB {}
    }

    static class Resolving implements Serializable {
        private Object readResolve() {
            return this;
        }
    }

    static class WithReadObject implements Serializable {
        private void readObject(java.io.ObjectInputStream source) {}
    }

    static class Replaced implements Serializable {
        private Object writeReplace() {
            return this;
        }
    }

    /** An Externalizable. */
    public static final class External implements Externalizable {
        @Override
        public void writeExternal(ObjectOutput target) {}

        @Override
        public void readExternal(ObjectInput source) {}
    }

    abstract static class OwnCharset extends Charset {
        OwnCharset() {
            super("own", null);
        }
    }

    static final class ConcreteCharset extends OwnCharset {
        @Override
        public boolean contains(Charset other) {
            return false;
        }

        @Override
        public CharsetDecoder newDecoder() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CharsetEncoder newEncoder() {
            throw new UnsupportedOperationException();
        }
    }

    private static boolean isSure(Class<?> declared) {
        Codec codec = Expectation.sureCodecFor(REGISTRY, declared);
        boolean sure = codec.has(Codec.SURE);
        if (sure) {
            assertThat(declared).isAssignableFrom(codec.type);
        }
        return sure;
    }

    @Test
    void isSureOfClassesWhoseObjectsAreMadeByTheReader() {
        List<Class<?>> classes = List.of(
                Plain.class,
                Point.class,
                Plant.class,
                TimeUnit.class,
                Plain[].class,
                Resolving[].class,
                long[].class,
                List.class,
                Collection.class,
                Map.class,
                Set.class,
                ArrayList.class,
                HashMap.class,
                HashSet.class,
                TreeMap.class,
                UUID.class,
                Instant.class);
        assertThat(classes).allMatch(ExpectationTest::isSure);
    }

    @Test
    @SuppressWarnings("GetClassOnEnum") // The class of the constant's body is meant.
    void isNotSureWhereAMethodOrTheImageChoosesTheObject() {
        List<Class<?>> classes = List.of(
                Resolving.class,
                WithReadObject.class,
                Replaced.class,
                External.class,
                OwnCharset.class,
                ConcreteCharset.class,
                Locale.class,
                List.of().getClass(),
                Plant.HERB.getClass(),
                Object.class,
                Number.class);
        assertThat(classes).noneMatch(ExpectationTest::isSure);
    }

    @Test
    void codecsOfReplacedObjectsAreNotSure() {
        for (int tag : new int[] {
            ImageFormat.TAG_REPLACED,
            BuiltInTypes.CHARSET_TAG,
            BuiltInTypes.PATH_TAG,
            BuiltInTypes.BYTE_BUFFER_TAG,
            BuiltInTypes.TIME_ZONE_TAG,
            BuiltInTypes.IMMUTABLE_LIST_TAG,
            BuiltInTypes.IMMUTABLE_SET_TAG,
            BuiltInTypes.IMMUTABLE_MAP_TAG,
            BuiltInTypes.EMPTY_TAG,
            BuiltInTypes.ENUM_SET_TAG,
            BuiltInTypes.OWN_OBJECT_TAG
        }) {
            assertThat(BuiltInTypes.known(tag).has(Codec.SURE))
                    .as("tag %d", tag)
                    .isFalse();
        }
    }
}
