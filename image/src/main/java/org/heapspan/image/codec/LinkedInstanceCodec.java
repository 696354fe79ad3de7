package org.heapspan.image.codec;

import java.util.concurrent.ConcurrentHashMap;
import org.heapspan.ObjectLinks;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.Link;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/**
 * A class some of whose instances are {@linkplain ObjectLinks#constantsOf constants}, of which images have links. They travel as replacements do, so
 * that identity is kept among the references to one. Reading needs nothing special.
 */
public final class LinkedInstanceCodec extends Codec {
    private final Codec plain;
    private final ObjectLinks.Constants constants;
    private final ConcurrentHashMap<Long, Link> links = new ConcurrentHashMap<>(2);

    private LinkedInstanceCodec(Codec plain, ObjectLinks.Constants constants) {
        // Not LEAF or SELF_CONTAINED: roots are asked about, too.
        super(
                plain.type,
                plain.description,
                plain.builtInTag,
                plain.traits & ~(LEAF | SELF_CONTAINED | NUMBERED) | VARIES | TRACKED);
        this.plain = plain;
        this.constants = constants;
    }

    /** The codec of a class, which asks about instances if the class has constants. */
    public static Codec over(Codec plain, CodecRegistry registry) {
        if (registry.links == null
                || !registry.updates.isEmpty()
                || !plain.has(TRACKED)
                || plain.type.isArray()
                || plain instanceof EnumCodec) {
            return plain;
        }
        ObjectLinks.Constants constants = registry.links.constantsOf(plain.type);
        if (constants == null) {
            return plain;
        }
        if (plain.builtInTag == 0) {
            registry.registered(plain);
        }
        return new LinkedInstanceCodec(plain, constants);
    }

    /** What stands in images for an instance, the same for each of its references; null if it is to be copied. */
    @Nullable
    public Link linkOf(Object instance) {
        long number = constants.numberOf(instance);
        return number == ObjectLinks.NONE ? null : links.computeIfAbsent(number, Link::new);
    }

    @Override
    public Codec variant(ImageWriter writer, Object object) {
        Link link = linkOf(object);
        if (link != null) {
            // Who finds the class by its name holds it, and with it what is in its fields.
            writer.checkNamed(type);
            return new Written(link);
        }
        return plain.has(VARIES) ? plain.variant(writer, object) : plain;
    }

    @Override
    public Codec copying() {
        return plain;
    }

    @Override
    @Nullable
    public ObjectLinks links() {
        return plain.links();
    }

    @Override
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("variant() comes first");
    }

    @Override
    public Object allocate(ImageReader reader) {
        return plain.allocate(reader);
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {
        plain.readBody(reader, object, hint);
    }

    @Override
    @Nullable
    public Object read(ImageReader reader, @Nullable TypeHint hint) {
        return plain.read(reader, hint);
    }

    /** One constant on its way. */
    private static final class Written extends Codec {
        private final Link link;

        Written(Link link) {
            super(Object.class, null, ImageFormat.TAG_REPLACED, TRACKED);
            this.link = link;
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            writer.writeSection(link);
        }

        @Override
        public Object allocate(ImageReader reader) {
            throw new IllegalStateException("only written");
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}
    }
}
