package org.heapspan.image.graph;

/** The object stream that hooks read from, as {@link ImageReader} sees it. */
public interface HookInput {
    /** Forgets the image. */
    void clear();

    /** Runs the validations that hooks have registered. */
    void validate();
}
