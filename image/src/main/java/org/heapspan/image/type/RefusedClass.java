package org.heapspan.image.type;

import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;

/**
 * Why a class cannot be copied.
 *
 * @param type the class
 * @param why the reason, a clause
 */
public record RefusedClass(Class<?> type, String why) {
    public HeapspanException toException(String path) {
        return new HeapspanException(
                Category.CLASS_REFUSED,
                (path.isEmpty() ? "" : path + ": ") + type.getName() + " cannot be copied: " + why
                        + "; make the field transient, replace the object in writeReplace, or leave it out of the graph");
    }
}
