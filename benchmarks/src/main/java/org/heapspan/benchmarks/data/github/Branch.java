package org.heapspan.benchmarks.data.github;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.Serializable;

/** A branch, as GitHub sends it to a webhook. */
public final class Branch implements Serializable {
    private static final long serialVersionUID = 1L;

    public String name;

    @JsonProperty("protected")
    public boolean protectedBranch;
}
