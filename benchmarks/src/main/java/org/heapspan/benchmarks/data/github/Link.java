package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** A link of a hypermedia map, as GitHub sends it to a webhook. */
public final class Link implements Serializable {
    private static final long serialVersionUID = 1L;

    public String href;
}
