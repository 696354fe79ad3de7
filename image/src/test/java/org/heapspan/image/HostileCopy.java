package org.heapspan.image;

import java.util.List;
import org.heapspan.image.HostileStructure.Body;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Field;
import org.heapspan.image.type.TypeDescription.Kind;
import org.heapspan.image.type.TypeDescription.Level;
import org.heapspan.testing.TestImages;

/** An array, text or collection, and many objects of the JDK that refer to it and copy it when they are read. */
record HostileCopy(String name, List<TypeDescription> types, Writing original, Writing copying) {
    /** Writes an object. */
    interface Writing {
        /**
         * Writes.
         *
         * @param size of what is copied
         */
        void write(Body body, int size);
    }

    private static final int FIRST_TYPE = ImageFormat.TAG_FIRST_DESCRIBED_TYPE;

    /** The original is the second object of the image; the first is the array with all. */
    private static final int ORIGINAL = 1;

    @Override
    public String toString() {
        return name;
    }

    static List<HostileCopy> all() {
        return List.of(
                new HostileCopy(
                        "StringBuilder",
                        List.of(hooks("java.lang.StringBuilder")),
                        (body, size) -> body.numbers(15, size).repeated(0, 2 * size),
                        (body, size) -> body.numbers(FIRST_TYPE)
                                .ints(1)
                                .bytes(ImageFormat.ITEM_OBJECT)
                                .numbers(1, ORIGINAL)
                                .bytes(ImageFormat.ITEM_END)),
                new HostileCopy(
                        "Vector",
                        List.of(hooks(
                                "java.util.Vector", new Field('I', "elementCount"), new Field('L', "elementData"))),
                        (body, size) -> body.numbers(20, size, 0).repeated(1, size),
                        (body, size) -> body.numbers(FIRST_TYPE)
                                .fields(0, size)
                                .numbers(1, ORIGINAL)
                                .bytes(ImageFormat.ITEM_END)),
                new HostileCopy(
                        "BigInteger",
                        List.of(hooks("java.math.BigInteger", new Field('L', "magnitude"), new Field('I', "signum"))),
                        (body, size) -> body.numbers(13, size).repeated(1, size),
                        (body, size) -> body.numbers(FIRST_TYPE)
                                .fields(0, 1)
                                .numbers(1, ORIGINAL)
                                .bytes(ImageFormat.ITEM_END)),
                new HostileCopy(
                        "URI",
                        List.of(hooks("java.net.URI", new Field('T', "string"))),
                        (body, size) ->
                                body.numbers(3, 2L * size + 3).bytes('x', ':').repeated('a', size - 2),
                        (body, size) -> body.numbers(FIRST_TYPE)
                                .bytes(ImageFormat.ITEM_FIELDS)
                                .numbers(1, ORIGINAL)
                                .bytes(ImageFormat.ITEM_END)),
                new HostileCopy(
                        "PriorityBlockingQueue",
                        List.of(hooks("java.util.concurrent.PriorityBlockingQueue", new Field('L', "q"))),
                        (body, size) -> body.numbers(60, 0, size, 8).repeated(3, size),
                        (body, size) -> body.numbers(FIRST_TYPE)
                                .bytes(ImageFormat.ITEM_FIELDS)
                                .numbers(1, ORIGINAL)
                                .bytes(ImageFormat.ITEM_END)),
                new HostileCopy(
                        "suppressed exceptions",
                        List.of(
                                new TypeDescription(
                                        Kind.HOOKS,
                                        "java.lang.Exception",
                                        List.of(),
                                        List.of(
                                                new Level(
                                                        "java.lang.Throwable",
                                                        Level.HAS_WRITE_OBJECT,
                                                        List.of(new Field('L', "suppressedExceptions"))),
                                                new Level("java.lang.Exception", 0, List.of()))),
                                new TypeDescription(
                                        Kind.HOOKS,
                                        "java.util.Collections$CopiesList",
                                        List.of(),
                                        List.of(new Level(
                                                "java.util.Collections$CopiesList",
                                                0,
                                                List.of(new Field('L', "element"), new Field('I', "n")))))),
                        (body, size) -> body.numbers(FIRST_TYPE).bytes(ImageFormat.ITEM_END),
                        (body, size) -> {
                            int count = size < 1000 ? size : 50_000_000;
                            body.numbers(FIRST_TYPE).bytes(ImageFormat.ITEM_FIELDS);
                            body.numbers(FIRST_TYPE + 1)
                                    .bytes(3, count, count >> 8, count >> 16, count >> 24)
                                    .numbers(1, ORIGINAL)
                                    .bytes(ImageFormat.ITEM_END);
                        }));
    }

    private static TypeDescription hooks(String className, Field... fields) {
        Level level = new Level(className, Level.HAS_WRITE_OBJECT, List.of(fields));
        return new TypeDescription(Kind.HOOKS, className, List.of(), List.of(level));
    }

    /** An image of about twice a size: the original has half of the bytes or more. */
    byte[] image(int sizeBytes) {
        Body one = new Body();
        copying.write(one, sizeBytes);
        int copies = Math.max(sizeBytes / one.size(), 1);
        Body body = new Body().numbers(20, copies + 1, 0);
        original.write(body, sizeBytes);
        for (int i = 0; i < copies; i++) {
            copying.write(body, sizeBytes);
        }
        java.io.ByteArrayOutputStream described = new java.io.ByteArrayOutputStream();
        types.forEach(type -> described.writeBytes(type.encode()));
        return TestImages.image(ImageFormat.FLAG_RECORD_SCOPE, described.toByteArray(), body.toByteArray());
    }
}
