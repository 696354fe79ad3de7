package org.heapspan.benchmarks.data.github;

import java.io.Serializable;

/** A license, as GitHub sends it to a webhook. */
public final class License implements Serializable {
    private static final long serialVersionUID = 1L;

    public String key;
    public String name;
    public String spdxId;
    public String url;
    public String nodeId;
}
