package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** A check output, as GitHub sends it to a webhook. */
public final class CheckOutput implements Serializable {
    private static final long serialVersionUID = 1L;

    public String title;
    public String summary;
    public String text;
    public int annotationsCount;
    public String annotationsUrl;
}
