package org.heapspan.benchmarks.data.github;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;

/** A label, as GitHub sends it to a webhook. */
public final class Label implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public String nodeId;
    public String url;
    public String name;
    public String color;

    @JsonProperty("default")
    public boolean defaultLabel;

    public String description;
}
