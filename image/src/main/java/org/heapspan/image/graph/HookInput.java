package org.heapspan.image.graph;

/** The object stream from which hooks read, for {@link ImageReader}. */
public interface HookInput {
    /** Forgets the image. */
    void clear();

    /** Runs the validations that hooks have registered. */
    void validate();
}
