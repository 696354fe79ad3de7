package org.heapspan.benchmarks.data;

import java.io.Serializable;
import java.util.List;

/** The record of the Java serialization benchmark set (jvm-serializers): a film and its pictures. */
public final class MediaContent implements Serializable {
    private static final long serialVersionUID = 1L;

    public Media media;
    public List<Image> images;
}
