package org.heapspan.image.codec;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/** Codecs of collections that others may change while they are written: they are copied first, and the copy is written. */
final class ConcurrentCollectionCodecs {
    private ConcurrentCollectionCodecs() {}

    public static final class OfConcurrentHashMap extends MapCodecs.OfMap {
        OfConcurrentHashMap(int tag) {
            super(ConcurrentHashMap.class, tag, TRACKED | DEFERRABLE);
        }

        @Override
        void writeAsMet(ImageWriter writer, Map<?, ?> map, @Nullable TypeHint keyHint, @Nullable TypeHint valueHint) {
            writeGathered(writer, map, MapCodecs.OfMap::pushAll, keyHint, valueHint);
        }

        @Override
        Map<@Nullable Object, @Nullable Object> make() {
            return new ConcurrentHashMap<>();
        }
    }

    static final class OfCopyOnWriteArrayList extends Codec {
        OfCopyOnWriteArrayList(int tag) {
            super(CopyOnWriteArrayList.class, null, tag, TRACKED | DEFERRABLE | SURE);
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            ImmutableCollectionCodecs.writeElements(writer, ((CopyOnWriteArrayList<?>) object).toArray(), hint);
        }

        @Override
        public Object allocate(ImageReader reader) {
            return new CopyOnWriteArrayList<>();
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
            @Nullable Object[] elements = new Object[reader.readArrayLength(Object[].class, 1)];
            ElementsForm.read(reader, elements, elements.length, hint == null ? null : hint.first());
            @SuppressWarnings("unchecked")
            CopyOnWriteArrayList<@Nullable Object> list = (CopyOnWriteArrayList<@Nullable Object>) object;
            list.addAll(Arrays.asList(elements));
        }
    }
}
