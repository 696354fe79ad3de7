package org.heapspan.image.type;

import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/** Takes the place of an object of the missing class. It keeps no exception: an image may name thousands of missing classes. */
public record MissingObject(Category category, String why) {
    public MissingObject(HeapspanException why) {
        this(why.category(), String.valueOf(why.getMessage()));
    }

    public HeapspanException toException() {
        return new HeapspanException(category, why);
    }
}
