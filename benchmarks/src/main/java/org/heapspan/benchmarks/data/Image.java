package org.heapspan.benchmarks.data;

import java.io.Serializable;

/** A picture of a {@link MediaContent}. */
public final class Image implements Serializable {
    private static final long serialVersionUID = 1L;

    public String uri;
    public String title;
    public int width;
    public int height;
    public Size size;
}
