package org.heapspan.image.type;

import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/** Takes the place of an object of the missing class. It keeps no exception: an image may name thousands of missing classes. */
public record MissingObject(Category category, String why) {
    public MissingObject(HeapspanException why) {
        this(why.category(), String.valueOf(why.getMessage()));
    }

    /** Whether one of these is among others: keys that know neither order nor equality. */
    public static boolean isAmong(@Nullable Object[] objects) {
        for (Object object : objects) {
            if (object instanceof MissingObject) {
                return true;
            }
        }
        return false;
    }

    public HeapspanException toException() {
        return new HeapspanException(category, why);
    }
}
