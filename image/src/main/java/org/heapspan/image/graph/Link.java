package org.heapspan.image.graph;

import java.io.IOException;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.ObjectLinks;
import org.heapspan.image.memory.LargerStack;

/**
 * In an image, the replacement of an object that is stored elsewhere.
 *
 * @param number by which {@link ObjectLinks} know it
 */
public record Link(long number) {

    /** What travels in place of an object in a linked field: a link, or the object itself. */
    public static Object inPlaceOf(Object object, ObjectLinks links) {
        long number = LargerStack.isCurrent() ? numberByCaller(object, links) : links.numberOf(object);
        return number == ObjectLinks.NONE ? object : new Link(number);
    }

    /** Which objects are kept may depend on the thread that asked for the image. */
    private static long numberByCaller(Object object, ObjectLinks links) {
        try {
            return LargerStack.transfer(() -> links.numberOf(object));
        } catch (IOException e) {
            throw new HeapspanException(Category.IO, "a link was not made: " + e.getMessage(), e);
        }
    }

    /** Links have no identity: what they stand for has its own. */
    public static final class OfLink extends LeafCodec {
        public OfLink(int tag) {
            super(Link.class, null, tag, 0);
        }

        @Override
        public void writeValue(ImageWriter writer, Object link) {
            writer.writeNumber(((Link) link).number);
        }

        @Override
        public Object readValue(ImageReader reader) {
            long number = reader.readNumber();
            ObjectLinks links = reader.resolver.registry().links;
            if (links == null) {
                throw new HeapspanException(
                        Category.USAGE,
                        "the image refers to object " + number
                                + " outside of it, and the reader has no links; decode with the links"
                                + " (HeapspanBuilder.links) of the writer");
            }
            if (number < 0) {
                throw reader.malformed("it refers to object " + number + " outside of it, expected a number from 0");
            }
            return links.objectOf(number);
        }
    }
}
